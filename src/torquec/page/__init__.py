"""The model in a page: one HTML file that anybody can open, in which the robot moves and the compiled model runs."""
