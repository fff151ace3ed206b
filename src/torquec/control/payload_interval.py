"""Stability interval of an unknown payload: the masses for which the linearized closed loop is stable.

(1)  the robot with a mass m at a frame has  M + m dM, C + m dC, K + m dK,  linear in m at every point of a motion;
     the controller keeps the gains of its nominal model
(2)  the limits are found on a grid of masses and by bisection between the last stable one and the first unstable one

The models are linearized at points of a motion: valid for small errors there, no proof. Negative masses stand for a
hand that is lighter than in the model; their limit is the mass of the body that carries the frame.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from torquec.control.poles import JointPoles
from torquec.control.robustness import EXACT_MODEL, Loop, ModelErrors, make_loop
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.one_thread import one_thread
from torquec.linearization.linearize import LinearModel, linearize_along
from torquec.model.model import Model, as_model
from torquec.robot.gripper_joints import hand_frame
from torquec.robot.payload import attach_payload
from torquec.robot.robot import Robot
from torquec.robot.xml_text import unused_name

_GRID = 40  # number of masses, from a thousandth of the robot's to the heaviest, each a third larger than the last
_BISECTIONS = 30  # they narrow the limit to a billionth of a step of the grid
HEAVIEST = 100.0
"""Largest payload searched, in masses of the robot; beyond it the interval counts as unlimited."""


@dataclass(frozen=True)
class PayloadInterval:
    """Masses [kg] at `frame`, beyond those of the model, for which the loop is stable; infinite without a limit.

    `joint` moves most in the mode that becomes unstable at the upper limit; empty where there is none.
    """

    frame: str
    lower: float
    upper: float
    joint: str = ""


def payload_interval(
    source: Robot | Model,
    poles: JointPoles,
    states: tuple[Array, Array, Array],
    *,
    frame: str | None = None,
    center: Sequence[float] = (0.0, 0.0, 0.0),
    errors: ModelErrors = EXACT_MODEL,
    period: float | None = None,
    sampled: bool = False,
) -> PayloadInterval:
    """The interval that holds at all states q, qd, qdd, (N, n) each, for a mass at `center` (3,) [m] of `frame`.

    Unless given, the frame is the last one of the robot's last body. `errors` are those of the law as in
    `torquec.control.robustness`: all ones for a law evaluated at the measured state. Raises `ArgumentError` for a
    frame that does not exist and where the loop is unstable without a payload.
    """
    model = as_model(source)
    robot = model.robot
    chosen_frame = hand_frame(robot) if frame is None else robot.frame(frame).name
    loaded = attach_payload(
        robot,
        chosen_frame,
        mass=1.0,
        center=center,
        name=unused_name("payload", {frame.name for frame in robot.frames}),
    )
    believed = linearize_along(model, *states)
    bare, loaded_models = linearize_along(robot, *states), linearize_along(loaded, *states)
    carrier = robot.bodies[robot.frame(chosen_frame).body] if robot.frame(chosen_frame).body >= 0 else None
    lightest = 0.0 if carrier is None else -carrier.inertia.m
    whole = sum(body.inertia.m for body in robot.bodies)
    lower, upper, joint = -np.inf, np.inf, ""
    with one_thread():
        for own, empty, full in zip(believed, bare, loaded_models, strict=True):
            gains = (errors.gamma * own.M, errors.beta * own.C, errors.alpha * own.K)
            carrying = _Carrying(empty, full, gains, poles, period, sampled)
            if not carrying.is_stable(0.0):
                raise ArgumentError(
                    "the loop is unstable without a payload already",
                    remedy="choose poles or a sampling interval for which it is stable",
                )
            grid = np.geomspace(1e-3, HEAVIEST, _GRID) * max(whole, 1e-6)
            limit = _limit(carrying.is_stable, grid.tolist(), upper)
            if limit < upper:
                upper, joint = limit, robot.joint_names[carrying.moving_joint(limit)]
            if lightest < 0.0:
                lighter = np.linspace(0.0, -lightest, 9)[1:].tolist()
                lower = max(lower, -_limit(carrying.is_stable_without, lighter, -lower))
    return PayloadInterval(chosen_frame, max(lower, lightest), upper, joint)


@dataclass(frozen=True, eq=False)
class _Carrying:
    """A point of a motion: linear models with no payload and with one kilogram, and the nominal model of the gains."""

    empty: LinearModel
    full: LinearModel
    believed: tuple[Array, Array, Array]
    poles: JointPoles
    period: float | None
    sampled: bool

    def is_stable(self, mass: float) -> bool:
        """Whether the loop is stable with a payload (1)."""
        found = self._loop(mass)
        return found is not None and found[0].excess(found[1]) < 0.0

    def moving_joint(self, mass: float) -> int:
        """The joint that moves most, in its own units, in the slowest mode of the loop."""
        found = self._loop(mass)
        if found is None:
            return self.empty.n - 1
        values, vectors = np.linalg.eig(found[1])
        least = int(np.argmax(np.abs(values) if self.period is not None else values.real))
        return int(np.argmax(np.abs(vectors[: self.empty.n, least])))

    def _loop(self, mass: float) -> tuple[Loop, Array] | None:
        """The loop with a payload and its closed matrix; None where the inertia is not positive definite."""
        parts = {
            key: getattr(self.empty, key) + mass * (getattr(self.full, key) - getattr(self.empty, key))
            for key in ("M", "C", "K")
        }
        if np.linalg.eigvalsh(0.5 * (parts["M"] + parts["M"].T)).min() <= 0.0:
            return None
        loop = make_loop(replace(self.empty, **parts), self.poles, period=self.period, sampled=self.sampled)
        return loop, loop.F - loop.G @ loop.gains(*self.believed)

    def is_stable_without(self, mass: float) -> bool:
        """Whether the loop is stable with that much less mass than the model has."""
        return self.is_stable(-mass)


def _limit(is_stable: Callable[[float], bool], grid: list[float], known: float) -> float:
    """(2): the largest mass up to which the loop is stable, at most `known`; infinite if stable on all of the grid."""
    inside = 0.0
    for mass in grid:
        if mass >= known:
            return known if is_stable(known) else _bisected(is_stable, inside, known)
        if not is_stable(mass):
            return _bisected(is_stable, inside, mass)
        inside = mass
    return np.inf


def _bisected(is_stable: Callable[[float], bool], inside: float, outside: float) -> float:
    for _ in range(_BISECTIONS):
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if is_stable(middle) else (inside, middle)
    return inside
