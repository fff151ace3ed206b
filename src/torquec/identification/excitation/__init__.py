"""Exciting motions: Fourier series and splines within a robot's limits, optimised with exact gradients and proved."""

from torquec.identification.excitation.criterion import Criterion
from torquec.identification.excitation.excitation import Excitation, excitation
from torquec.identification.excitation.excitation_options import ExcitationOptions, MotionShape
from torquec.identification.excitation.log_excitation import LogExcitation, ParameterExcitation, Rating, log_excitation
from torquec.identification.excitation.regressor_information import regressor_conditions
from torquec.identification.excitation.workspace import Apart, Inside, Outside, Plane, WorkspaceRule, read_workspace

__all__ = [
    "Apart",
    "Criterion",
    "Excitation",
    "ExcitationOptions",
    "Inside",
    "LogExcitation",
    "MotionShape",
    "Outside",
    "ParameterExcitation",
    "Plane",
    "Rating",
    "WorkspaceRule",
    "excitation",
    "log_excitation",
    "read_workspace",
    "regressor_conditions",
]
