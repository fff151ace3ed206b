"""One small model of every kind, made without a search: certified ones from a hand-shortened program."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pytest

from torquec.closedform.fourier import Rule
from torquec.dynamics.mechanism import mechanism
from torquec.model.model import Model, compile
from torquec.model.model_kinds import abbreviated_model, base_parameter_model, certified_model
from torquec.model.model_parameters import ModelKind, ModelParameters
from torquec.proof.torque.certificate import Certificate, JointProof
from torquec.proof.torque.certify_coefficients import exact_bounds
from torquec.proof.torque.coefficient_certificate import CoefficientCertificate
from torquec.robot.classics import load_classic
from torquec.robot.friction import Friction
from torquec.robot.load import load
from torquec.robot.lock_joints import lock_joints
from torquec.robot.robot import Robot, Spring
from torquec.simplification.moment_costs import torque_program
from torquec.trajectory.motion_box import MotionBox

MODELS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "models"
ROBOTS = ("puma560", "scara", "ur5", "panda")


@cache
def robot_of(name: str) -> Robot:
    """A robot by name, with friction on its first joint and a spring on its second."""
    path = MODELS / f"{name}.urdf"
    if name in ("puma560", "scara", "stanford", "planar3r"):
        robot = load_classic(name)
    elif path.exists():
        robot = load(path)
    else:
        pytest.skip(f"{path.name} is not here")
    first, second, *others = robot.bodies
    first = replace(first, joint=replace(first.joint, friction=Friction.symmetric(0.3, 0.2)))
    second = replace(second, joint=replace(second.joint, spring=Spring(1.5, 0.2)))
    return replace(robot, bodies=(first, second, *others))


def motions_of(robot: Robot) -> MotionBox:
    """A box of motions around the middle of the joints' ranges."""
    n = robot.n
    lower = tuple(0.02 if joint.type.is_prismatic else -0.6 for joint in robot.joints)
    upper = tuple(0.1 if joint.type.is_prismatic else 0.9 for joint in robot.joints)
    return MotionBox(lower, upper, (1.0,) * n, (2.0,) * n)


def _weakened(robot: Robot, part: float = 0.9) -> Certificate:
    """The recursion with the moments of a middle link a little smaller; what is proven of it is made up."""
    m = mechanism(robot)
    moments, k = list(m.moments), len(m.moments) // 2
    moments[k] = type(moments[k])(*(part * value for value in moments[k].values))
    program = replace(torque_program(replace(m, moments=tuple(moments))), name="inverse_dynamics")
    proofs = {name: JointProof(1.0, 0.5) for name in robot.joint_names}
    return Certificate(robot.name, robot.content_hash, program, motions_of(robot), proofs)


def _identified(robot: Robot) -> Model:
    parameters = ModelParameters(("mass", "friction"), (1.0, 2.0), ((0.1, 0.01), (0.01, 0.2)))
    return Model(robot, kind=ModelKind.IDENTIFIED, parameters=parameters)


def _abbreviated(robot: Robot) -> Model:
    """Clover's rule with a finer threshold: with his, nothing is left of the inertia of small wrists."""
    return abbreviated_model(robot, Rule(threshold=0.0005, digits=4))


def _by_coefficients(robot: Robot) -> Model:
    """Certified in form: abbreviated equations with an empty list of proofs."""
    whole = _abbreviated(robot)
    program, motions = whole.functions["inverse_dynamics"], motions_of(robot)
    inner = CoefficientCertificate(
        robot.name, robot.content_hash, program, motions.positions, MappingProxyType({}), exact_bounds(program, motions)
    )
    record = Certificate(robot.name, robot.content_hash, program, motions, MappingProxyType({}), inner)
    parts = {name: function for name, function in whole.functions.items() if name != "inverse_dynamics"}
    return certified_model(robot, record, parts=parts)


@cache
def model_of(name: str, kind: ModelKind) -> Model:
    """The model of a robot and a kind; skips where the kind has a stated reason to refuse the robot."""
    robot = robot_of(name)
    if kind in (ModelKind.ABBREVIATED, ModelKind.CERTIFIED_COEFFICIENTS) and name == "panda":
        robot = lock_joints(robot, {joint: 0.02 for joint in robot.joint_names if "finger" in joint})
        robot = lock_joints(robot, dict.fromkeys(robot.joint_names[3:], 0.4))
    makers = {
        ModelKind.EXACT: compile,
        ModelKind.BASE_PARAMETERS: base_parameter_model,
        ModelKind.IDENTIFIED: _identified,
        ModelKind.ABBREVIATED: _abbreviated,
        ModelKind.CERTIFIED_TORQUE: lambda robot: certified_model(robot, _weakened(robot)),
        ModelKind.CERTIFIED_COEFFICIENTS: _by_coefficients,
    }
    model = makers[kind](robot)
    # Many joints without rotors over a large box: M is not shown to be regular within the budget.
    hard = {("panda", ModelKind.CERTIFIED_TORQUE), ("ur5", ModelKind.ABBREVIATED)}
    return model.assuming_regular_mass_matrix() if (name, kind) in hard else model
