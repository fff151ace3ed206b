"""Clover: the cost of one control cycle, task by task."""
