"""The contract of an API server, held against a kind member's client: over real HTTPS, to the lab's own server."""
