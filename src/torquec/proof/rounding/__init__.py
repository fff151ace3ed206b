"""Rounding errors of generated code."""
