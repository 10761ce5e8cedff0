"""The contract on the API server of a real kind cluster: `make test-kind`."""
