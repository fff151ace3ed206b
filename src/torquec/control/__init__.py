"""Control laws as functions that compile, and what modelling errors they survive.

Import from the modules, or from :mod:`torquec`, which does so when a name is first used.
"""
