"""Passivity of sampled loops: stability with every passive operator impedance."""
