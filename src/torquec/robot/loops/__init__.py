"""Closed loops: records, equations, and the dependent joints as functions of the independent ones."""
