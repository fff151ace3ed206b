"""Time-optimal motion planning along a path, within torque, speed and acceleration limits."""
