"""DH tables with one thing wrong; see `bad_robots` for what a case says."""

from __future__ import annotations

from tests.corpus.bad_robots import BadFile

_LINK = "link = { mass = 3.0, com = [0.1, 0, 0], inertia = [0.1, 0.2, 0.2] }"
_MOTOR = "motor = { rotor_inertia = 1e-4, gear_ratio = 50 }"
_LIMITS = "limits = { lower_deg = -90, upper_deg = 90, velocity = 3, effort = 50 }"
_SPRING = "spring = { stiffness = 20, rest = 0.1 }"


def _error(old: str, new: str, line: int | None, words: str) -> BadFile:
    return BadFile(old, new, line, words)


DH = {
    "empty": _error("", "", 1, "'name' is missing"),
    "no TOML": _error("", "name: arm", 1, "not TOML"),
    "a name in bare words": _error('name = "arm"', "name = arm", 1, "not TOML"),
    "a comma for a point": _error("d = 0.3", "d = 0,3", 10, "numbers have a point, not a comma"),
    "a key twice": _error("a = 0\n", "a = 0\na = 1\n", 10, "not TOML"),
    "no name": _error('name = "arm"', "", 1, "'name' is missing"),
    "a name that is a number": _error('name = "arm"', "name = 3", 1, "'name' is 3"),
    "an empty name": _error('name = "arm"', 'name = " "', 1, "give a text in quotes"),
    "no convention": _error('convention = "modified"', "", 1, "'convention' is missing"),
    "an unknown convention": _error('"modified"', '"craig"', 2, "use one of 'standard', 'modified'"),
    "gravity as a number": _error("gravity = [0, 0, -9.81]", "gravity = -9.81", 3, "give three numbers"),
    "gravity of two numbers": _error("gravity = [0, 0, -9.81]", "gravity = [0, -9.81]", 3, "give three numbers"),
    "infinite gravity": _error("gravity = [0, 0, -9.81]", "gravity = [0, 0, -inf]", 3, "give a finite number"),
    "no joints": _error("", 'name = "a"\nconvention = "modified"', 1, "has no moving joint"),
    "joints that are no tables": _error(
        "", 'name = "a"\nconvention = "modified"\njoint = 3', 3, "is not a list of tables"
    ),
    "a joint without a name": _error('name = "elbow"\n', "", 16, "'joint[1].name' is missing"),
    "two joints of one name": _error('name = "elbow"', 'name = "shoulder"', 17, "'shoulder'"),
    "an unknown type": _error('type = "prismatic"', 'type = "slide"', 18, "'joint[1].type' is 'slide'"),
    "an unknown key": _error("a = 0.4", "a = 0.4\nr = 1", 21, "unknown key 'joint[1].r'"),
    "a key in capitals": _error("a = 0.4", "A = 0.4", 16, "'joint[1].a' is missing"),
    "an angle twice": _error("alpha_deg = 90", "alpha_deg = 90\nalpha = 0", 8, "'alpha' and 'alpha_deg'"),
    "no angle": _error("alpha_deg = 90", "", 5, "'joint[0].alpha' is missing"),
    "a length in words": _error("a = 0.4", 'a = "0.4"', 20, "give a finite number"),
    "a length that is true": _error("a = 0.4", "a = true", 20, "give a finite number"),
    "a length that is NaN": _error("a = 0.4", "a = nan", 20, "give a finite number"),
    "a length of 400 digits": _error("a = 0.4", f"a = {'9' * 400}", 20, "a number of more than 300 digits"),
    "a length of 5000 digits": _error("a = 0.4", f"a = {'9' * 5000}", 20, "a number of more than 300 digits"),
    "a length of 5000 hexadecimal digits": _error("a = 0.4", f"a = 0x{'f' * 5000}", 20, "more than 300 digits"),
    "a length beyond measure": _error("a = 0.4", "a = 1e40", 23, "is too large"),
    "deep nesting": _error("a = 0.4", f"a = {'[' * 5000}", 1, "nested too deep"),
    "a key of many names": _error("a = 0.4", f"{'.'.join('a' * 60)} = 1", 20, "a key of more than 50 names"),
    "limits the wrong way round": _error(
        "lower_deg = -90, upper_deg = 90", "lower = 1, upper = -1", 11, "is above the upper limit"
    ),
    "a negative effort": _error("effort = 50", "effort = -50", 11, "the effort limit -50 is negative"),
    "an unknown limit": _error("effort = 50", "force = 50", 11, "unknown key 'joint[0].limits.force'"),
    "limits that are no table": _error(_LIMITS, "limits = 90", 11, "give a table"),
    "negative friction": _error("viscous = 0.5", "viscous = -0.5", 12, "the viscous friction -0.5 is negative"),
    "friction twice": _error("viscous = 0.5", "viscous = 0.5, viscous_positive = 1", 12, "and a value by direction"),
    "a word of friction too few": _error(", stribeck_speed = 0.1", "", 12, "'stribeck' without 'stribeck_speed'"),
    "a speed of zero": _error("stribeck_speed = 0.1", "stribeck_speed = 0", 12, "'stribeck_speed' is 0"),
    "an unknown friction": _error("viscous = 0.5", "sticky = 0.5", 12, "unknown key 'joint[0].friction.sticky'"),
    "a gear ratio of 0": _error("gear_ratio = 50", "gear_ratio = 0", 13, "the gear ratio is 0"),
    "a gear ratio of 1e200": _error("gear_ratio = 50", "gear_ratio = 1e200", 6, "1e+200 times as fast"),
    "a negative rotor inertia": _error("rotor_inertia = 1e-4", "rotor_inertia = -1e-4", 13, "negative"),
    "a motor that is no table": _error(_MOTOR, "motor = 50", 13, "give a table"),
    "an unknown word of a motor": _error("gear_ratio = 50", "ratio = 50", 13, "motor.gear_ratio' is missing"),
    "a negative spring": _error("stiffness = 20", "stiffness = -20", 17, "the stiffness -20"),
    "a spring without stiffness": _error(
        _SPRING, "spring = { rest = 1 }", 22, "'joint[1].spring.stiffness' is missing"
    ),
    "no link": BadFile(_LINK, "", 5, "link 'shoulder_link' has no inertia", warning=True),
    "a negative mass": _error("mass = 3.0", "mass = -3.0", 14, "negative"),
    "a mass in words": _error("mass = 3.0", 'mass = "3 kg"', 14, "give a finite number"),
    "no mass": _error("mass = 3.0, ", "", 14, "'joint[0].link.mass' is missing"),
    "a centre of two numbers": _error("com = [0.1, 0, 0]", "com = [0.1, 0]", 14, "give three numbers"),
    "a negative moment": _error(
        "inertia = [0.1, 0.2, 0.2]", "inertia = [-0.1, 0.2, 0.2]", 14, "negative principal moment"
    ),
    "a tensor of two numbers": _error("inertia = [0.1, 0.2, 0.2]", "inertia = [0.1, 0.2]", 14, "inertia"),
    "a tensor that is not symmetric": _error("[[0.01, 0, 0]", "[[0.01, 0.1, 0]", 23, "inertia"),
    "a tensor of words": _error("inertia = [0.1, 0.2, 0.2]", 'inertia = ["a", "b", "c"]', 14, "give a finite number"),
    "a mimic of nothing": _error('joint = "shoulder"', 'joint = "knee"', 31, "'knee'"),
    "a mimic of itself": _error('joint = "shoulder"', 'joint = "grip"', 31, "grip -> grip follow each other"),
    "a mimic of 1e300": _error("multiplier = -2.0", "multiplier = 1e300", 26, "mimics with multiplier 1e+300"),
    "an unknown word of a mimic": _error(
        "multiplier = -2.0", "factor = -2.0", 31, "unknown key 'joint[2].mimic.factor'"
    ),
    "a frame on nothing": _error('joint = "grip"', 'joint = "knee"', 36, "'knee'"),
    "a frame without a name": _error('name = "tool"\n', "", 34, "'frame[0].name' is missing"),
    "a frame of a link's name": _error(
        'name = "tool"', 'name = "grip_link"', 35, "two links or frames named 'grip_link'"
    ),
    "an unknown table": _error("[[frame]]", "[[frames]]", 34, "unknown key 'frames'"),
}
