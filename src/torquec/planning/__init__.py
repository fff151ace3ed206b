"""Motions made from a model: the fastest one along a path."""
