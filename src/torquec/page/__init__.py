"""Interactive 3D page of a model: one HTML file in which the robot moves and the compiled model runs."""
