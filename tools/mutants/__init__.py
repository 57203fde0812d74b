"""Are deliberate faults noticed? `python -m tools.mutants --help` says how to ask."""
