"""Falsification of a tracking guarantee: search for the uncertain plant with the largest simulated error.

(1)  a plant is a vertex of the sets, a choice of signs: every friction term and body parameter at one end of its
     range, the payload at its smallest or largest mass, its centre on the bounding sphere
(2)  half of the runs draw choices at random; the others change a few signs of the worst choice so far

The loop has the encoder steps, the source of the speeds and the delay of the uncertainty. Residual friction, errors of
the drives, bias and jitter are not simulated. The ratio of the largest error to the proven bound is below one where the
guarantee holds; a ratio above one contradicts the proof.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from torquec.control.controller import Controller, make_controller
from torquec.control.tracking_guarantee import TrackingGuarantee
from torquec.control.uncertainty import SpeedSource, Uncertainty
from torquec.dynamics.sampled_function import StateSlot
from torquec.errors import ArgumentError
from torquec.expr.replay import replay
from torquec.foundation.arrays import Array
from torquec.foundation.work import Work, as_work
from torquec.robot.friction import FRICTION_WORDS, Friction, FrictionSign
from torquec.robot.robot import Robot
from torquec.simulation.closed_loop import LoopOptions, simulate
from torquec.simulation.plant import Plant
from torquec.simulation.sensors import Sensors
from torquec.simulation.simulation_result import SimulationResult
from torquec.spatial import PARAMETER_NAMES, Inertia
from torquec.trajectory.trajectory import Trajectory

_CHANGED = 0.2  # fraction of the signs that a local search step changes (2)


@dataclass(frozen=True)
class Attack:
    """The worst run: ratio of its largest error to the bound, joint, number of the run, and the plant.

    `errors`: the largest of that run by joint [rad or m]; `plant`: the choices in words; `result`: the run itself.
    """

    ratio: float
    joint: str
    run: int
    runs: int
    seed: int
    errors: dict[str, float]
    plant: dict[str, Any]
    result: SimulationResult = field(compare=False, repr=False)

    def to_document(self) -> dict[str, Any]:
        """As JSON values, without the run."""
        return {name: value for name, value in vars(self).items() if name != "result"}


def worst_plant(
    robot: Robot,
    law: Controller,
    motion: Trajectory,
    guarantee: TrackingGuarantee,
    uncertainty: Uncertainty,
    *,
    runs: int,
    seed: int = 0,
    work: Work | None = None,
) -> Attack:
    """Search the sets for the plant whose simulated error comes closest to the guaranteed bound, (1) and (2).

    `robot` is the nominal one, `law` computed torque for it. Raises `ArgumentError` without a valid guarantee, for no
    runs, and for speeds that are measured at some joints and differences at others.
    """
    if not guarantee.valid:
        raise ArgumentError(f"there is no guarantee to attack: {guarantee.reason}", remedy="state smaller sets")
    if runs < 1:
        raise ArgumentError(f"{runs} runs", remedy="give a positive whole number")
    rng = np.random.default_rng(seed)
    bounds = np.array([bound.position for bound in guarantee.joints])
    late, options = late_law(law, motion, uncertainty), LoopOptions(sensors=_sensors(robot, uncertainty))
    best: tuple[float, int, Array, SimulationResult] | None = None
    with as_work(work).step("searching the sets for the worst robot") as step:
        for run in range(runs):
            choice = rng.choice([-1.0, 1.0], choice_size(robot))
            centre = rng.normal(size=3)
            if best is not None and run % 2:
                keep = rng.random(len(choice)) >= _CHANGED
                choice, centre = np.where(keep, best[2][:-3], choice), best[2][-3:]
            plant = Plant(_with_efforts(plant_of(robot, uncertainty, choice, centre), guarantee))
            result = simulate(plant, late, motion, options=options)
            ratio = float(np.divide(result.max_error_values, bounds).max())
            if best is None or ratio > best[0]:
                best = (ratio, run, np.concatenate([choice, centre]), result)
            step.show(run + 1, runs, f"{best[0]:.2g} of the bound")
    assert best is not None
    ratio, run, chosen, result = best
    joint = robot.joint_names[int(np.argmax(np.divide(result.max_error_values, bounds)))]
    return Attack(ratio, joint, run, runs, seed, result.max_error, _words(robot, uncertainty, chosen), result)


def choice_size(robot: Robot) -> int:
    """Number of signs (1) of a plant: friction and ten parameters of every body, motors' friction, the payload."""
    return 11 * len(robot.bodies) + len(robot.drives.motors) + 1


def plant_of(robot: Robot, uncertainty: Uncertainty, choice: Array, centre: Array) -> Robot:
    """The robot of a choice (1): signs (choice_size,), and a direction (3,) of the payload's centre."""
    parts = dict(zip(robot.joint_names, uncertainty.of(robot), strict=True))
    sets, width = uncertainty.bodies, len(PARAMETER_NAMES)
    by_name = np.array(
        [
            sets.inertia_part if n[0] == "I" else sets.mass_part if n == "m" else sets.first_moment_part
            for n in PARAMETER_NAMES
        ]
    )
    bodies = []
    for k, body in enumerate(robot.bodies):
        signs = choice[(width + 1) * k : (width + 1) * (k + 1)]
        scaled = np.array(body.inertia.parameters, dtype=np.float64) * (1.0 + by_name * signs[:width])
        leader = body.joint.name if body.joint.mimic is None else body.joint.mimic.joint
        joint = replace(body.joint, friction=_scaled(body.joint.friction, parts[leader].friction_part * signs[width]))
        bodies.append(replace(body, inertia=Inertia(*scaled.tolist()), joint=joint))
    own = choice[(width + 1) * len(bodies) : -1]
    part = max(stated.friction_part for stated in parts.values())
    motors = tuple(
        replace(motor, friction=_scaled(motor.friction, part * sign))
        for motor, sign in zip(robot.drives.motors, own, strict=True)
    )
    found = replace(robot, bodies=tuple(bodies), drives=replace(robot.drives, motors=motors))
    payload = uncertainty.payload
    if payload is None:
        return found
    carrier = robot.frame(payload.frame)
    mass = payload.mass[int(choice[-1] > 0.0)]
    place = tuple((payload.centre_within * centre / max(float(np.linalg.norm(centre)), 1e-300)).tolist())
    zero = ((0.0,) * 3,) * 3
    true = Inertia.from_center_of_mass(mass, place, zero).transformed(carrier.pose)
    known = Inertia.from_center_of_mass(payload.nominal_mass, (0.0, 0.0, 0.0), zero).transformed(carrier.pose)
    carried = found.bodies[carrier.body]
    total = [a + b - c for a, b, c in zip(carried.inertia.parameters, true.parameters, known.parameters, strict=True)]
    grown = [replace(b, inertia=Inertia(*total)) if k == carrier.body else b for k, b in enumerate(found.bodies)]
    return replace(found, bodies=tuple(grown))


def _with_efforts(robot: Robot, guarantee: TrackingGuarantee) -> Robot:
    """The robot with the effort limits of the guarantee, which may differ from those of its file."""
    efforts = {bound.joint: bound.effort for bound in guarantee.joints}
    bodies = []
    for body in robot.bodies:
        effort = efforts.get(body.joint.name, body.joint.limits.effort)
        limits = replace(body.joint.limits, effort=effort)
        bodies.append(replace(body, joint=replace(body.joint, limits=limits)))
    return replace(robot, bodies=tuple(bodies))


def late_law(law: Controller, motion: Trajectory, uncertainty: Uncertainty) -> Controller:
    """The law with its torques delayed by the samples that the uncertainty states; the first acts from the start."""
    samples = uncertainty.samples_late(law.period)
    if not samples:
        return law
    if law.slots or law.schedule is not None:
        raise ArgumentError("a law with a state or a schedule cannot be delayed", remedy="attack computed torque")
    start = [motion.q[0], motion.qd[0], motion.qdd[0], motion.q[0], motion.qd[0]]
    first, n = tuple(law.torque(*start).tolist()), len(law.joints)

    def delayed(state: Any, **signals: Any) -> dict[str, Any]:
        return {"tau": state[:n], "next_state": [*state[n:], *replay(law.function, signals)["tau"]]}

    slots = tuple(StateSlot(f"torque{k + 1}", first) for k in range(samples))
    return make_controller(f"late_{law.name}", law.joints, delayed, slots=slots, period=law.period)


def _sensors(robot: Robot, uncertainty: Uncertainty) -> Sensors:
    joints = uncertainty.of(robot)
    if len({(joint.speed, joint.speed_filter) for joint in joints}) > 1:
        raise ArgumentError("joints have different sources of their speeds", remedy="state them in [every_joint]")
    first, steps = joints[0], tuple(joint.position for joint in joints)
    share = first.speed_filter if first.speed is SpeedSource.DIFFERENCE else 1.0
    return Sensors(resolution=steps, speed=first.speed, filter_share=share)


def _scaled(friction: Friction, part: float) -> Friction:
    """Every torque of a friction law times 1 + part; speeds and distances that scale a term stay."""
    words = {
        name: value if FRICTION_WORDS[name].sign is FrictionSign.SCALE else value * (1.0 + part)
        for name, value in friction.values.items()
    }
    return Friction.of(words)


def _words(robot: Robot, uncertainty: Uncertainty, chosen: Array) -> dict[str, Any]:
    signs, centre = chosen[:-3], chosen[-3:]
    stated = dict(zip(robot.joint_names, uncertainty.of(robot), strict=True))
    found: dict[str, Any] = {
        "friction": {
            body.joint.name: 1.0 + stated[body.joint.name].friction_part * float(signs[11 * k + 10])
            for k, body in enumerate(robot.bodies)
            if body.joint.mimic is None
        }
    }
    if uncertainty.payload is not None:
        found["payload_mass"] = uncertainty.payload.mass[int(signs[-1] > 0.0)]
        found["payload_centre"] = (uncertainty.payload.centre_within * centre / np.linalg.norm(centre)).tolist()
    return found
