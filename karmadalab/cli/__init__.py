"""The command line: `karmadalab run environments/failover.yaml`. Each command imports what it needs when called."""

from karmadalab.cli.main import app, main

__all__ = ["app", "main"]
