"""Drives, specifications, maps and columns with one thing wrong; see `bad_robots` for what a case says."""

from __future__ import annotations

from tests.corpus.bad_robots import BadFile


def _error(old: str, new: str, line: int | None, words: str) -> BadFile:
    return BadFile(old, new, line, words)


DRIVES = {
    "no TOML": _error("", "joint: 1", 1, "not TOML"),
    "an unknown joint": _error("[joint.shoulder]", "[joint.knee]", 1, "there is no joint 'knee'"),
    "an unknown key": _error("spring = {", "springs = {", 4, "unknown key"),
    "an unknown table": _error("[[motor]]", "[[motors]]", 7, "unknown key 'motors'"),
    "a joint that is no table": _error("", "joint = 3", 1, "give a table"),
    "a negative rotor inertia": _error("rotor_inertia = 3.5e-4", "rotor_inertia = -1", 2, "negative"),
    "a gear ratio of 0": _error("gear_ratio = 32.0", "gear_ratio = 0", 2, "the gear ratio is 0"),
    "a gear ratio of 1e200": _error("gear_ratio = 32.0", "gear_ratio = 1e200", None, "1e+200 times as fast"),
    "a negative spring": _error("stiffness = 40.0", "stiffness = -40.0", 1, "has the stiffness -40"),
    "negative friction": _error("viscous = 8.0", "viscous = -8.0", 3, "the viscous friction -8 is negative"),
    "friction in words": _error("viscous = 8.0", 'viscous = "much"', 3, "give a finite number"),
    "a counterbalance without a lever": _error("lever = 0.2, ", "", 5, "lever"),
    "a motor without a name": _error('name = "shaft"\n', "", 7, "'motor[0].name' is missing"),
    "a motor of nothing": _error("transmission = { elbow = 45.0 }", "transmission = { knee = 45.0 }", 11, "knee"),
    "a motor that turns nothing": _error(
        "transmission = { elbow = 45.0 }", "transmission = { elbow = 0.0 }", 11, "turns with no joint"
    ),
    "two motors of one name": _error('name = "shaft"', 'name = "shoulder"', 7, "two motors are called 'shoulder'"),
    "5000 digits": _error("gear_ratio = 32.0", f"gear_ratio = {'9' * 5000}", 2, "more than 300 digits"),
}

SPECIFICATION = {
    "empty": _error("", "", 1, "nothing is required of joint 'joint1'"),
    "another robot": _error('robot = "planar2r"', 'robot = "scara"', 1, "is for robot 'scara'"),
    "an unknown key": _error("torque_error = 2.0", "torque = 2.0", 6, "unknown key 'every_joint.torque'"),
    "an unknown joint": _error('name = "joint2"', 'name = "joint9"', 9, "no independent joint 'joint9'"),
    "a joint without a name": _error('name = "joint2"\n', "", 8, "'joint[0].name' is missing"),
    "a negative speed": _error("velocity = 1.0", "velocity = -1.0", 4, "'velocity' is -1"),
    "a speed of zero": _error("velocity = 1.0", "velocity = 0", 4, "give a positive number"),
    "a speed in words": _error("velocity = 1.0", 'velocity = "slow"', 4, "give a finite number"),
    "no acceleration": _error("acceleration = 2.0\n", "", 3, "has no acceleration"),
    "two errors": _error("torque_error = 2.0", "torque_error = 2.0\ntorque_error_part = 0.1", 7, "given twice"),
    "a range of one number": _error("range = [-1.0, 1.5]", "range = [-1.0]", 10, "give two numbers"),
    "a range the wrong way round": _error("range = [-1.0, 1.5]", "range = [1.5, -1.0]", 10, "the smaller first"),
    "a range twice": _error("range = [-1.0, 1.5]", "range = [0, 1]\nrange_deg = [0, 1]", 11, "given twice"),
    "a search for nothing": _error('robot = "planar2r"', 'search = "min_basis_gen"', 1, "no coefficients are fitted"),
    "an unknown search": _error('robot = "planar2r"', 'search = "hard"', 1, "'search' is 'hard'"),
    "control without a motor": _error("torque_error = 2.0", "control = { step_error = 0.1 }", 3, "needs its motor"),
    "control without an error": _error(
        "torque_error = 2.0", "control = { damping_error = 0.1 }", 6, "no steady-state error"
    ),
    "a threshold of zero": _error(
        "torque_error = 2.0", "torque_error = 2.0\n[coefficients]\nthreshold = 0", 8, "'threshold' is 0"
    ),
    "digits by halves": _error(
        "[every_joint]", "[coefficients]\nthreshold = 1\ndigits = 2.5\n[every_joint]", 5, "1 to 17"
    ),
    "400 digits": _error("velocity = 1.0", f"velocity = {'9' * 400}", 4, "more than 300 digits"),
}

LOG_MAP = {
    "no TOML": _error("", "position: q", 1, "not TOML"),
    "an unknown key": _error('time = "t"', 'clock = "t"', None, "clock"),
    "positions that are a number": _error('position = "q_mot{}"', "position = 3", None, "position"),
    "an unknown unit": _error('angle_unit = "deg"', 'angle_unit = "turns"', None, "angle_unit is 'turns'"),
    "gears in words": _error("gear_ratios = [100.0, -50.0]", 'gear_ratios = ["100", "50"]', None, "gear_ratios"),
    "gears that are NaN": _error("gear_ratios = [100.0, -50.0]", "gear_ratios = [nan, 1]", None, "gear_ratios"),
    "a gear of zero": _error("gear_ratios = [100.0, -50.0]", "gear_ratios = [0, 1]", None, "has no inverse"),
    "a gear too few": _error(
        "gear_ratios = [100.0, -50.0]", "gear_ratios = [100.0]", None, "gear_ratios has 1 entries"
    ),
    "two kinds of gears": _error("offset = [0, -90]", "transmission = [[1, 0], [0, 1]]", None, "give one of them"),
    "an unknown side": _error('motor_side = ["torque"]', 'motor_side = ["force"]', None, "motor_side names 'force'"),
    "a sign of two": _error("offset = [0, -90]", "signs = [1, 2]", None, "give 1 or -1"),
    "a delay of milliseconds": _error("delay = 0.002", "delay = 2", None, "a delay of 2 s"),
    "a delay in words": _error("delay = 0.002", 'delay = "2 ms"', None, "delay"),
    "400 digits": _error("delay = 0.002", f"delay = {'9' * 400}", 9, "more than 300 digits"),
    "5000 hexadecimal digits": _error("delay = 0.002", f"delay = 0x{'f' * 5000}", 9, "more than 300 digits"),
    "deep nesting": _error("delay = 0.002", f"delay = {'[' * 5000}", 1, "nested too deep"),
}

COLUMNS = {
    "no TOML": _error("", "gas_spring: 1", 1, "not TOML"),
    "an unknown kind": _error("[[gas_spring]]", "[[spring]]", None, "there are no columns [[spring]]"),
    "a table in place of tables": _error("[[recorded]]", "[recorded]", None, "there are no columns [[recorded]]"),
    "an unknown field": _error("lever = 0.2", "arm = 0.2", None, "there is no field 'arm'"),
    "a field too few": _error("lever = 0.2\n", "", None, "the field 'lever' is missing"),
    "a number in words": _error("lever = 0.2", 'lever = "0.2"', None, "give a number"),
    "a name that is a number": _error('column = "current"', "column = 3", None, "give a name in quotes"),
    "a lever of zero": _error("lever = 0.2", "lever = 0", None, ""),
    "a volume that is NaN": _error("volume = 0.00096", "volume = nan", None, ""),
    "400 digits": _error("lever = 0.2", f"lever = {'9' * 400}", 4, "more than 300 digits"),
}
