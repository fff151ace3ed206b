"""What every room may use: names of arrays, files, documents, kept work, linear algebra on one thread."""
