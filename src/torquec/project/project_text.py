"""Text of a new project file (`torquec new`), with all parts of a run and a comment on each.

Numbers come from the robot's file where it has them: speeds and torques from its limits, a motion inside its range. If
the file has no limits, or limits that allow no controller, numbers follow from the masses, and a comment states it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from torquec.control.laws import USUAL_POLES
from torquec.project.project import STANDARD, STANDARD_ROBOT
from torquec.project.project_numbers import (
    ENCODER,
    FRICTION_PART,
    PART,
    TRACKING_PART,
    TorqueErrors,
    example_load,
    example_motion,
    has_friction,
    torque_errors,
    usual_acceleration,
    usual_speed,
)
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import StateCoordinate

_ASSUMED = ", assumed: the robot's file has no limit"


def project_text(
    robot: Robot, *, argument: str, logs: Sequence[str] = (), seconds: float | None = 60.0, gravity: bool = False
) -> str:
    """The text of a project file for a robot; `argument`: a classic's name, or the path from the project's folder.

    `logs` are named in it; without any, [identify] is a comment. `seconds` limits the search for a simpler model; with
    `gravity`, the robot's gravity is stated.
    """
    parts = [
        _beginning(robot, argument, gravity=gravity),
        _identify(logs),
        _specification(robot),
        _simplify(seconds),
        _design(robot),
        _uncertainty(robot),
        _experiments(robot),
        _END,
    ]
    return "\n".join(parts)


def _beginning(robot: Robot, argument: str, *, gravity: bool) -> str:
    lines = [
        f"# A Torquec project for {robot.name}: `torquec run` does it all; docs/project.md lists the keys.",
        "# Files are named relative to this one. Change it and run it again: only changed parts are computed.",
        "",
        f"robot = {_text(argument)}",
        "seed = 0  # of all random numbers",
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
                '# method = "consistent"  # physically consistent bodies',
                "",
            ]
        )
    return '# [identify]  # the parameters of the real robot, from logs; docs/logs.md\n# logs = ["log.csv"]\n'


def _specification(robot: Robot) -> str:
    errors = torque_errors(robot)
    lines = [
        "[specification]  # what the simplified model must keep, proven for every such motion; docs/specification.md"
    ]
    if errors.why:
        lines += [f"# {errors.why}"]
    lines += ["", "[specification.every_joint]"]
    lines += [f"tracking_error_part = {TRACKING_PART}  # part that the model may add to the error due to uncertainty"]
    if not errors.why:
        lines += [f"torque_error_part = {PART}  # of the torque limits, where no tracking error can be bounded"]
    for k, joint in enumerate(robot.coordinates):
        unit = joint.position_unit
        lines += ["", "[[specification.joint]]", f"name = {_text(joint.name)}"]
        lines += [
            f"velocity = {_number(usual_speed(joint))}  # {unit}/s{_speed_note(joint)}",
            f"acceleration = {_number(usual_acceleration(joint))}  # {unit}/s^2, assumed: what light arms reach",
        ]
        if not math.isfinite(joint.limits.upper - joint.limits.lower):
            way = 3.1416 if joint.turns else 1.0
            why = "the file has no limits" if joint.has_position_limits else "it turns without limits"
            lines += [f"range = [{-way}, {way}]  # {unit}; {why}"]
        if errors.why:
            lines += [f"torque_error = {_number(errors.values[k])}  # {_error_note(joint, errors)}"]
    return "\n".join([*lines, ""])


def _speed_note(joint: StateCoordinate) -> str:
    """Comment on the origin of a speed that differs from the file's limit."""
    most = joint.limits.velocity
    if math.isinf(most):
        return _ASSUMED
    return f"; the file's limit is {_number(most)}" if most > usual_speed(joint) else ""


def _error_note(joint: StateCoordinate, errors: TorqueErrors) -> str:
    """Comment on the origin of a torque error: the file's limit, or less."""
    unit = joint.effort_unit
    if not errors.limited:
        return unit
    limit = f"{100.0 * PART:g} % of the file's limit of {_number(joint.limits.effort)} {unit}"
    return f"{unit}, less than {limit}: it moves little inertia" if joint.name in errors.smaller else f"{unit}, {limit}"


def _simplify(seconds: float | None) -> str:
    limit = "# seconds = 60" if seconds is None else f"seconds = {_number(seconds)}"
    purpose = "for search, proof and check, not for the whole run; without a result by then: the exact model"
    return "\n".join(["[simplify]", f"{limit}  # {purpose}", ""])


def _design(robot: Robot) -> str:
    lines = [
        "[design]  # the controller; docs/control.md",
        'controller = "computed-torque"',
        'evaluation = "measured"  # for which the tracking error is bounded; docs/guarantee.md',
        'friction_at = "reference"  # speed at which friction is compensated',
        f'poles = "{USUAL_POLES:g}"            # 1/s, both of every joint; "-12+45j" is a pair',
        "rate = 1000              # calls per second",
        "",
        "[motion]  # motion for which the tracking error is bounded",
    ]
    if robot.name == STANDARD_ROBOT and not robot.locked:
        return "\n".join([*lines, f'trajectory = "{STANDARD}"  # Clover\'s; a CSV file, or from and to as below', ""])
    start, to, duration = example_motion(robot)
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
    load = example_load(robot, tool)
    return "\n".join(
        [
            "[[experiment]]  # a simulation; repeatable",
            'name = "as designed"',
            "",
            "[[experiment]]",
            'name = "unknown load"  # the largest in [uncertainty.payload]',
            f"payload = {{ frame = {_text(tool)}, mass = {_number(load.mass)} }}  # kg",
            f"resolution = {ENCODER}  # rad, m: of the encoders",
            "",
        ]
    )


def _uncertainty(robot: Robot) -> str:
    """The sets that the verdict is for: friction where the file has some, encoders, a payload, one cycle of delay."""
    tool = robot.bodies[-1].name
    load = example_load(robot, tool)
    lines = [
        "[uncertainty]  # the verdict holds for every robot in these sets; docs/guarantee.md",
        "",
        "[uncertainty.every_joint]",
    ]
    if has_friction(robot):
        lines.append(f"friction_part = {FRICTION_PART}  # of every friction term, which may be wrong by this part")
    else:
        lines.append("# friction_part = 0.3  # the robot's file states no friction: none is assumed; torquec drives")
    return "\n".join(
        [
            *lines,
            f"position = {ENCODER}  # rad, m: step of the encoders",
            'speed = "difference"  # of two positions',
            "",
            "[uncertainty.payload]  # in the hand, unknown to the controller",
            f"frame = {_text(tool)}",
            f"mass = [0.0, {_number(load.mass)}]  # kg; {load.rule}",
            "centre_within = 0.05  # m of the frame's origin",
            "",
            "[uncertainty.timing]",
            "delay = 1  # sampling intervals between measurement and torque",
            "",
        ]
    )


_END = """\
[realtime]  # how often the background of the two-rate structure must run; docs/real-time.md
order = "first"
seconds = 30.0  # time limit of the bounds on the hold error; more time makes the bounds of large arms tighter

[generate]
targets = ["c", "rt-c"]  # and any that torquec generate offers
precision = "double"
"""


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
