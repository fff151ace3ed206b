"""The steps of a run, a file each."""
