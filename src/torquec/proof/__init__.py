"""Rigorous error bounds over a whole box of motions, and the certificates that record them."""
