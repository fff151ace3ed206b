"""The numbers of a log as named columns in blocks of rows, one file per format."""
