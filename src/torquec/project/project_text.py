"""A project file for a robot, with every part that a run can have and a comment on each: what `torquec new` writes.

Numbers are the robot's own where its file has them: speeds and torques from its limits, a motion inside its range.
Where it has none, or none that a controller could bear, they follow from the masses, and the comment says so.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import numpy as np

from torquec.model.model import as_model
from torquec.project.project import STANDARD, STANDARD_ROBOT
from torquec.robot.robot import Joint, Robot

_PART = 0.01
"""Of a joint's torque limit that the model may be wrong by."""
_ACCELERATION = {True: 2.0, False: 10.0}
"""m/s^2 of a joint that translates, rad/s^2 of one that turns: what light arms reach."""
_SPEED = {True: 0.5, False: 2.5}
"""m/s, rad/s: of joints whose files state no limit, or one that nobody needs at once."""
_WAY = {True: 0.1, False: 0.5}
"""m, rad: the way of the example motion."""
_SUPPOSED = ", assumed: the robot's file has no limit"
_BEARABLE = 0.125
"""The largest error as a part of what accelerates a joint's own inertia: nearly all of it is left, then."""
_SAMPLES = 200
"""Random states in which torques and inertias are looked at."""
_PEAK_SPEED, _PEAK_ACCELERATION = 1.875, 5.78
"""Of a minimum-jerk motion: of way over duration, of way over duration squared."""
_USED = 0.4
"""The share of speeds and accelerations that the example motion uses: the rest is for the feedback."""


def project_text(
    robot: Robot,
    *,
    argument: str,
    logs: Sequence[str] = (),
    seconds: float | None = 60.0,
    gravity: bool = False,
) -> str:
    """The text of a project file for a robot; `argument` is how the file names it, seen from its own folder.

    `logs` are named in it, and [identify] is a comment without; `seconds` limits the search for a simpler model;
    with `gravity`, the robot's is written down.
    """
    parts = [
        _beginning(robot, argument, gravity=gravity),
        _identify(logs),
        _specification(robot),
        _simplify(seconds),
        _design(robot),
        _experiments(robot),
        _END,
    ]
    return "\n".join(parts)


def _beginning(robot: Robot, argument: str, *, gravity: bool) -> str:
    lines = [
        f"# A Torquec project for {robot.name}: `torquec run` does it all; docs/project.md says what can stand here.",
        "# Files are named relative to this one. Change what you like and run it again: only that is done again.",
        "",
        f"robot = {_text(argument)}",
        "seed = 0  # of everything that is drawn at random",
    ]
    if gravity:
        lines.append(f"gravity = [{', '.join(map(_number, robot.gravity))}]  # m/s^2, in the base frame")
    for held in robot.attached:
        center = ", ".join(map(_number, held.center))
        lines += ["", "[[payload]]  # known to the model", f"frame = {_text(held.frame)}"]
        lines += [f"mass = {_number(held.mass)}  # kg", f"center = [{center}]  # m, in the frame"]
    if robot.locked:
        lines += ["", "[lock]  # joints that are held still, at these positions"]
        lines += [f"{_key(joint.name)} = {_number(joint.position)}" for joint in robot.locked]
    return "\n".join([*lines, ""])


def _identify(logs: Sequence[str]) -> str:
    if logs:
        named = ", ".join(map(_text, logs))
        return "\n".join(
            [
                "[identify]  # the parameters of the real robot, from what it recorded; docs/logs.md",
                f"logs = [{named}]",
                "# validate = []          # logs that are only predicted",
                '# map = "map.toml"       # what their columns mean',
                '# method = "consistent"  # bodies that could be built',
                "",
            ]
        )
    return '# [identify]  # the parameters of the real robot, from logs; docs/logs.md\n# logs = ["log.csv"]\n'


def _specification(robot: Robot) -> str:
    limits = robot.joints
    speeds = [_speed(joint) for joint in limits]
    accelerations = [_ACCELERATION[joint.type.is_prismatic] for joint in limits]
    errors, why = _torque_errors(robot, speeds, accelerations)
    lines = [
        "[specification]  # what the simplified model must keep, proven for every such motion; docs/specification.md"
    ]
    if why:
        lines += [f"# {why}"]
    else:
        lines += ["", "[specification.every_joint]"]
        lines += [f"torque_error_part = {_PART}  # of the torque limits in the robot's file"]
    for k, joint in enumerate(limits):
        unit = "m" if joint.type.is_prismatic else "rad"
        lines += ["", "[[specification.joint]]", f"name = {_text(joint.name)}"]
        lines += [
            f"velocity = {_number(speeds[k])}  # {unit}/s{_SUPPOSED if math.isinf(joint.limits.velocity) else ''}",
            f"acceleration = {_number(accelerations[k])}  # {unit}/s^2",
        ]
        if not math.isfinite(joint.limits.upper - joint.limits.lower):
            way = 1.0 if joint.type.is_prismatic else 3.1416
            lines += [f"range = [{-way}, {way}]  # {unit}; the file has no limits"]
        if why:
            lines += [f"torque_error = {_number(errors[k])}  # {'N' if joint.type.is_prismatic else 'N m'}"]
    return "\n".join([*lines, ""])


def _simplify(seconds: float | None) -> str:
    limit = "# seconds = 60" if seconds is None else f"seconds = {_number(seconds)}"
    said = "for searching, proving and checking; without a result by then the exact model is used"
    return "\n".join(["[simplify]", f"{limit}  # {said}", ""])


def _design(robot: Robot) -> str:
    lines = [
        "[design]  # the controller; docs/control.md",
        'controller = "computed-torque"',
        'evaluation = "measured"  # of which a tracking error can be proven; docs/guarantee.md',
        'poles = "-20"            # 1/s, both of every joint; "-12+45j" is a pair',
        "rate = 1000              # calls per second",
        "",
        "[motion]  # along which it is judged",
    ]
    if robot.name == STANDARD_ROBOT and not robot.locked:
        return "\n".join([*lines, f'trajectory = "{STANDARD}"  # Clover\'s; a CSV file, or from and to as below', ""])
    start, to, duration = _example_motion(robot)
    return "\n".join(
        [
            *lines,
            f"from = [{', '.join(map(_number, start))}]",
            f"to = [{', '.join(map(_number, to))}]",
            f'duration = {_number(duration)}  # s, minimum jerk; or trajectory = "motion.csv"',
            "",
        ]
    )


def _experiments(robot: Robot) -> str:
    tool = robot.bodies[-1].name
    light = max(0.05 * robot.moving_mass, 0.01)
    return "\n".join(
        [
            "[[experiment]]  # a simulation; as many as you like",
            'name = "as designed"',
            "",
            "[[experiment]]",
            'name = "unknown load"',
            f"payload = {{ frame = {_text(tool)}, mass = {_number(float(f'{light:.2g}'))} }}  # kg, not told",
            "",
        ]
    )


_END = """\
[realtime]  # how often the background of the two-rate structure must run; docs/real-time.md
order = "first"
seconds = 30.0  # at most, for bounding what that costs; more time makes the bounds of large arms smaller

[generate]
targets = ["c", "rt-c"]  # and any that torquec generate offers
precision = "double"
"""


def _speed(joint: Joint) -> float:
    usual = _SPEED[joint.type.is_prismatic]
    return min(joint.limits.velocity, usual)


def _torque_errors(robot: Robot, speeds: Sequence[float], accelerations: Sequence[float]) -> tuple[list[float], str]:
    """Errors of the joints, and why they are not simply a part of the torque limits; nothing where they are.

    An error e leaves an inertia of at least M_kk - e/qdd_k at a joint, and without one there is no controller.
    """
    rng, model = np.random.default_rng(0), as_model(robot)
    lower, upper = _range(robot)
    q = rng.uniform(lower, upper, (_SAMPLES, robot.n))
    qd, qdd = (rng.uniform(-1.0, 1.0, (_SAMPLES, robot.n)) * most for most in (speeds, accelerations))
    largest = np.abs(model.inverse_dynamics(q, qd, qdd)).max(axis=0)
    inertia = np.diagonal(model.mass_matrix(q), axis1=1, axis2=2).min(axis=0)
    bearable = np.maximum(_BEARABLE * inertia * accelerations, 0.1 * _PART * largest)
    efforts = np.array([joint.limits.effort for joint in robot.joints])
    limited = bool(np.all((efforts > 0.0) & np.isfinite(efforts)))
    if limited and np.all(_PART * efforts <= bearable):
        return list(_PART * efforts), ""
    why = (
        "1 % of the torque limits in the file is more than some joint has inertia for: errors are smaller there."
        if limited
        else "The robot's file limits no torques: errors are 1 % of the largest torques that such motions take."
    )
    wanted = np.minimum(_PART * (efforts if limited else largest), bearable)
    return [float(f"{max(value, 1e-6):.2g}") for value in wanted], why


def _range(robot: Robot) -> tuple[list[float], list[float]]:
    """Positions that the joints can have; where there are no limits, half a turn or a metre."""
    lower, upper = [], []
    for joint in robot.joints:
        way = 1.0 if joint.type.is_prismatic else math.pi
        has = math.isfinite(joint.limits.upper - joint.limits.lower)
        lower.append(joint.limits.lower if has else -way)
        upper.append(joint.limits.upper if has else way)
    return lower, upper


def _example_motion(robot: Robot) -> tuple[list[float], list[float], float]:
    """From near the middle of the range a little way, slowly enough for the specification."""
    start, to, duration = [], [], 1.0
    for joint, low, high in zip(robot.joints, *_range(robot), strict=True):
        middle = min(max(0.0, low + 0.25 * (high - low)), high - 0.25 * (high - low))
        way = min(_WAY[joint.type.is_prismatic], 0.2 * (high - low))
        start.append(round(middle, 4))
        to.append(round(middle + way, 4))
        speed, acceleration = _USED * _speed(joint), _USED * _ACCELERATION[joint.type.is_prismatic]
        duration = max(duration, _PEAK_SPEED * way / speed, math.sqrt(_PEAK_ACCELERATION * way / acceleration))
    return start, to, math.ceil(10.0 * duration) / 10.0


def _number(value: float) -> str:
    """
    >>> _number(2.0), _number(-0.123456789)
    ('2.0', '-0.123457')
    """
    return repr(float(f"{value:.6g}"))


def _text(word: str) -> str:
    """A text in quotes, as TOML reads it."""
    return json.dumps(word, ensure_ascii=True)


def _key(name: str) -> str:
    """A key, in quotes where it needs them."""
    return name if name and all(c.isascii() and (c.isalnum() or c in "-_") for c in name) else _text(name)
