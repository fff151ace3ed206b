"""Izaguirre, Hashimoto, Paul and Hayward: identification from the last joint inwards, elimination of parameters."""
