"""Results of identification: the estimate, its prediction error and verdict, and its model."""
