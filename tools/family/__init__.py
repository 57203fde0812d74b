"""The races of notebooks 18 and 19; see tools/family/__main__.py."""
