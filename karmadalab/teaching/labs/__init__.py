"""The labs, one package each: what they check, their hints, the cases recorded from a real Karmada."""
