"""What every room may use: names of arrays, files, documents, work with named steps, linear algebra on one thread."""
