"""The machine: time, the object store, the controller runtime and the record of what happened."""
