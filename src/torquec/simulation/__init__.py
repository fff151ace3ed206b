"""Closed loops in time: plants, sensors, integrators, the native loop around a controller, and what it shows.

Import from the modules, or from :mod:`torquec`, which does so when a name is first used.
"""
