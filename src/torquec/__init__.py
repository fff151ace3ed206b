"""A compiler for robot dynamics: a robot file in, native callables and C out.

>>> import torquec as tq
>>> tq.__version__
'0.1.0'
"""

__version__ = "0.1.0"
