"""What was done, to look at: text, pictures, pages. Reads results, computes none."""
