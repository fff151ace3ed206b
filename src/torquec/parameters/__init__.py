"""Base parameters: which combinations of the standard parameters determine every torque."""

from torquec.parameters.base_parameters import BaseParameters, BasisMethod, base_parameters
from torquec.parameters.check_base_parameters import BaseCheck, check_base_parameters
from torquec.parameters.minimal_combinations import MinimalCombination, gravity_combinations, minimal_combinations
from torquec.parameters.standard_parameters import ParameterFrames, StandardParameterKind, StandardParameters
from torquec.parameters.symbolic_combinations import SymbolicCombinations, symbolic_combinations

__all__ = [
    "BaseCheck",
    "BaseParameters",
    "BasisMethod",
    "MinimalCombination",
    "ParameterFrames",
    "StandardParameterKind",
    "StandardParameters",
    "SymbolicCombinations",
    "base_parameters",
    "check_base_parameters",
    "gravity_combinations",
    "minimal_combinations",
    "symbolic_combinations",
]
