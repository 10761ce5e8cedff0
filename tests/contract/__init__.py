"""What an API server does, as its clients see it.

The suite knows a server only through `Api` (see `apis.py`): the `Client` protocol, a way to let the server finish its
background work, and two namespaces to write in. So the same tests hold the store, a client behind a network and, with
one more maker in `conftest.py`, a server over HTTP or a real cluster to the same promises.
"""
