"""A Kubernetes API over HTTP as controllers want it: reads from informer caches, writes that nobody else waits for.

The same client talks to a kind member (with the official client's connections, see `kind/official.py`) and, from an
agent's process, to the lab's own server. It is the real-world twin of `link.Remote`.
"""
