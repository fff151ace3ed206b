"""Certified torque and coefficient errors: residuals, their bounds, certificates."""
