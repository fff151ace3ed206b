"""Exciting motions: Fourier series and splines within a robot's limits, optimised with exact gradients and proved."""
