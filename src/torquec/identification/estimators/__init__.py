"""Estimators behind one contract, what they are told and what their estimates are worth."""
