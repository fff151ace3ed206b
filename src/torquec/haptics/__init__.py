"""Haptic interaction: virtual objects, admittance control, passivity of the port, experiments and devices."""
