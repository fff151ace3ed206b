"""Inverse kinematics: all branches of a pose, in closed form or by elimination and iteration."""
