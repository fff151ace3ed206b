"""Logs: what is wrong with them, and samples that a model can be fitted to."""
