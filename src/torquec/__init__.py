"""A compiler for robot dynamics: a robot file in, native callables and C out.

>>> import torquec as tq
>>> arm = tq.compile(tq.classics.planar2r())
>>> arm.inverse_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).shape
(2,)

Names are imported when they are first used, so that `import torquec` costs next to nothing. The table `API` is the one
place where a public name is added: `python -m tests.api_page` writes docs/api.md and the stub `typed_names.pyi`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torquec.typed_names import *  # noqa: F403 - made from the table below

__version__ = "0.2.0"

API: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "Robots": {
        "torquec.robot": ("Robot", "attach_payload", "classics", "conventions", "load", "write_mjcf", "write_urdf"),
        "torquec.robot.lock_joints": ("lock_joints",),
        "torquec.robot.drives_library": ("LibraryDrives", "fitting_drives", "library_drives"),
        "torquec.robot.configuration": ("difference", "integrate", "neutral", "random_position"),
        "torquec.robot.loops.condition": ("LoopCondition", "loop_condition"),
    },
    "Models: native callables, files, code": {
        "torquec.model.model": ("Model", "ModelKind", "as_model", "compile"),
        "torquec.model.model_kinds": ("abbreviated_model", "base_parameter_model", "certified_model"),
        "torquec.model.model_parameters": ("ModelParameters", "ParameterFit"),
        "torquec.model.proven": ("Proven", "Standing"),
        "torquec.model.residual_bound": ("ResidualBound", "residual_bounds"),
        "torquec.model.routes": ("Route",),
        "torquec.model.save": ("load_model", "save"),
        "torquec.model.generate": ("GeneratedPackage", "generate", "to_jax", "to_torch"),
        "torquec.codegen.precision": ("Precision",),
        "torquec.codegen.target": ("Target",),
        "torquec.codegen.verify.package": ("verify_package",),
        "torquec.codegen.verify.verification": ("PackageVerification",),
        "torquec.expr": ("Function",),
    },
    "Equations and base parameters": {
        "torquec.closedform.closed_form": ("ClosedForm", "Coefficients", "closed_form"),
        "torquec.closedform.fourier": ("Rule",),
        "torquec.closedform.symbolic_equations": ("SymbolicEquations", "symbolic_equations"),
        "torquec.closedform.symbolic_latex": ("symbolic_latex", "symbolic_text"),
        "torquec.parameters.base_parameters": (
            "BaseParameters",
            "BasisMethod",
            "base_parameters",
            "inertia_combinations",
        ),
        "torquec.parameters.check_base_parameters": ("check_base_parameters",),
        "torquec.parameters.minimal_combinations": (
            "MinimalCombination",
            "gravity_combinations",
            "minimal_combinations",
        ),
        "torquec.parameters.symbolic_combinations": ("symbolic_combinations",),
        "torquec.simplification.fitting.significance": ("armstrong_terms", "significant_parameters"),
    },
    "Simplification and its proof": {
        "torquec.simplification.specification": ("Specification", "load_specification"),
        "torquec.model.simplified": ("TradeOff", "simplify", "trade_off"),
        "torquec.proof.torque.certificate": ("Certificate", "load_certificate", "save_certificate"),
        "torquec.proof.check_certificate": ("check_certificate",),
        "torquec_check.claim": ("Bound", "Claim"),
        "torquec.model.check_file": ("CheckedFile", "CheckedKind"),
        "torquec.realtime.check_file": ("check_file",),
        "torquec.foundation.work": ("Work",),
    },
    "Haptics: virtual objects and contact": {
        "torquec.haptics.virtual_object": (
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
        "torquec.haptics.contact": (
            "Ball",
            "Block",
            "SpringDamper",
            "TouchPoint",
            "Wall",
            "block_corners",
            "contact_field",
            "moved_proxy",
            "obstacle_faces",
            "plastic_impact",
        ),
        "torquec.haptics.contact_experiment": ("PlacedBox", "box_gap", "box_gap_function"),
        "torquec.haptics.guide": ("Guide", "GuideShape", "guide_field", "joined_fields"),
    },
    "Haptics: admittance control, experiments, devices": {
        "torquec.haptics.admittance": ("Admittance", "admittance"),
        "torquec.haptics.admittance_options": ("AdmittanceOptions", "HapticCaps", "HapticStatus", "ToolLoad"),
        "torquec.haptics.haptic_device": (
            "HapticDevice",
            "MouseDevice",
            "RecordedForces",
            "SharedMemoryDevice",
            "ShownMotion",
            "read_recorded_forces",
            "run_device",
        ),
        "torquec.haptics.rendered_object": ("RenderedObject",),
        "torquec.haptics.force_sensor": ("ForceSensor",),
        "torquec.haptics.haptic_loop": ("HapticLoop", "HapticRecording", "HapticSetting"),
        "torquec.haptics.simulated_hand": ("HandImpedance",),
        "torquec.haptics.haptic_choices": ("HapticExperiment",),
        "torquec.haptics.haptic_plan": ("ExperimentOptions",),
        "torquec.haptics.haptic_experiment": ("ExperimentResult", "run_experiment"),
    },
    "Haptics: passivity": {
        "torquec.haptics.haptic_port": ("HapticPort", "haptic_port"),
        "torquec.haptics.port_loop": ("Grip", "PortLoop", "RenderedImpedance"),
        "torquec.haptics.haptic_choices": ("RenderingKind",),
        "torquec.haptics.haptic_region": ("HapticRegion", "haptic_region"),
        "torquec.haptics.coupled_passivity": ("passivity_margin",),
        "torquec.haptics.passive_hand": ("PassiveHands", "SwitchedHands", "arm_hand", "random_hands"),
        "torquec.haptics.coupled_loop": ("coupled_loop",),
        "torquec.haptics.cutoff_stability": ("cutoff_stability",),
        "torquec.haptics.destabilizing_hand": ("destabilizing_hand",),
        "torquec.haptics.passivity_controller": ("force_lag", "passivity_controller_function"),
    },
    "Time-optimal motion": {
        "torquec.planning.time_optimal": ("LimitingSpan", "TimeOptimalMotion", "time_optimal"),
        "torquec.planning.joint_path": ("JointPath", "joint_path"),
        "torquec.planning.cartesian_path": ("cartesian_path",),
        "torquec.planning.planning_limits": ("LimitingKind", "PlanningLimits"),
        "torquec.planning.limited_path": ("MotionBounds",),
    },
    "Inverse kinematics": {
        "torquec.kinematics.inverse_kinematics": ("inverse_kinematics",),
        "torquec.kinematics.closed_kinematics": ("InverseKinematics", "KinematicsMethod"),
        "torquec.kinematics.iterative_kinematics": ("IterativeKinematics",),
        "torquec.kinematics.best_pose": ("BestPose", "best_pose"),
        "torquec.kinematics.kinematics_task": ("KinematicsTask", "PoseObjective", "PoseTolerance"),
        "torquec.kinematics.kinematics_package": ("write_kinematics_package",),
        "torquec.kinematics.arm_poses": ("ArmPoses", "BranchStatus", "NearestPose", "TrackedPath"),
        "torquec.kinematics.arm_geometry": ("ArmFamily",),
        "torquec.kinematics.free_joint": ("FreeIntervals",),
        "torquec.kinematics.joint_rates": ("JointRates", "NearestMotion"),
    },
    "Linear models": {"torquec.linearization.linearize": ("LinearModel", "check_linear_model", "linearize")},
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
        "torquec.identification.excitation.excitation": ("Excitation", "excitation"),
        "torquec.identification.excitation.excitation_options": ("ExcitationOptions",),
        "torquec.identification.identify_options": ("IdentifyOptions",),
        "torquec.identification.estimators.method": ("Method",),
        "torquec.identification.identify": ("identify",),
        "torquec.identification.result.estimate": ("Estimate", "identified_model"),
        "torquec.identification.floating_base": ("MotionLog", "identify_motion", "read_motion_log"),
        "torquec.identification.payload": ("Payload", "identify_payload"),
    },
    "Controllers": {
        "torquec.control.controller": ("Controller",),
        "torquec.control.poles": ("joint_poles",),
        "torquec.control.law_options": ("ControllerOptions", "LawKind", "LqrWeights", "PidGains"),
        "torquec.control.laws": ("make_law",),
        "torquec.control.pole_placement": ("pole_placement", "pole_placement_gains"),
        "torquec.control.computed_torque": ("computed_torque", "diagonal_computed_torque"),
        "torquec.control.robust_computed_torque": (
            "RobustTerm",
            "UltimateBound",
            "robust_computed_torque",
            "ultimate_bounds",
        ),
        "torquec.control.slotine_li": ("slotine_li",),
        "torquec.control.independent_joint": ("gravity_compensation", "independent_joint"),
        "torquec.control.lqr": ("lqr",),
        "torquec.control.actuator_limits": ("with_actuator_limits",),
        "torquec.control.observer": ("detectable_force", "momentum_observer"),
        "torquec.control.controller_file": ("read_controller", "read_estimator", "read_observer", "write_controller"),
        "torquec.control.recursive_estimator": ("RecursiveEstimator", "recursive_estimator"),
        "torquec.control.stability_interval": ("stability_interval",),
        "torquec.control.payload_limits": ("PayloadLimits", "payload_limits"),
        "torquec.control.tracked_loop": ("TrackedLoop",),
        "torquec.control.guarantee_design": ("GuaranteeDesign", "design_for_guarantee"),
        "torquec.control.largest_set": ("LargestSet", "largest_set"),
        "torquec.control.tracking_budget": (
            "TrackedModel",
            "TrackingBudget",
            "simplify_for_tracking",
            "tracking_budget",
        ),
        "torquec.control.tracking_guarantee": ("StartError", "TrackingGuarantee", "tracking_guarantee"),
        "torquec.control.tracking_witness": ("TrackingWitness", "tracking_witness"),
        "torquec.control.uncertainty": (
            "BodyUncertainty",
            "JointUncertainty",
            "PayloadUncertainty",
            "TimingUncertainty",
            "Uncertainty",
            "load_uncertainty",
        ),
    },
    "Simulation and comparison": {
        "torquec.simulation.plant": ("Plant",),
        "torquec.simulation.applied_forces": ("FrameWrench", "HandHold", "HeldPayload", "WallContact"),
        "torquec.simulation.sensors": ("Sensors",),
        "torquec.simulation.simulation_result": ("SimulationResult",),
        "torquec.simulation.worst_plant": ("Attack", "worst_plant"),
        "torquec.simulation.closed_loop": ("LoopOptions", "follow_in_open_loop", "simulate"),
        "torquec.simulation.free_motion": ("MotionRun", "simulate_motion", "write_motion"),
        "torquec.simulation.observed_run": ("EstimatedRun", "ObservedRun", "estimated_run", "observed_run"),
        "torquec.simulation.monte_carlo": ("Spread", "monte_carlo"),
        "torquec.simulation.mujoco_plant": ("simulate_on_mujoco",),
        "torquec.simulation.verify_specification": ("verify_specification",),
        "torquec.simulation.comparison_of_controllers": ("compare_controllers",),
        "torquec.simulation.comparison_of_models": ("ModelComparison", "compare"),
        "torquec.realtime.background_period": ("FrictionTask",),
        "torquec.proof.hold.hold_order": ("HoldOrder",),
        "torquec.realtime.two_rate": ("two_rate",),
        "torquec.proof.hold.held_torque_bound": ("HoldBound",),
        "torquec.realtime.plan": ("hold_bound", "plan_background"),
        "torquec.realtime.package": ("TwoRatePackage", "write_two_rate_package"),
        "torquec.realtime.ros2_package": ("Ros2Package", "write_ros2_package"),
        "torquec.realtime.fmu_package": ("FmuPackage", "write_fmu_package"),
    },
    "The model in a page": {"torquec.page.view_page": ("View", "show", "view_page")},
    "A law on a robot, in real time (`torquec.realtime.run`)": {
        "torquec.realtime.runtime.run": ("DeadlineSource", "RunOptions"),
        "torquec.realtime.runtime.guards": ("Fault", "Guards", "RunEnd"),
        "torquec.realtime.runtime.ros2_robot": ("Ros2Robot",),
        "torquec.realtime.runtime.drivers": ("LibraryRobot", "SharedMemoryRobot", "SharedRobot", "SimulatedRobot"),
        "torquec.realtime.runtime.run_result": ("RealtimeResult", "RunStatus"),
    },
    "The papers' own methods": {
        "torquec.papers.comparisons": (
            "DifferenceKind",
            "PaperComparison",
            "PrintedRow",
            "paper_comparison",
            "paper_comparisons",
        ),
        "torquec.papers.inertial_power": ("InertialModel", "mass_point_sum"),
        "torquec.papers.augmented_body": ("augmented_body", "link_sum"),
        "torquec.papers.influence_counts": ("InfluenceCount", "influence_counts"),
        "torquec.papers.influence_loads": ("PointSpring", "influence_loads"),
        "torquec.papers.renaud_formulation": ("renaud_gravity_torque", "renaud_mass_matrix"),
        "torquec.papers.inward_basis": ("InwardBasis", "inward_basis"),
        "torquec.papers.elimination": ("Elimination", "eliminate", "log_elimination"),
        "torquec.papers.simulated_runs": ("MeasurementNoise", "simulated_runs"),
        "torquec.papers.cycle_table": ("CycleTable", "cycle_table"),
        "torquec.simplification.fitting.survivor_search": ("min_basis_gen",),
    },
    "Whole runs and the self-test": {
        "torquec.project.read_project": ("read_project",),
        "torquec.project.run_project": ("RunResult", "run_project"),
        "torquec.project.project": ("Project",),
        "torquec.project.project_text": ("project_text",),
        "torquec.project.self_test": ("SelfTestRow", "self_test"),
    },
    "Errors": {
        "torquec.errors": (
            "ArgumentError",
            "CheckError",
            "CompileError",
            "DivergenceError",
            "ExpressionError",
            "FixedBaseWarning",
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
        )
    },
}
"""Public names by task, and by the module that holds them."""

_HOMES = {name: home for homes in API.values() for home, names in homes.items() for name in names}

__all__ = sorted(_HOMES)  # noqa: PLE0605 - made from the table


if not TYPE_CHECKING:  # the stub lists every name, so that a misspelt one is an error

    def __getattr__(name: str) -> Any:
        if name == "realtime":  # a subpackage that is public itself: tq.realtime.run
            return importlib.import_module("torquec.realtime")
        if name not in _HOMES:
            raise AttributeError(f"module 'torquec' has no attribute '{name}'")
        home = importlib.import_module(_HOMES[name])
        value = getattr(home, name) if hasattr(home, name) else importlib.import_module(f"{_HOMES[name]}.{name}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
