"""Haptic experiments in simulation: loop, simulated hand, felt inertia."""
