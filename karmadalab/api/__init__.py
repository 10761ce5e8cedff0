"""What is written down: Kubernetes and Karmada objects as plain, immutable data. No input or output, no clock."""
