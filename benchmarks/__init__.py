"""Measurements against peers; run as modules, for example `python -m benchmarks.native`."""
