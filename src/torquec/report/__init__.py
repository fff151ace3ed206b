"""Reports of results: text, plots, HTML pages. Reads results, computes none."""
