"""Verifying a generated package: the same states through Python, compilers and emulated processors; what it costs."""
