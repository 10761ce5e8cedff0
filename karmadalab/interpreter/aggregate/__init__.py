"""Many members' statuses made into the one status of the template."""
