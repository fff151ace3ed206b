"""The torque model: which parameters are sought, and the rows that a log gives for them."""
