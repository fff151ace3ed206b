"""Passivity of friction: friction opposes motion at every speed, so that it never feeds energy into a joint.

For one direction of motion, v > 0 the magnitude of the shaft's speed, the friction that opposes the motion is

(1)  P(v) = d + viscous v + curved v^2 + cubic v^3,   d = Coulomb + min(Stribeck, 0) + min(concave, 0)

with d the lower bound of all bounded terms. Load-dependent friction has a factor of its own, which must not be
negative. Dry friction with a `turnover_speed` vanishes at rest: then d is at most 0. A constant `offset` is no
friction: like that of a weight, its work depends on the position alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from torquec.errors import RobotError
from torquec.robot.friction import Friction
from torquec.robot.robot import FileWarning, Robot
from torquec.robot.tuning import TUNING

_ROUNDING = 1e-12  # of the sum of the magnitudes of the terms of P: a double root may fall below zero by this much


def driving_speed(friction: Friction) -> float | None:
    """The least speed [rad/s or m/s], in either direction, beyond which friction drives its shaft; None without one.

    >>> driving_speed(Friction.of({"viscous": 0.4, "coulomb": 0.5, "curved": -0.1})).__round__(6)
    5.0
    >>> driving_speed(Friction.of({"viscous": 0.4, "curved": -0.05, "cubic": 0.02})) is None
    True
    """
    if all(value >= 0.0 for word, value in friction.values.items() if word != "offset"):
        return None
    if friction.value("load") < 0.0:
        return 0.0
    found = [_first_negative(_opposing(friction, side)) for side in ("positive", "negative")]
    return min((speed for speed in found if speed is not None), default=None)


def driving_friction(robot: Robot, where: Callable[[str], str]) -> list[FileWarning]:
    """A warning for every joint and motor whose friction drives it; `where` gives the place of a name in its file."""
    return [
        FileWarning(where(name), f"{text}: no file is written with it", about=name)
        for name, text in _driving_shafts(robot)
    ]


def check_friction_is_passive(robot: Robot) -> None:
    """Raise `RobotError` where the friction of a joint or motor drives it: such a robot is written to no file."""
    for _, text in _driving_shafts(robot):
        raise RobotError(
            f"{text}: a controller or simulation with it would gain energy",
            where=robot.source,
            remedy="give friction that opposes motion at every speed (no negative viscous, Coulomb or load-dependent "
            "friction, and no negative power of the speed that outweighs the rest), or identify it from a log",
        )


def _driving_shafts(robot: Robot) -> Iterator[tuple[str, str]]:
    """Names of joints and motors whose friction drives them, each with a message."""
    joints = [body.joint for body in robot.bodies]
    shafts = [
        (each.name, f"joint '{each.name}'", each.friction, each.kind.coordinates[0].speed_unit) for each in joints
    ]
    shafts += [(motor.name, f"motor '{motor.name}'", motor.friction, "rad/s") for motor in robot.drives.motors]
    for name, shaft, friction, unit in shafts:
        speed = driving_speed(friction)
        if speed is not None:
            yield name, f"the friction of {shaft} drives it {f'beyond {speed:.3g} {unit}' if speed else 'from rest on'}"


def _opposing(friction: Friction, side: str) -> list[float]:
    """The coefficients of (1), lowest power first."""
    dry = friction.value(f"coulomb_{side}") + min(friction.value(f"stribeck_{side}"), 0.0)
    dry += min(friction.value("concave"), 0.0)
    if friction.value("turnover_speed"):
        dry = min(dry, 0.0)
    return [dry, friction.value(f"viscous_{side}"), friction.value("curved"), friction.value("cubic")]


def _first_negative(p: Sequence[float]) -> float | None:
    """Where the cubic p, lowest power first, first falls below zero for v > 0; None where it never does."""
    lowest = next((value for value in p if value), 0.0)
    if lowest < 0.0:
        return 0.0
    leading = next((value for value in reversed(p) if value), 1.0)
    # Monotone between its extremes; beyond Cauchy's bound it has the sign of its leading term.
    farthest = 1.0 + max(abs(value) for value in p) / abs(leading)
    turns = sorted(v for v in _roots(p[1], 2.0 * p[2], 3.0 * p[3]) if 0.0 < v < farthest)
    before = 0.0
    for v in (*turns, farthest):
        if _value(p, v) < -_ROUNDING * _value([abs(value) for value in p], v):
            return _crossing(p, before, v)
        before = v
    return None


def _crossing(p: Sequence[float], low: float, high: float) -> float:
    """Where p changes its sign between two speeds, by bisection."""
    for _ in range(TUNING.root_bisections):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _value(p, middle) < 0.0 else (middle, high)
    return high


def _value(p: Sequence[float], v: float) -> float:
    return p[0] + v * (p[1] + v * (p[2] + v * p[3]))


def _roots(c: float, b: float, a: float) -> list[float]:
    """The real roots of c + b v + a v^2."""
    if a == 0.0:
        return [-c / b] if b else []
    inside = b * b - 4.0 * a * c
    if inside < 0.0:
        return []
    # The larger root without cancellation, the other root from their product.
    q = -0.5 * (b + math.copysign(math.sqrt(inside), b))
    return [q / a, *([c / q] if q else [])]
