"""Inverse kinematics: every way for an arm to reach a pose, in closed form."""
