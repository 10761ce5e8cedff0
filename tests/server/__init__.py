"""The server, from outside: the real kubectl, the official client, and plain HTTP."""
