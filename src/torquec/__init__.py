"""A compiler for robot dynamics: a robot file in, native callables and C out.

>>> import torquec as tq
>>> arm = tq.compile(tq.classics.planar2r())
>>> arm.inverse_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).shape
(2,)

Names are imported when they are first used, so that `import torquec` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torquec.closedform.closed_form import ClosedForm, Coefficients, closed_form
    from torquec.codegen.target import Target
    from torquec.control.actuator_limits import with_actuator_limits
    from torquec.control.computed_torque import computed_torque, diagonal_computed_torque
    from torquec.control.controller import Controller
    from torquec.control.independent_joint import gravity_compensation, independent_joint
    from torquec.control.law_options import LqrWeights, PidGains
    from torquec.control.lqr import lqr
    from torquec.control.observer import momentum_observer
    from torquec.control.pole_placement import pole_placement
    from torquec.control.poles import joint_poles
    from torquec.control.stability_interval import stability_interval
    from torquec.errors import (
        ArgumentError,
        CheckError,
        CompileError,
        DivergenceError,
        ExpressionError,
        MissingExtraError,
        ModelFileError,
        RobotError,
        RobotFileError,
        TorquecError,
    )
    from torquec.expr import Function
    from torquec.identification.estimators.method import Method
    from torquec.identification.excitation.excitation import Excitation, ExcitationOptions, excitation
    from torquec.identification.identify import identify
    from torquec.identification.identify_options import IdentifyOptions
    from torquec.identification.logs.check_log import check_log
    from torquec.identification.payload import Payload, identify_payload
    from torquec.identification.result.estimate import Estimate
    from torquec.linearization.linearize import LinearModel, check_linear_model, linearize
    from torquec.model.generate import GeneratedPackage, generate
    from torquec.model.model import Model, compile
    from torquec.model.routes import Route
    from torquec.model.save import load_model, save
    from torquec.model.simplified import simplify
    from torquec.model.trade_off import TradeOff, trade_off
    from torquec.parameters.base_parameters import BaseParameters, BasisMethod, base_parameters
    from torquec.parameters.check_base_parameters import check_base_parameters
    from torquec.proof.certificate import Certificate, load_certificate, save_certificate
    from torquec.proof.checker.check_certificate import check_certificate
    from torquec.robot import Robot, attach_payload, classics, load, write_urdf
    from torquec.simplification.specification import Specification, load_specification
    from torquec.simulation.closed_loop import LoopOptions, SimulationResult, simulate
    from torquec.simulation.monte_carlo import Spread, monte_carlo
    from torquec.simulation.mujoco_plant import simulate_on_mujoco
    from torquec.simulation.plant import Plant
    from torquec.simulation.sensors import Sensors
    from torquec.simulation.verify_specification import verify_specification
    from torquec.trajectory import (
        Trajectory,
        check_limits,
        fourier_motion,
        minimum_jerk,
        quintic_spline,
        read_trajectory,
        write_trajectory,
    )
    from torquec.trajectory.log import Log
    from torquec.trajectory.log_map import LogMap, read_log_map
    from torquec.trajectory.read_log import read_log
    from torquec.trajectory.smoothing import smoothed_motion

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "BaseParameters",
    "BasisMethod",
    "Certificate",
    "CheckError",
    "ClosedForm",
    "Coefficients",
    "CompileError",
    "Controller",
    "DivergenceError",
    "Estimate",
    "Excitation",
    "ExcitationOptions",
    "ExpressionError",
    "Function",
    "GeneratedPackage",
    "IdentifyOptions",
    "LinearModel",
    "Log",
    "LogMap",
    "LoopOptions",
    "LqrWeights",
    "Method",
    "MissingExtraError",
    "Model",
    "ModelFileError",
    "Payload",
    "PidGains",
    "Plant",
    "Robot",
    "RobotError",
    "RobotFileError",
    "Route",
    "Sensors",
    "SimulationResult",
    "Specification",
    "Spread",
    "Target",
    "TorquecError",
    "TradeOff",
    "Trajectory",
    "attach_payload",
    "base_parameters",
    "check_base_parameters",
    "check_certificate",
    "check_limits",
    "check_linear_model",
    "check_log",
    "classics",
    "closed_form",
    "compile",
    "computed_torque",
    "diagonal_computed_torque",
    "excitation",
    "fourier_motion",
    "generate",
    "gravity_compensation",
    "identify",
    "identify_payload",
    "independent_joint",
    "joint_poles",
    "linearize",
    "load",
    "load_certificate",
    "load_model",
    "load_specification",
    "lqr",
    "minimum_jerk",
    "momentum_observer",
    "monte_carlo",
    "pole_placement",
    "quintic_spline",
    "read_log",
    "read_log_map",
    "read_trajectory",
    "save",
    "save_certificate",
    "simplify",
    "simulate",
    "simulate_on_mujoco",
    "smoothed_motion",
    "stability_interval",
    "trade_off",
    "verify_specification",
    "with_actuator_limits",
    "write_trajectory",
    "write_urdf",
]

_HOMES = {
    "torquec.trajectory.log": ("Log",),
    "torquec.trajectory.log_map": ("LogMap", "read_log_map"),
    "torquec.trajectory.read_log": ("read_log",),
    "torquec.closedform.closed_form": (
        "ClosedForm",
        "Coefficients",
        "closed_form",
    ),
    "torquec.model.routes": ("Route",),
    "torquec.model.simplified": ("simplify",),
    "torquec.model.trade_off": ("TradeOff", "trade_off"),
    "torquec.proof.certificate": (
        "Certificate",
        "load_certificate",
        "save_certificate",
    ),
    "torquec.proof.checker.check_certificate": ("check_certificate",),
    "torquec.simplification.specification": (
        "Specification",
        "load_specification",
    ),
    "torquec.codegen.target": ("Target",),
    "torquec.control.actuator_limits": ("with_actuator_limits",),
    "torquec.control.computed_torque": ("computed_torque", "diagonal_computed_torque"),
    "torquec.control.controller": ("Controller",),
    "torquec.control.independent_joint": ("gravity_compensation", "independent_joint"),
    "torquec.control.law_options": ("LqrWeights", "PidGains"),
    "torquec.control.lqr": ("lqr",),
    "torquec.control.observer": ("momentum_observer",),
    "torquec.control.pole_placement": ("pole_placement",),
    "torquec.control.poles": ("joint_poles",),
    "torquec.control.stability_interval": ("stability_interval",),
    "torquec.errors": (
        "ArgumentError",
        "CheckError",
        "CompileError",
        "DivergenceError",
        "ExpressionError",
        "MissingExtraError",
        "ModelFileError",
        "RobotError",
        "RobotFileError",
        "TorquecError",
    ),
    "torquec.expr": ("Function",),
    "torquec.identification.logs.check_log": ("check_log",),
    "torquec.identification.result.estimate": ("Estimate",),
    "torquec.identification.excitation.excitation": ("Excitation", "ExcitationOptions", "excitation"),
    "torquec.identification.identify": ("identify",),
    "torquec.identification.identify_options": ("IdentifyOptions",),
    "torquec.identification.estimators.method": ("Method",),
    "torquec.identification.payload": ("Payload", "identify_payload"),
    "torquec.model.generate": ("GeneratedPackage", "generate"),
    "torquec.model.model": ("Model", "compile"),
    "torquec.model.save": ("load_model", "save"),
    "torquec.parameters.base_parameters": ("BaseParameters", "BasisMethod", "base_parameters"),
    "torquec.parameters.check_base_parameters": ("check_base_parameters",),
    "torquec.linearization.linearize": ("LinearModel", "check_linear_model", "linearize"),
    "torquec.robot": ("Robot", "attach_payload", "load", "write_urdf"),
    "torquec.simulation.closed_loop": ("LoopOptions", "SimulationResult", "simulate"),
    "torquec.simulation.monte_carlo": ("Spread", "monte_carlo"),
    "torquec.simulation.mujoco_plant": ("simulate_on_mujoco",),
    "torquec.simulation.plant": ("Plant",),
    "torquec.simulation.sensors": ("Sensors",),
    "torquec.simulation.verify_specification": ("verify_specification",),
    "torquec.trajectory": (
        "Trajectory",
        "check_limits",
        "fourier_motion",
        "minimum_jerk",
        "quintic_spline",
        "read_trajectory",
        "write_trajectory",
    ),
    "torquec.trajectory.smoothing": ("smoothed_motion",),
}


def __getattr__(name: str) -> Any:
    if name == "classics":
        return importlib.import_module("torquec.robot.classics")
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(importlib.import_module(home), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'torquec' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
