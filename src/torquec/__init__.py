"""A compiler for robot dynamics: a robot file in, native callables and C out.

>>> import torquec as tq
>>> arm = tq.compile(tq.classics.planar2r())
>>> arm.inverse_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).shape
(2,)

Names are imported when they are first used, so that `import torquec` costs next to nothing. The table `API` is the one
place where a public name is added: `python -m tests.api_page` makes docs/api.md and the imports for type checkers.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torquec.closedform.closed_form import ClosedForm as ClosedForm
    from torquec.closedform.closed_form import Coefficients as Coefficients
    from torquec.closedform.closed_form import closed_form as closed_form
    from torquec.closedform.rule import Rule as Rule
    from torquec.codegen.precision import Precision as Precision
    from torquec.codegen.target import Target as Target
    from torquec.control.actuator_limits import with_actuator_limits as with_actuator_limits
    from torquec.control.admittance import Admittance as Admittance
    from torquec.control.admittance import admittance as admittance
    from torquec.control.admittance_options import AdmittanceOptions as AdmittanceOptions
    from torquec.control.computed_torque import computed_torque as computed_torque
    from torquec.control.computed_torque import diagonal_computed_torque as diagonal_computed_torque
    from torquec.control.controller import Controller as Controller
    from torquec.control.controller_file import read_controller as read_controller
    from torquec.control.controller_file import read_observer as read_observer
    from torquec.control.controller_file import write_controller as write_controller
    from torquec.control.haptic_caps import HapticCaps as HapticCaps
    from torquec.control.haptic_caps import HapticStatus as HapticStatus
    from torquec.control.independent_joint import gravity_compensation as gravity_compensation
    from torquec.control.independent_joint import independent_joint as independent_joint
    from torquec.control.law_options import ControllerOptions as ControllerOptions
    from torquec.control.law_options import LawKind as LawKind
    from torquec.control.law_options import LqrWeights as LqrWeights
    from torquec.control.law_options import PidGains as PidGains
    from torquec.control.laws import make_law as make_law
    from torquec.control.lqr import lqr as lqr
    from torquec.control.observer import momentum_observer as momentum_observer
    from torquec.control.pole_placement import pole_placement as pole_placement
    from torquec.control.pole_placement import pole_placement_gains as pole_placement_gains
    from torquec.control.poles import joint_poles as joint_poles
    from torquec.control.rendered_object import RenderedObject as RenderedObject
    from torquec.control.stability_interval import stability_interval as stability_interval
    from torquec.control.tool_load import ToolLoad as ToolLoad
    from torquec.control.tracking_guarantee import TrackingGuarantee as TrackingGuarantee
    from torquec.control.tracking_guarantee import tracking_guarantee as tracking_guarantee
    from torquec.dynamics.box_collision import PlacedBox as PlacedBox
    from torquec.dynamics.box_collision import box_gap as box_gap
    from torquec.dynamics.box_collision import box_gap_function as box_gap_function
    from torquec.dynamics.contact import Ball as Ball
    from torquec.dynamics.contact import Block as Block
    from torquec.dynamics.contact import SpringDamper as SpringDamper
    from torquec.dynamics.contact import TouchPoint as TouchPoint
    from torquec.dynamics.contact import Wall as Wall
    from torquec.dynamics.contact import block_corners as block_corners
    from torquec.dynamics.contact import contact_field as contact_field
    from torquec.dynamics.contact import plastic_impact as plastic_impact
    from torquec.dynamics.guide import Guide as Guide
    from torquec.dynamics.guide import GuideShape as GuideShape
    from torquec.dynamics.guide import guide_field as guide_field
    from torquec.dynamics.guide import joined_fields as joined_fields
    from torquec.dynamics.proxy import moved_proxy as moved_proxy
    from torquec.dynamics.proxy import obstacle_faces as obstacle_faces
    from torquec.dynamics.virtual_object import ObjectParameters as ObjectParameters
    from torquec.dynamics.virtual_object import ObjectState as ObjectState
    from torquec.dynamics.virtual_object import ObjectWrench as ObjectWrench
    from torquec.dynamics.virtual_object import PointMotion as PointMotion
    from torquec.dynamics.virtual_object import VirtualObject as VirtualObject
    from torquec.dynamics.virtual_object import contact_motion as contact_motion
    from torquec.dynamics.virtual_object import object_acceleration as object_acceleration
    from torquec.dynamics.virtual_object import object_energy as object_energy
    from torquec.dynamics.virtual_object import object_momentum as object_momentum
    from torquec.dynamics.virtual_object import object_step as object_step
    from torquec.dynamics.virtual_object import virtual_object_function as virtual_object_function
    from torquec.errors import ArgumentError as ArgumentError
    from torquec.errors import CheckError as CheckError
    from torquec.errors import CompileError as CompileError
    from torquec.errors import DivergenceError as DivergenceError
    from torquec.errors import ExpressionError as ExpressionError
    from torquec.errors import MissingExtraError as MissingExtraError
    from torquec.errors import ModelFileError as ModelFileError
    from torquec.errors import RefusedQuantityError as RefusedQuantityError
    from torquec.errors import RobotError as RobotError
    from torquec.errors import RobotFileError as RobotFileError
    from torquec.errors import SnapWarning as SnapWarning
    from torquec.errors import SpecificationError as SpecificationError
    from torquec.errors import TimeLimitError as TimeLimitError
    from torquec.errors import TorquecError as TorquecError
    from torquec.errors import UnitWarning as UnitWarning
    from torquec.expr import Function as Function
    from torquec.foundation.work import Work as Work
    from torquec.identification.estimators.method import Method as Method
    from torquec.identification.excitation.excitation import Excitation as Excitation
    from torquec.identification.excitation.excitation import ExcitationOptions as ExcitationOptions
    from torquec.identification.excitation.excitation import excitation as excitation
    from torquec.identification.identify import identify as identify
    from torquec.identification.identify_options import IdentifyOptions as IdentifyOptions
    from torquec.identification.logs.check_log import check_log as check_log
    from torquec.identification.payload import Payload as Payload
    from torquec.identification.payload import identify_payload as identify_payload
    from torquec.identification.result.estimate import Estimate as Estimate
    from torquec.identification.result.identified_model import identified_model as identified_model
    from torquec.kinematics.arm_branch import ArmFamily as ArmFamily
    from torquec.kinematics.arm_poses import ArmPoses as ArmPoses
    from torquec.kinematics.arm_poses import BranchStatus as BranchStatus
    from torquec.kinematics.arm_poses import NearestPose as NearestPose
    from torquec.kinematics.closed_kinematics import InverseKinematics as InverseKinematics
    from torquec.kinematics.closed_kinematics import KinematicsMethod as KinematicsMethod
    from torquec.kinematics.free_interval import FreeIntervals as FreeIntervals
    from torquec.kinematics.inverse_kinematics import inverse_kinematics as inverse_kinematics
    from torquec.kinematics.iterative_kinematics import IterativeKinematics as IterativeKinematics
    from torquec.kinematics.joint_rates import JointRates as JointRates
    from torquec.kinematics.tracked_path import TrackedPath as TrackedPath
    from torquec.linearization.linearize import LinearModel as LinearModel
    from torquec.linearization.linearize import check_linear_model as check_linear_model
    from torquec.linearization.linearize import linearize as linearize
    from torquec.model.abbreviated_model import abbreviated_model as abbreviated_model
    from torquec.model.base_parameter_model import base_parameter_model as base_parameter_model
    from torquec.model.certified_model import certified_model as certified_model
    from torquec.model.check_file import CheckedFile as CheckedFile
    from torquec.model.check_file import CheckedKind as CheckedKind
    from torquec.model.check_file import check_file as check_file
    from torquec.model.claim import Claim as Claim
    from torquec.model.generate import GeneratedPackage as GeneratedPackage
    from torquec.model.generate import generate as generate
    from torquec.model.model import Model as Model
    from torquec.model.model import ModelKind as ModelKind
    from torquec.model.model import as_model as as_model
    from torquec.model.model import compile as compile
    from torquec.model.model_parameters import ModelParameters as ModelParameters
    from torquec.model.model_parameters import ParameterFit as ParameterFit
    from torquec.model.proven import Proven as Proven
    from torquec.model.proven import Standing as Standing
    from torquec.model.routes import Route as Route
    from torquec.model.save import load_model as load_model
    from torquec.model.save import save as save
    from torquec.model.simplified import simplify as simplify
    from torquec.model.trade_off import TradeOff as TradeOff
    from torquec.model.trade_off import trade_off as trade_off
    from torquec.parameters.base_parameters import BaseParameters as BaseParameters
    from torquec.parameters.base_parameters import BasisMethod as BasisMethod
    from torquec.parameters.base_parameters import base_parameters as base_parameters
    from torquec.parameters.check_base_parameters import check_base_parameters as check_base_parameters
    from torquec.parameters.inertia_combinations import inertia_combinations as inertia_combinations
    from torquec.parameters.minimal_combinations import MinimalCombination as MinimalCombination
    from torquec.parameters.minimal_combinations import gravity_combinations as gravity_combinations
    from torquec.parameters.minimal_combinations import minimal_combinations as minimal_combinations
    from torquec.parameters.symbolic_combinations import symbolic_combinations as symbolic_combinations
    from torquec.proof.certificate import Certificate as Certificate
    from torquec.proof.certificate import load_certificate as load_certificate
    from torquec.proof.certificate import save_certificate as save_certificate
    from torquec.proof.checker.check_certificate import check_certificate as check_certificate
    from torquec.realtime.choices import FrictionTask as FrictionTask
    from torquec.realtime.choices import HoldOrder as HoldOrder
    from torquec.realtime.hold_bound import HoldBound as HoldBound
    from torquec.realtime.hold_bound import hold_bound as hold_bound
    from torquec.realtime.package import TwoRatePackage as TwoRatePackage
    from torquec.realtime.package import write_two_rate_package as write_two_rate_package
    from torquec.realtime.plan import plan_background as plan_background
    from torquec.realtime.two_rate import two_rate as two_rate
    from torquec.robot import Robot as Robot
    from torquec.robot import attach_payload as attach_payload
    from torquec.robot import classics as classics
    from torquec.robot import load as load
    from torquec.robot import write_mjcf as write_mjcf
    from torquec.robot import write_urdf as write_urdf
    from torquec.robot.lock_joints import lock_joints as lock_joints
    from torquec.simplification.fitting.significance import armstrong_terms as armstrong_terms
    from torquec.simplification.fitting.significance import significant_parameters as significant_parameters
    from torquec.simplification.fitting.survivor_search import min_basis_gen as min_basis_gen
    from torquec.simplification.specification import Specification as Specification
    from torquec.simplification.specification import load_specification as load_specification
    from torquec.simulation.closed_loop import LoopOptions as LoopOptions
    from torquec.simulation.closed_loop import SimulationResult as SimulationResult
    from torquec.simulation.closed_loop import simulate as simulate
    from torquec.simulation.comparison_of_models import ModelComparison as ModelComparison
    from torquec.simulation.comparison_of_models import compare as compare
    from torquec.simulation.force_sensor import ForceSensor as ForceSensor
    from torquec.simulation.frame_wrench import FrameWrench as FrameWrench
    from torquec.simulation.haptic_loop import HapticLoop as HapticLoop
    from torquec.simulation.haptic_loop import HapticRecording as HapticRecording
    from torquec.simulation.haptic_loop import HapticSetting as HapticSetting
    from torquec.simulation.held_payload import HeldPayload as HeldPayload
    from torquec.simulation.monte_carlo import Spread as Spread
    from torquec.simulation.monte_carlo import monte_carlo as monte_carlo
    from torquec.simulation.mujoco_plant import simulate_on_mujoco as simulate_on_mujoco
    from torquec.simulation.open_loop import follow_in_open_loop as follow_in_open_loop
    from torquec.simulation.plant import Plant as Plant
    from torquec.simulation.sensors import Sensors as Sensors
    from torquec.simulation.simulated_hand import HandImpedance as HandImpedance
    from torquec.simulation.spring_hold import HandHold as HandHold
    from torquec.simulation.spring_hold import WallContact as WallContact
    from torquec.simulation.verify_specification import verify_specification as verify_specification
    from torquec.trajectory import Trajectory as Trajectory
    from torquec.trajectory import check_limits as check_limits
    from torquec.trajectory import fourier_motion as fourier_motion
    from torquec.trajectory import minimum_jerk as minimum_jerk
    from torquec.trajectory import quintic_spline as quintic_spline
    from torquec.trajectory import read_trajectory as read_trajectory
    from torquec.trajectory import write_trajectory as write_trajectory
    from torquec.trajectory.log import Log as Log
    from torquec.trajectory.log_map import LogMap as LogMap
    from torquec.trajectory.log_map import read_log_map as read_log_map
    from torquec.trajectory.read_log import read_log as read_log
    from torquec.trajectory.smoothing import acceleration_estimate as acceleration_estimate
    from torquec.trajectory.smoothing import smoothed_motion as smoothed_motion

__version__ = "0.1.0"

API: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "Robots": {
        "torquec.robot": ("Robot", "attach_payload", "classics", "load", "write_mjcf", "write_urdf"),
        "torquec.robot.lock_joints": ("lock_joints",),
    },
    "Models: native callables, files, code": {
        "torquec.model.model": ("Model", "ModelKind", "as_model", "compile"),
        "torquec.model.base_parameter_model": ("base_parameter_model",),
        "torquec.model.abbreviated_model": ("abbreviated_model",),
        "torquec.model.certified_model": ("certified_model",),
        "torquec.model.model_parameters": ("ModelParameters", "ParameterFit"),
        "torquec.model.proven": ("Proven", "Standing"),
        "torquec.model.routes": ("Route",),
        "torquec.model.save": ("load_model", "save"),
        "torquec.model.generate": ("GeneratedPackage", "generate"),
        "torquec.codegen.precision": ("Precision",),
        "torquec.codegen.target": ("Target",),
        "torquec.expr": ("Function",),
    },
    "Equations and base parameters": {
        "torquec.closedform.closed_form": ("ClosedForm", "Coefficients", "closed_form"),
        "torquec.closedform.rule": ("Rule",),
        "torquec.parameters.base_parameters": ("BaseParameters", "BasisMethod", "base_parameters"),
        "torquec.parameters.check_base_parameters": ("check_base_parameters",),
        "torquec.parameters.minimal_combinations": (
            "MinimalCombination",
            "gravity_combinations",
            "minimal_combinations",
        ),
        "torquec.parameters.inertia_combinations": ("inertia_combinations",),
        "torquec.parameters.symbolic_combinations": ("symbolic_combinations",),
        "torquec.simplification.fitting.significance": ("armstrong_terms", "significant_parameters"),
    },
    "Simplification and its proof": {
        "torquec.simplification.specification": ("Specification", "load_specification"),
        "torquec.model.simplified": ("simplify",),
        "torquec.model.trade_off": ("TradeOff", "trade_off"),
        "torquec.simplification.fitting.survivor_search": ("min_basis_gen",),
        "torquec.proof.certificate": ("Certificate", "load_certificate", "save_certificate"),
        "torquec.proof.checker.check_certificate": ("check_certificate",),
        "torquec.model.claim": ("Claim",),
        "torquec.model.check_file": ("CheckedFile", "CheckedKind", "check_file"),
        "torquec.foundation.work": ("Work",),
    },
    "Virtual objects and contact": {
        "torquec.dynamics.virtual_object": (
            "ObjectParameters",
            "ObjectState",
            "ObjectWrench",
            "PointMotion",
            "VirtualObject",
            "contact_motion",
            "object_acceleration",
            "object_energy",
            "object_momentum",
            "object_step",
            "virtual_object_function",
        ),
        "torquec.dynamics.contact": (
            "Ball",
            "Block",
            "SpringDamper",
            "TouchPoint",
            "Wall",
            "block_corners",
            "contact_field",
            "plastic_impact",
        ),
        "torquec.dynamics.proxy": ("moved_proxy", "obstacle_faces"),
        "torquec.dynamics.box_collision": ("PlacedBox", "box_gap", "box_gap_function"),
        "torquec.dynamics.guide": ("Guide", "GuideShape", "guide_field", "joined_fields"),
    },
    "Haptic interaction": {
        "torquec.control.admittance": ("Admittance", "admittance"),
        "torquec.control.admittance_options": ("AdmittanceOptions",),
        "torquec.control.haptic_caps": ("HapticCaps", "HapticStatus"),
        "torquec.control.rendered_object": ("RenderedObject",),
        "torquec.control.tool_load": ("ToolLoad",),
        "torquec.simulation.force_sensor": ("ForceSensor",),
        "torquec.simulation.haptic_loop": ("HapticLoop", "HapticRecording", "HapticSetting"),
        "torquec.simulation.simulated_hand": ("HandImpedance",),
    },
    "Inverse kinematics": {
        "torquec.kinematics.inverse_kinematics": ("inverse_kinematics",),
        "torquec.kinematics.closed_kinematics": ("InverseKinematics", "KinematicsMethod"),
        "torquec.kinematics.iterative_kinematics": ("IterativeKinematics",),
        "torquec.kinematics.arm_poses": ("ArmPoses", "BranchStatus", "NearestPose"),
        "torquec.kinematics.arm_branch": ("ArmFamily",),
        "torquec.kinematics.free_interval": ("FreeIntervals",),
        "torquec.kinematics.tracked_path": ("TrackedPath",),
        "torquec.kinematics.joint_rates": ("JointRates",),
    },
    "Linear models": {
        "torquec.linearization.linearize": ("LinearModel", "check_linear_model", "linearize"),
    },
    "Trajectories and logs": {
        "torquec.trajectory": (
            "Trajectory",
            "check_limits",
            "fourier_motion",
            "minimum_jerk",
            "quintic_spline",
            "read_trajectory",
            "write_trajectory",
        ),
        "torquec.trajectory.smoothing": ("acceleration_estimate", "smoothed_motion"),
        "torquec.trajectory.log": ("Log",),
        "torquec.trajectory.log_map": ("LogMap", "read_log_map"),
        "torquec.trajectory.read_log": ("read_log",),
    },
    "Identification": {
        "torquec.identification.logs.check_log": ("check_log",),
        "torquec.identification.excitation.excitation": ("Excitation", "ExcitationOptions", "excitation"),
        "torquec.identification.identify_options": ("IdentifyOptions",),
        "torquec.identification.estimators.method": ("Method",),
        "torquec.identification.identify": ("identify",),
        "torquec.identification.result.estimate": ("Estimate",),
        "torquec.identification.result.identified_model": ("identified_model",),
        "torquec.identification.payload": ("Payload", "identify_payload"),
    },
    "Controllers": {
        "torquec.control.controller": ("Controller",),
        "torquec.control.poles": ("joint_poles",),
        "torquec.control.law_options": ("ControllerOptions", "LawKind", "LqrWeights", "PidGains"),
        "torquec.control.laws": ("make_law",),
        "torquec.control.pole_placement": ("pole_placement", "pole_placement_gains"),
        "torquec.control.computed_torque": ("computed_torque", "diagonal_computed_torque"),
        "torquec.control.independent_joint": ("gravity_compensation", "independent_joint"),
        "torquec.control.lqr": ("lqr",),
        "torquec.control.actuator_limits": ("with_actuator_limits",),
        "torquec.control.observer": ("momentum_observer",),
        "torquec.control.controller_file": ("read_controller", "read_observer", "write_controller"),
        "torquec.control.stability_interval": ("stability_interval",),
        "torquec.control.tracking_guarantee": ("TrackingGuarantee", "tracking_guarantee"),
    },
    "Simulation and comparison": {
        "torquec.simulation.plant": ("Plant",),
        "torquec.simulation.frame_wrench": ("FrameWrench",),
        "torquec.simulation.held_payload": ("HeldPayload",),
        "torquec.simulation.spring_hold": ("HandHold", "WallContact"),
        "torquec.simulation.sensors": ("Sensors",),
        "torquec.simulation.closed_loop": ("LoopOptions", "SimulationResult", "simulate"),
        "torquec.simulation.open_loop": ("follow_in_open_loop",),
        "torquec.simulation.monte_carlo": ("Spread", "monte_carlo"),
        "torquec.simulation.mujoco_plant": ("simulate_on_mujoco",),
        "torquec.simulation.verify_specification": ("verify_specification",),
        "torquec.simulation.comparison_of_models": ("ModelComparison", "compare"),
        "torquec.realtime.choices": ("FrictionTask", "HoldOrder"),
        "torquec.realtime.two_rate": ("two_rate",),
        "torquec.realtime.hold_bound": ("HoldBound", "hold_bound"),
        "torquec.realtime.plan": ("plan_background",),
        "torquec.realtime.package": ("TwoRatePackage", "write_two_rate_package"),
    },
    "Errors": {
        "torquec.errors": (
            "ArgumentError",
            "CheckError",
            "CompileError",
            "DivergenceError",
            "ExpressionError",
            "MissingExtraError",
            "ModelFileError",
            "RefusedQuantityError",
            "RobotError",
            "RobotFileError",
            "SnapWarning",
            "UnitWarning",
            "SpecificationError",
            "TimeLimitError",
            "TorquecError",
        ),
    },
}
"""Public names by task, and by the module that holds them."""

_HOMES = {name: home for homes in API.values() for home, names in homes.items() for name in names}

__all__ = sorted(_HOMES)  # noqa: PLE0605 - made from the table


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'torquec' has no attribute '{name}'")
    home = importlib.import_module(_HOMES[name])
    value = getattr(home, name) if hasattr(home, name) else importlib.import_module(f"{_HOMES[name]}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
