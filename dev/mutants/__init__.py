"""Are deliberate faults noticed? `python -m dev.mutants --help` says how to ask."""
