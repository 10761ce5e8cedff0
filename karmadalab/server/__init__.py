"""The lab's stores as Kubernetes REST APIs on loopback, for the real kubectl and the official clients."""

from karmadalab.server.serve import Served, serve, serve_store

__all__ = ["Served", "serve", "serve_store"]
