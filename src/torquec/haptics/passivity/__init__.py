"""Passivity of the haptic port: sampled loop, passive operator impedance, passivity region."""
