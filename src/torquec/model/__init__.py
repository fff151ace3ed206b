"""`Model`: a robot with its quantities as native callables; compile, save, load and generate.

Import from the modules, or from :mod:`torquec`, which does so when a name is first used.
"""
