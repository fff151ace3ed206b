"""Minimal combinations that determine the inertia matrix H alone (Lin 1994, Theorems 2 and 3).

(1)  A set determines H if and only if it determines the torques without gravity                            (Theorem 3)
(2)  The sets of H and of gravity together span the set of the torques                                      (Theorem 2)

Lin constructs the set of H from that of the torques (his equation (61)); here it is the base of the robot without
gravity, by exact elimination, which by (1) spans the same space. It is smaller where gravity alone tells some moments
apart: 34 instead of 36 for the PUMA 560.
"""

from __future__ import annotations

from dataclasses import replace

from torquec.parameters.base_parameters import BaseParameters, BasisMethod, base_parameters
from torquec.robot.robot import Robot


def inertia_combinations(robot: Robot) -> BaseParameters:
    """The combinations of the links' parameters that H(q) determines and is determined by; no rotors, no friction.

    Any robot has them, trees and mimic joints included.

    >>> from torquec.robot import classics
    >>> len(inertia_combinations(classics.puma560()))
    34
    """
    without = replace(robot, gravity=(0.0, 0.0, 0.0))
    return base_parameters(without, method=BasisMethod.ELIMINATION, motors=False)
