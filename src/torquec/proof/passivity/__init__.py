"""Passivity of sampled loops: what a passive operator impedance can do to them."""
