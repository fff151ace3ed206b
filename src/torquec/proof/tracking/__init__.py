"""Bounds of a controller's tracking error: accelerations, responses, tubes."""
