"""Verification of generated packages: the same states in Python, compilers and emulators; stack, size, instructions."""
