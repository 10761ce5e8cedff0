"""The package held against recordings of the real Karmada.

Each area is a module here with two functions: `emit(case, profile)` answers one recorded input with the package's own
code, and `differences(case, actual)` lists what disagrees with the recording, by the rules of that area.
"""
