"""Estimators behind one contract, what they are given and what their estimates are worth."""
