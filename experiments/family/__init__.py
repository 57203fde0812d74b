"""The races of notebooks 18 and 19; see experiments/family/__main__.py."""
