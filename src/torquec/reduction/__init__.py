"""Reductions: what of a robot's parameters matters, with records and independent checks."""

from torquec.reduction.parameters.base_parameters import BaseParameters, BasisMethod, base_parameters
from torquec.reduction.parameters.check_base_parameters import BaseCheck, check_base_parameters
from torquec.reduction.parameters.equivalence import BaseMap, map_between
from torquec.reduction.parameters.minimal_combinations import (
    MinimalCombination,
    gravity_combinations,
    minimal_combinations,
)
from torquec.reduction.parameters.standard_parameters import ParameterFrames, ParameterKind, StandardParameters
from torquec.reduction.parameters.symbolic_combinations import SymbolicCombinations, symbolic_combinations

__all__ = [
    "BaseCheck",
    "BaseMap",
    "BaseParameters",
    "BasisMethod",
    "MinimalCombination",
    "ParameterFrames",
    "ParameterKind",
    "StandardParameters",
    "SymbolicCombinations",
    "base_parameters",
    "check_base_parameters",
    "gravity_combinations",
    "map_between",
    "minimal_combinations",
    "symbolic_combinations",
]
