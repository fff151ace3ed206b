"""Rigid-body dynamics, one quantity per file, each written once over any scalar."""
