"""Friction terms, one object a file: torque, slope, regressor columns and text of each; `TERMS` is the table of them.

A new term is a file here with one object, a row in `TERMS`, and rows for its parameters in
:mod:`torquec.robot.friction_words`. Torques, linear models, simulation, equations, generated code, drives files and
identification then have it.
"""

from torquec.dynamics.friction.direction import Direction, OneWay, Rounded, Step, direction_of
from torquec.dynamics.friction.term import FrictionTerm, ShaftState
from torquec.dynamics.friction.terms import PLAIN_TERMS, TERMS, column_function, refinements, terms_of

__all__ = [
    "PLAIN_TERMS",
    "TERMS",
    "Direction",
    "FrictionTerm",
    "OneWay",
    "Rounded",
    "ShaftState",
    "Step",
    "column_function",
    "direction_of",
    "refinements",
    "terms_of",
]
