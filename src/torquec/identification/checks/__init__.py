"""What can be wrong with a log: one file per kind of evidence."""
