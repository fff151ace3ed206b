"""Mesh files to triangles: one file a format, chosen by the ending."""
