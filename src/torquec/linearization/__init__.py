"""Linear models about a motion."""
