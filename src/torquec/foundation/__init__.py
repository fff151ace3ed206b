"""What every room may use: kept work, linear algebra on one thread."""
