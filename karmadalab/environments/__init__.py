"""The worlds a control plane can run in: simulated members on a virtual clock, processes over HTTP, kind clusters."""
