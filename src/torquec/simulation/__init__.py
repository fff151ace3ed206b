"""Closed loops in time: plants, sensors, integrators, the native loop around a controller, and what it shows."""
