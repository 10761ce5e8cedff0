"""Kind without Docker: recorded answers of the real program are replayed by a fake one on the PATH."""
