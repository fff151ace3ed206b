"""Random robots with a free base for tests of proofs, with quick certificates of programs that leave a little out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from torquec.codegen.llvm.callable import compile_function
from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.expr import trace
from torquec.foundation.budget import Budget
from torquec.proof.torque.certify import certify
from torquec.robot.joints import JointType
from torquec.robot.robot import BASE, Body, Drives, Joint, Limits, Mimic, Motor, Robot
from torquec.simplification.fewer_parameters import moments_left_out
from torquec.simplification.free_base import limb_problems, whole_certificate
from torquec.simplification.problem import SimplificationProblem
from torquec.spatial import Inertia, Pose, rotation_x, rotation_y, rotation_z
from torquec.spatial.rotation import matmul
from torquec.trajectory.motion_box import MotionBox

RATES = 6


def walker(seed, limbs=(1, 2), *, slides=True, mimic=True, gravity=None):
    """A robot whose limbs have so many joints; bodies of the limbs take turns in its list."""
    rng = np.random.default_rng(seed)
    bodies = [Body("trunk", BASE, Joint("floating_base", JointType.FREE), _inertia(rng, 6.0))]
    last = dict.fromkeys(range(len(limbs)), 0)
    for depth in range(max(limbs)):
        for limb in (k for k, joints in enumerate(limbs) if joints > depth):
            kind = JointType.PRISMATIC if slides and rng.random() < 0.25 else JointType.REVOLUTE
            joint = _joint(rng, f"joint{limb}{depth}", kind)
            bodies.append(Body(f"body{limb}{depth}", last[limb], joint, _inertia(rng, 1.0)))
            last[limb] = len(bodies) - 1
    if mimic:
        leader = bodies[last[0]].joint
        follows = Mimic(leader.name, -1.0 if leader.type is JointType.REVOLUTE else 0.5, 0.2)
        bodies.append(
            Body("hand", last[0], replace(_joint(rng, "grip", leader.type), mimic=follows), _inertia(rng, 0.2))
        )
    robot = Robot("walker", tuple(bodies), gravity=gravity or tuple(map(float, rng.normal(size=3) * 6.0)))
    n = robot.nv
    rows = [tuple(float(9.0 * (k == j)) for k in range(n)) for j in (RATES, n - 1)]
    return replace(robot, drives=Drives((Motor("a", 1e-3), Motor("b", 2e-3)), tuple(rows)))


def _joint(rng, name, kind):
    axis = rng.normal(size=3)
    turn = matmul(rotation_z(*_cs(rng)), matmul(rotation_y(*_cs(rng)), rotation_x(*_cs(rng))))
    limits = Limits(-0.3, 0.4) if kind is JointType.PRISMATIC else Limits(-1.0, 0.9)
    unit = tuple(map(float, axis / np.linalg.norm(axis)))
    return Joint(name, kind, Pose(turn, tuple(map(float, rng.uniform(-0.3, 0.3, 3)))), unit, limits)


def _cs(rng):
    angle = float(rng.uniform(-3.0, 3.0))
    return float(np.cos(angle)), float(np.sin(angle))


def _inertia(rng, mass):
    a = rng.normal(size=(3, 3)) * 0.1
    tensor = np.trace(a @ a.T) * np.eye(3) - a @ a.T
    own = tuple(tuple(map(float, row)) for row in mass * tensor)
    return Inertia.from_center_of_mass(mass, tuple(map(float, rng.uniform(-0.1, 0.1, 3))), own)


def box_of(robot):
    """Motions of a robot with a free base."""
    limits = [joint.limits for joint in robot.joints[1:]]
    still = (0.0,) * RATES
    speeds = (0.8, 0.7, 0.9, 2.0, 1.5, 1.8) + (3.0,) * len(limits)
    rates = (4.0, 5.0, 3.0, 12.0, 9.0, 11.0) + (20.0,) * len(limits)
    return MotionBox((*still, *(x.lower for x in limits)), (*still, *(x.upper for x in limits)), speeds, rates)


def exact_program(robot):
    """Inverse dynamics of a robot with a free base."""
    shapes = {"q": (robot.nq,), "qd": (robot.nv,), "qdd": (robot.nv,)}
    return trace("inverse_dynamics", lambda q, qd, qdd: {"tau": inverse_dynamics(robot, q, qd, qdd)}, shapes)


def problem_of(robot, part=0.05):
    """A problem whose tolerances are a part of the torques that occur."""
    exact, box = exact_program(robot), box_of(robot)
    sizes = np.abs(torques(exact, states(robot, box, 500))).max(axis=0)
    return SimplificationProblem(robot, exact, box, tuple(map(float, part * sizes + 1e-3)), budget=Budget())


def quick_certificate(robot, part=0.05):
    """A certificate of programs that leave moments out, with bounds as they are found."""
    problem = problem_of(robot, part)
    found = []
    for limb in limb_problems(problem):
        program = moments_left_out(limb)
        found.append(certify(limb.robot, limb.exact, program, limb.motions, limits=None, closer=True))
    loose = replace(problem, tolerance=tuple(1e6 for _ in problem.tolerance))
    return problem, whole_certificate(loose, found)


def states(robot, box, count, seed=1, length=1.0):
    """Motions (positions, speeds, accelerations) of the box, mostly in its corners, in any pose."""
    rng = np.random.default_rng(seed)
    corner = rng.choice([-1.0, 1.0], size=(3, count, robot.nv))
    inner = rng.uniform(-1.0, 1.0, size=corner.shape)
    unit = np.where(rng.random(corner.shape) < 0.6, corner, inner)
    lower, upper = np.array(box.lower), np.array(box.upper)
    q = 0.5 * (lower + upper) + 0.5 * (upper - lower) * unit[0]
    turned = rng.normal(size=(count, 4))
    turned *= length / np.linalg.norm(turned, axis=1, keepdims=True)
    poses = np.concatenate([rng.uniform(-50.0, 50.0, (count, 3)), turned, q[:, RATES:]], axis=1)
    return poses, unit[1] * np.array(box.velocity), unit[2] * np.array(box.acceleration)


def torques(program, motions):
    """Torques (count, n) of native code."""
    return np.asarray(compile_function(program)(*motions))


def largest_errors(exact, program, robot, box, *, rounds=100, climbers=32, trials=8):
    """The largest errors (n,) of a program that climbs from random motions reach, in any pose."""
    native, rng = [compile_function(each) for each in (exact, program)], np.random.default_rng(7)

    def errors(motions):
        return np.abs(np.subtract(*(each(*motions) for each in native)))

    starts = states(robot, box, 60_000)
    first, found = errors(starts), np.zeros(robot.nv)
    for rate in range(robot.nv):
        best = np.argsort(-first[:, rate])[:climbers]
        motions, reached = [each[best] for each in starts], first[best, rate]
        for size in 0.3 * 0.97 ** np.arange(rounds):
            tried = _steps(rng, [np.repeat(each, trials, axis=0) for each in motions], robot, box, size)
            new = errors(tried)[:, rate].reshape(-1, trials)
            higher = new.max(axis=1) > reached
            chosen = np.arange(climbers) * trials + new.argmax(axis=1)
            motions = [np.where(higher[:, None], b[chosen], a) for a, b in zip(motions, tried, strict=True)]
            reached = np.maximum(reached, new.max(axis=1))
        found[rate] = reached.max()
    return found


def _steps(rng, motions, robot, box, size):
    """Motions nearby: other orientations, of a length within 1e-6 of one, positions, and signs of rates."""
    q, qd, qdd = motions
    turned = q[:, 3:7] + size * rng.normal(size=(len(q), 4))
    turned *= (1.0 + 9.9e-7 * rng.integers(-1, 2, (len(q), 1))) / np.linalg.norm(turned, axis=1, keepdims=True)
    lower, upper = np.array(box.lower)[RATES:], np.array(box.upper)[RATES:]
    moved = q[:, 7:] + size * (upper - lower) * rng.normal(size=(len(q), len(lower))) * (rng.random((len(q), 1)) < 0.7)
    q = np.concatenate([q[:, :3], turned, np.clip(moved, lower, upper)], axis=1)
    rates = []
    for values, most in ((qd, np.array(box.velocity)), (qdd, np.array(box.acceleration))):
        flipped = np.where(rng.random(values.shape) < 0.06, -values, values)
        rates.append(np.where(rng.random(values.shape) < 0.15, np.copysign(most, flipped), flipped))
    return [q, *rates]
