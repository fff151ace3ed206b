"""What came out: the estimate, how well it predicts, and the model of it."""
