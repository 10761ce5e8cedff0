"""Real member clusters: kind and the container engine under it, fleets of clusters, and the members they become.

`kind` has no library and no JSON output, so everything here stands on its command line as recorded from v0.31: data
on stdout, all else on stderr, exit code 0 or 1. Only this package starts programs or talks to a real API server; it
imports the `kind` extra (`sh`, `kubernetes`) inside functions, so that a machine without them is told what is missing.
"""
