"""Kang: kinematic influence coefficients, three ways to the inertial power array, operation counts."""
