"""Optimal excitation trajectories: Fourier series and splines, exact gradients, limits proved at every instant."""
