"""Interval and Bernstein enclosures, branch and bound, verified bounds of linear systems."""
