"""Random spatial chains closed on the base, or on a second branch, against Pinocchio's tree with constraints."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.loop_oracle import LoopOracle
from tests.dynamics.test_closed_loops import error

import torquec as tq
from torquec import dynamics
from torquec.dynamics.frame_pose import frame_pose
from torquec.robot.joints import JointType
from torquec.robot.loops.close_loops import close_loops
from torquec.robot.loops.closed_loops import LoopConstraint, LoopFile, LoopKind
from torquec.robot.robot import BASE, Body, Frame, Joint, Limits, Robot
from torquec.spatial import Inertia, Pose, rpy_rotation

KINDS = (LoopKind.POINT, LoopKind.AXIS, LoopKind.WELD)


def closed_chain(seed):
    """A chain that a loop leaves one or two degrees of freedom, with a branch that no loop touches."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % 3]
    joints = len(kind.equations) + 1
    types = [JointType.PRISMATIC if rng.uniform() < 0.25 else JointType.REVOLUTE for _ in range(joints)]
    bodies = [_body(f"b{k}", k - 1, types[k], rng) for k in range(joints)]
    bodies.append(_body("side", joints // 2, JointType.REVOLUTE, rng))
    stands = seed % 2 == 1  # the loop closes on a body that moves, too
    if stands:
        bodies.append(_body("stand", BASE, JointType.REVOLUTE, rng))
    tip = Frame("tip", joints - 1, _pose(rng))
    gravity = tuple(float(x) for x in rng.normal(size=3) * 6.0)
    tree = Robot("chain", tuple(bodies), (tip,), gravity=gravity, snap=False)
    start = rng.uniform(-0.3, 0.3, tree.n)
    there = frame_pose(tree, "tip", [float(x) for x in start])
    at = Frame("stand", len(bodies) - 1) if stands else None
    if at is not None:
        seen = Robot("chain", tuple(bodies), (tip, at), gravity=gravity, snap=False)
        there = frame_pose(seen, "stand", [float(x) for x in start]).inverse() @ there
    home = Frame("home", BASE if at is None else at.body, there)
    tree = Robot("chain", tuple(bodies), (tip, home), gravity=gravity, snap=False)
    named = tuple((joint.name, float(at)) for joint, at in zip(tree.joints, start, strict=True))
    pair = ("tip", "home") if seed % 4 < 2 else ("home", "tip")
    return tree, LoopFile((LoopConstraint("loop", *pair, kind),), start=named)


def _body(name, parent, kind, rng):
    axis = rng.normal(size=3)
    axis = tuple(float(x) for x in axis / np.linalg.norm(axis))
    spread = rng.normal(size=(3, 3)) * 0.1
    tensor = spread @ spread.T + 0.01 * np.eye(3)
    tensor = np.trace(tensor) * np.eye(3) - tensor  # of a solid
    inertia = Inertia.from_center_of_mass(
        float(rng.uniform(0.5, 2.0)), tuple(rng.normal(size=3) * 0.1), tuple(map(tuple, tensor.tolist()))
    )
    joint = Joint(f"j_{name}", kind, _pose(rng), axis, Limits(-0.8, 0.8, 10.0, 100.0))
    return Body(name, parent if parent >= 0 else BASE, joint, inertia)


def _pose(rng):
    return Pose(rpy_rotation(*rng.uniform(-1.5, 1.5, 3)), tuple(float(x) for x in rng.uniform(-0.4, 0.4, 3)))


def check(seed):
    """Torques, parts, power and gap near the start of a random closed chain."""
    tree, file = closed_chain(seed)
    robot = close_loops(tree, file)
    rng = np.random.default_rng(1000 + seed)
    oracle = LoopOracle(robot, tree)
    q = np.array(tq.neutral(robot)) + rng.uniform(-0.02, 0.02, robot.n)
    if tq.loop_condition(robot, q).condition > 1000.0:
        return False  # next to a singular configuration: no digits to compare
    qd, qdd = rng.normal(size=(2, robot.n))
    tau = np.array(dynamics.inverse_dynamics(robot, q, qd, qdd))
    assert oracle.gap(q) < 1e-12
    assert error(oracle.forward_dynamics(q, qd, tau), qdd) < 1e-8
    step = 1e-30
    moved, faster = list(q + 1j * step * qd), list(qd + 1j * step * qdd)
    energy = dynamics.kinetic_energy(robot, moved, faster) + dynamics.potential_energy(robot, moved)
    assert abs(np.imag(energy) / step - tau @ qd) < 1e-11 * max(np.abs(tau * qd).sum(), 1.0)
    coriolis = np.array(dynamics.coriolis_matrix(robot, q, qd))
    rate = np.imag(np.array(dynamics.mass_matrix(robot, moved), dtype=complex)) / step
    skew = rate - 2.0 * coriolis
    assert np.abs(skew + skew.T).max() < 1e-10 * max(np.abs(rate).max(), 1.0)
    assert error(coriolis @ qd, dynamics.velocity_torque(robot, q, qd)) < 1e-10
    return True


@pytest.mark.parametrize("seed", range(6))
def test_random_closed_chains_are_those_of_pinocchio(seed):
    check(seed)


@pytest.mark.slow
def test_many_random_closed_chains_are_those_of_pinocchio():
    assert sum(check(seed) for seed in range(6, 60)) > 40
