"""Project runs: from a project file to a folder of results; code shared by steps and commands."""
