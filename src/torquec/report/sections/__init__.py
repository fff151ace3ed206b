"""The sections of a report, one file each: a document in, blocks out."""
