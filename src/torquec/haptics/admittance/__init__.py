"""Admittance control: from a measured force to joint torques that move the hand like the virtual object."""
