"""Fitting coefficients with few terms: minimax errors, minimal bases, rules of significance."""
