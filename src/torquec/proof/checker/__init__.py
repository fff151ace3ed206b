"""Certificates proven again, with as little as possible of the code that made them."""
