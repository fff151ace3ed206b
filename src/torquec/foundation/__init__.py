"""Shared utilities: array types, files, documents, work with named steps, linear algebra on one thread."""
