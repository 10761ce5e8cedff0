"""`karmadalab doctor`: what this machine has, what it lacks for which part of the lab, and how to get it."""
