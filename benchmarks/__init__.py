"""The course against its peers: `make bench`, or `python -m benchmarks`. Measured, never asserted by a test."""
