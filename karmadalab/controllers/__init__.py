"""Karmada's controllers, one file each, under their Karmada names. None imports another: they meet in the store."""
