"""Haptic devices: force in, motion out."""
