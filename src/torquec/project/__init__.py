"""One run: from a project file to a folder of results; and what its steps share with the single commands."""
