"""Recorded failovers of a real Karmada, replayed on the fake: reading, replaying, milestones, comparing."""
