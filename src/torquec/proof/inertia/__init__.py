"""Positive definite and nonsingular mass matrices; configuration-independent lower bounds of M(q)."""
