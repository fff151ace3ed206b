"""DH tables: both conventions against the product of their elementary matrices, all forms of inertia, all refusals."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.corpus import good
from tests.robot import reference

from torquec.errors import RobotFileError, TorquecError
from torquec.robot.dh import parse_dh, read_dh
from torquec.robot.friction import Friction
from torquec.robot.robot import JointType, Limits, Mimic, Spring

HEAD = 'name = "arm"\nconvention = "modified"\n'
ROW = 'type = "revolute"\nalpha = 0\na = 0\nd = 0\n'
JOINT = f'[[joint]]\nname = "one"\n{ROW}'
LINK = "link = { mass = 2, com = [0.1, 0.2, 0.3], inertia = [1, 2, 2.5] }\n"


def parse(text):
    return parse_dh(text, source="arm.toml")


def read(tmp_path, text, **options):
    path = tmp_path / "arm.toml"
    path.write_text(text, encoding="utf-8")
    return read_dh(path, **options)


# ---------------------------------------------------------------------------------------------- known answers


def elementary(axis, angle, shift):
    """Rotation by `angle` about the x or z axis and translation by `shift` along it, which commute."""
    c, s = math.cos(angle), math.sin(angle)
    matrix = np.eye(4)
    rows = (1, 2) if axis == "x" else (0, 1)
    matrix[np.ix_(rows, rows)] = [[c, -s], [s, c]]
    matrix["xyz".index(axis), 3] = shift
    return matrix


TABLE = [  # type, alpha, a, theta, d
    ("revolute", 0.3, 0.5, -0.2, 0.4),
    ("prismatic", -1.1, 0.2, 0.7, 0.1),
    ("fixed", 0.6, -0.3, 0.9, 0.2),
    ("continuous", math.pi / 2, 0.0, 0.0, -0.3),
]


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_link_frames_are_the_product_of_the_table(convention):
    text = f'name = "arm"\nconvention = "{convention}"\n'
    for index, (kind, alpha, a, theta, d) in enumerate(TABLE):
        text += f'[[joint]]\nname = "j{index}"\ntype = "{kind}"\n'
        text += f"alpha = {alpha!r}\na = {a}\ntheta = {theta}\nd = {d}\n"
    robot = parse(text)
    q = [0.8, -0.25, 1.9]
    moved = iter(q)
    expected = np.eye(4)
    for index, (kind, alpha, a, theta, d) in enumerate(TABLE):
        value = 0.0 if kind == "fixed" else next(moved)
        x = elementary("x", alpha, a)
        z = elementary("z", theta + value * (kind != "prismatic"), d + value * (kind == "prismatic"))
        expected = expected @ (z @ x if convention == "standard" else x @ z)
        np.testing.assert_allclose(reference.frame_pose(robot, q, f"j{index}_link"), expected, atol=1e-15)
    assert all(joint.axis == (0.0, 0.0, 1.0) for joint in robot.joints)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_inertia_is_given_in_the_link_frame(convention):
    row = "alpha_deg = -90\na = 0.3\ntheta_deg = 30\nd = 0.4\n"
    robot = parse(f'name = "arm"\nconvention = "{convention}"\n[[joint]]\nname = "j"\ntype = "revolute"\n{row}{LINK}')
    pose = reference.homogeneous(robot.frame("j_link").pose)
    center = pose @ [0.1, 0.2, 0.3, 1.0]
    tensor = pose[:3, :3] @ np.diag([1, 2, 2.5]) @ pose[:3, :3].T
    inertia = robot.bodies[0].inertia
    np.testing.assert_allclose(inertia.center_of_mass, center[:3], atol=1e-15)
    np.testing.assert_allclose(inertia.central_tensor, tensor, atol=1e-14)


@pytest.mark.parametrize("quarters", range(-5, 6))
@pytest.mark.parametrize("unit", ["degrees", "radians"])
def test_right_angles_are_exact(quarters, unit):
    value = f"alpha_deg = {90 * quarters}" if unit == "degrees" else f"alpha = {quarters * math.pi / 2!r}"
    robot = parse(f'{HEAD}[[joint]]\nname = "one"\ntype = "continuous"\n{value}\na = 0\nd = 0\n')
    rotation = robot.joints[0].placement.rotation
    assert {abs(entry) for row in rotation for entry in row} == {0.0, 1.0}
    assert rotation[1][1] == round(math.cos(quarters * math.pi / 2))
    assert rotation[2][1] == round(math.sin(quarters * math.pi / 2))


def test_an_angle_beside_a_right_one_is_kept():
    assert parse(HEAD + JOINT.replace("alpha = 0", "alpha = 1.5708")).joints[0].placement.rotation[1][1] != 0.0


@pytest.mark.parametrize(
    "link",
    [
        "{ mass = 2, com = [0.5, 0, 0], inertia = [1, 2, 3] }",
        "{ mass = 2, com = [0.5, 0, 0], inertia = [[1, 0, 0], [0, 2, 0], [0, 0, 3]] }",
        "{ mass = 2, first_moment = [1, 0, 0], inertia = [1, 2, 3] }",
        '{ mass = 2, com = [0.5, 0, 0], inertia = [1, 2.5, 3.5], about = "origin" }',
        '{ mass = 2, first_moment = [1, 0, 0], inertia = [1, 2.5, 3.5], about = "origin" }',
        "{ m = 2, mx = 1, Ixx = 1, Iyy = 2.5, Izz = 3.5 }",
    ],
)
def test_every_form_of_inertia_is_the_same_body(link):
    inertia = parse(f"{HEAD}{JOINT}link = {link}").bodies[0].inertia
    assert inertia.parameters == (1.0, 0.0, 0.0, 2.5, 0.0, 3.5, 1.0, 0.0, 0.0, 2.0)


def test_joint_details():
    robot = parse(
        f"""{HEAD}gravity = [1, 2, 3]
{JOINT}limits = {{ lower_deg = -90, upper = 2, velocity = 3, effort = 4 }}
friction = {{ viscous_positive = 1, viscous_negative = 2, coulomb = 3, offset = -4 }}
spring = {{ stiffness = 5, rest = 0.1 }}
motor = {{ rotor_inertia = 0.1, gear_ratio = -20, friction = {{ viscous = 0.5 }} }}
[[joint]]
name = "two"
parent = "base"
mimic = {{ joint = "one", multiplier = -2, offset = 0.5 }}
motor = {{ reflected_inertia = 3 }}
{ROW}"""
    )
    one, two = (body.joint for body in robot.bodies)
    assert one.limits == Limits(-math.pi / 2, 2.0, 3.0, 4.0)
    assert one.friction == Friction(1.0, 2.0, 3.0, 3.0, -4.0)
    assert one.spring == Spring(5.0, 0.1)
    assert two.mimic == Mimic("one", -2.0, 0.5)
    assert robot.bodies[1].parent == -1
    assert robot.gravity == (1.0, 2.0, 3.0)
    assert [motor.name for motor in robot.drives.motors] == ["one", "two"]
    # The motor of the mimic joint turns with the joint that it follows.
    assert robot.drives.transmission == ((-20.0,), (-2.0,))
    assert robot.drives.reflected_inertia(1) == ((0.1 * 400 + 3 * 4,),)
    assert robot.drives.motors[0].friction == Friction.symmetric(viscous=0.5)


@pytest.mark.parametrize("row", ["{ wrist = 45, roll = -32 }", "[0, 45, -32]"])
def test_coupled_motors(row):
    joints = "".join(f'[[joint]]\nname = "{name}"\n{ROW}' for name in ("arm", "wrist", "roll"))
    robot = parse(f'{HEAD}{joints}[[motor]]\nname = "m"\nrotor_inertia = 0.01\ntransmission = {row}\n')
    assert robot.drives.transmission == ((0.0, 45.0, -32.0),)
    assert robot.drives.reflected_inertia(3)[1][2] == pytest.approx(-0.01 * 45 * 32)


def test_named_frames():
    frame = '[[frame]]\nname = "tool"\njoint = "one"\nxyz = [1, 0, 0]\nrpy_deg = [0, 0, 90]\n'
    robot = parse(f'{HEAD}{JOINT}{frame}[[frame]]\nname = "table"\njoint = "base"\nxyz = [0, 0, -1]\n')
    np.testing.assert_allclose(reference.frame_pose(robot, [math.pi / 2], "tool")[:3, 3], [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(reference.frame_pose(robot, [0], "tool")[:3, 0], [0, 1, 0], atol=1e-15)
    assert robot.frame("table").body == -1


# -------------------------------------------------------------------------------------------------------- laws


def test_a_fixed_joint_welds_without_changing_the_dynamics():
    """A link split in two by a fixed joint moves as the whole one does."""
    weld = '[[joint]]\nname = "weld"\ntype = "fixed"\nalpha = 0.3\na = 0.2\ntheta = 0.1\nd = 0.4\n'
    split = f"{HEAD}{JOINT}{LINK}{weld}{LINK}"
    robot = parse(split)
    moving = parse(split.replace('"fixed"', '"revolute"'))
    assert robot.n == 1
    state = [0.4], [1.3], [-0.7]
    still = [[value[0], 0.0] for value in state]
    expected = reference.inverse_dynamics(moving, *still, gravity=(1, 2, 3))[:1]
    np.testing.assert_allclose(reference.inverse_dynamics(robot, *state, gravity=(1, 2, 3)), expected, atol=1e-13)
    np.testing.assert_allclose(
        reference.frame_pose(robot, [0.4], "weld_link"), reference.frame_pose(moving, [0.4, 0], "weld_link"), atol=1e-15
    )


@pytest.mark.parametrize("seed", range(5))
def test_standard_and_modified_tables_of_one_arm_agree(seed):
    """A standard row's (theta, d) joined with the previous row's (alpha, a) is a modified row."""
    random = np.random.default_rng(seed)
    n = 4
    kinds = [["revolute", "prismatic"][random.integers(2)] for _ in range(n)]
    alpha, a, theta, d = random.uniform(-1, 1, (4, n))
    masses, centers = random.uniform(1, 3, n), random.uniform(-1, 1, (n, 3))

    def table(convention, rows, inertias):
        text = f'name = "arm"\nconvention = "{convention}"\n'
        for index, ((x_angle, x_shift), (kind, mass, center)) in enumerate(zip(rows, inertias, strict=True)):
            text += f'[[joint]]\nname = "j{index}"\ntype = "{kind}"\nalpha = {x_angle}\na = {x_shift}\n'
            text += f"theta = {theta[index]}\nd = {d[index]}\n"
            text += f"link = {{ mass = {mass}, com = {list(map(float, center))}, inertia = [0, 0, 0] }}\n"
        return parse(text)

    rows = list(zip(alpha.tolist(), a.tolist(), strict=True))
    standard = table("standard", rows, zip(kinds, masses.tolist(), centers, strict=True))
    # Link frame i of the standard table lies Rx(alpha) Tx(a) beyond that of the modified one: point masses move along.
    moved = [(elementary("x", *row) @ [*center, 1])[:3] for row, center in zip(rows, centers, strict=True)]
    modified = table("modified", [(0.0, 0.0), *rows[:-1]], zip(kinds, masses.tolist(), moved, strict=True))
    q, qd, qdd = random.uniform(-1, 1, (3, n))
    np.testing.assert_allclose(
        reference.inverse_dynamics(standard, q, qd, qdd), reference.inverse_dynamics(modified, q, qd, qdd), atol=1e-12
    )


# ------------------------------------------------------------------------------------------------------ misuse

BAD = {
    "not TOML": ("name = ", 1, "not TOML"),
    "comma": (f"{HEAD}gravity = 9,81", 3, "not TOML"),
    "no name": ('convention = "modified"', 1, "'name' is missing"),
    "no convention": ('name = "arm"', 1, "'convention' is missing"),
    "convention": ('name = "arm"\nconvention = "craig"', 2, "'standard', 'modified'"),
    "no joints": (HEAD, 1, "no moving joint"),
    "only fixed": (HEAD + JOINT.replace("revolute", "fixed") + "theta = 0\n", 3, "no moving joint"),
    "unknown key": (f"{HEAD}colour = 1\n{JOINT}", 3, "unknown key 'colour'"),
    "unknown joint key": (f"{HEAD}{JOINT}alpa = 0\n", 9, "unknown key 'joint[0].alpa'"),
    "missing alpha": (HEAD + JOINT.replace("alpha = 0\n", ""), 3, "'joint[0].alpha' is missing"),
    "missing theta": (HEAD + JOINT.replace("revolute", "prismatic"), 3, "theta' is missing"),
    "both units": (f"{HEAD}{JOINT}alpha_deg = 0\n", 9, "'alpha' and 'alpha_deg'"),
    "type": (HEAD + JOINT.replace("revolute", "ball"), 5, "'ball'"),
    "floating": (HEAD + JOINT.replace("revolute", "floating"), 5, "'revolute', 'continuous', 'prismatic', 'fixed'"),
    "nan": (HEAD + JOINT.replace("d = 0", "d = nan"), 8, "nan"),
    "infinite": (HEAD + JOINT.replace("d = 0", "d = inf"), 8, "finite number"),
    "text as number": (HEAD + JOINT.replace("d = 0", 'd = "0"'), 8, "finite number"),
    "bool as number": (HEAD + JOINT.replace("d = 0", "d = true"), 8, "finite number"),
    "same name": (f"{HEAD}{JOINT}{JOINT}", 10, "two joints named 'one'"),
    "base": (HEAD + JOINT.replace('"one"', '"base"'), 4, "none 'base'"),
    "parent": (f'{HEAD}{JOINT}parent = "two"\n', 9, "unknown parent 'two'"),
    "limits": (f"{HEAD}{JOINT}limits = {{ lower = 2, upper = 1 }}\n", 9, "exchange"),
    "limit key": (f"{HEAD}{JOINT}limits = {{ low = 2 }}\n", 9, "unknown key 'joint[0].limits.low'"),
    "effort": (f"{HEAD}{JOINT}limits = {{ effort = -2 }}\n", 9, "magnitude"),
    "friction": (f"{HEAD}{JOINT}friction = {{ coulomb_negative = -2 }}\n", 9, "magnitude"),
    "friction twice": (f"{HEAD}{JOINT}friction = {{ coulomb = 1, coulomb_positive = 2 }}\n", 9, "by direction"),
    "spring": (f"{HEAD}{JOINT}spring = {{ rest = 1 }}\n", 9, "stiffness' is missing"),
    "mimic of nothing": (f'{HEAD}{JOINT}mimic = {{ joint = "x" }}\n', 9, "does not move"),
    "mimic of itself": (f'{HEAD}{JOINT}mimic = {{ joint = "one" }}\n', 9, "circle"),
    "motor": (f"{HEAD}{JOINT}motor = {{ rotor_inertia = 1 }}\n", 9, "gear_ratio' is missing"),
    "motor twice": (
        f"{HEAD}{JOINT}motor = {{ reflected_inertia = 1, gear_ratio = 2 }}\n",
        9,
        "and 'reflected_inertia'",
    ),
    "rotor": (f"{HEAD}{JOINT}motor = {{ reflected_inertia = -1 }}\n", 9, "not negative"),
    "coupling": (f'{HEAD}{JOINT}[[motor]]\nname = "m"\ntransmission = {{ two = 1 }}\n', 11, "unknown joint 'two'"),
    "motor name": (
        f'{HEAD}{JOINT}motor = {{ reflected_inertia = 1 }}\n[[motor]]\nname = "one"\ntransmission = [1]\n',
        11,
        "two motors named 'one'",
    ),
    "coupling row": (f'{HEAD}{JOINT}[[motor]]\nname = "m"\ntransmission = [1, 2]\n', 11, "one number per joint"),
    "frame joint": (f'{HEAD}{JOINT}[[frame]]\nname = "f"\njoint = "two"\n', 11, "unknown joint 'two'"),
    "frame name": (f'{HEAD}{JOINT}[[frame]]\nname = "one_link"\njoint = "one"\n', 10, "named 'one_link'"),
    "mass": (f"{HEAD}{JOINT}link = {{ com = [0, 0, 0], inertia = [1, 1, 1] }}\n", 9, "mass' is missing"),
    "two forms": (f"{HEAD}{JOINT}link = {{ mass = 1, Ixx = 1 }}\n", 9, "the ten parameters"),
    "two centres": (
        f"{HEAD}{JOINT}link = {{ mass = 1, com = [0, 0, 0], first_moment = [0, 0, 0], inertia = [1, 1, 1] }}\n",
        9,
        "give one",
    ),
    "no centre": (
        f"{HEAD}{JOINT}link = {{ mass = 0, first_moment = [1, 0, 0], inertia = [1, 1, 1] }}\n",
        9,
        "no centre of mass",
    ),
    "tensor size": (f"{HEAD}{JOINT}link = {{ mass = 1, com = [0, 0, 0], inertia = [1, 1] }}\n", 9, "[Ixx, Iyy, Izz]"),
    "not symmetric": (
        f"{HEAD}{JOINT}[joint.link]\nmass = 1\ncom = [0, 0, 0]\ninertia = [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]\n",
        12,
        "not symmetric",
    ),
    "negative mass": (f"{HEAD}{JOINT}link = {{ mass = -1, com = [0, 0, 0], inertia = [1, 1, 1] }}\n", 9, "negative"),
    "negative moment": (
        f"{HEAD}{JOINT}[joint.link]\nmass = 1\ncom = [0, 0, 0]\ninertia = [1, 1, -1]\n",
        12,
        "negative principal moment",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused_with_line_and_remedy(tmp_path, case):
    text, line, fragment = BAD[case]
    with pytest.raises(RobotFileError) as caught:
        read(tmp_path, text)
    assert fragment in str(caught.value)
    assert caught.value.where == f"{tmp_path / 'arm.toml'}:{line}"
    assert caught.value.remedy


def test_warnings_and_strict(tmp_path):
    text = f"{HEAD}{JOINT}link = {{ mass = 1, com = [0, 0, 0], inertia = [1, 1, 3] }}\n"
    warnings = read(tmp_path, text).warnings
    assert any("triangle" in warning.text and warning.where.endswith(":9") for warning in warnings)
    assert any("limit" in warning.text for warning in warnings)
    with pytest.raises(RobotFileError, match="triangle"):
        read(tmp_path, text, strict=True)


def test_a_link_without_inertia_is_reported(tmp_path):
    robot = read(tmp_path, HEAD + JOINT)
    assert robot.bodies[0].lacking_inertia == ("one_link",)
    assert any("one_link" in warning.text for warning in robot.warnings)


def test_gravity_argument_replaces_the_file(tmp_path):
    assert read(tmp_path, HEAD + JOINT, gravity=(0.0, 0.0, 0.0)).gravity == (0.0, 0.0, 0.0)
    assert read(tmp_path, HEAD + JOINT).gravity == (0.0, 0.0, -9.81)


def test_types_of_joints():
    robot = parse(HEAD + JOINT.replace("revolute", "prismatic") + "theta = 0\n")
    assert robot.joints[0].type is JointType.PRISMATIC


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_one_limit_alone_leaves_the_other_open(kind):
    table = HEAD + JOINT.replace("revolute", kind) + ("" if kind == "revolute" else "theta = 0\n")
    upper = parse(table + "limits = { upper = 0.5 }\n").joints[0].limits
    lower = parse(table + "limits = { lower = 0.5 }\n").joints[0].limits
    assert (upper.lower, upper.upper, lower.lower, lower.upper) == (-math.inf, 0.5, 0.5, math.inf)


WHOLE = f"""{HEAD}gravity = [0, 0, -9.81]
{JOINT}limits = {{ lower = -1, upper = 1 }}
{LINK}[[motor]]
name = "m"
transmission = [3]
[[frame]]
name = "tool"
joint = "one"
"""


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(WHOLE)), st.integers(0, 6), st.text(alphabet='0-.,[]{}="\nabn#', max_size=4))
def test_mutations_raise_nothing_but_our_own_errors(start, length, put):
    with contextlib.suppress(TorquecError):
        parse(WHOLE[:start] + put + WHOLE[start + length :])


def test_the_example_of_the_documentation_loads():
    page = (Path(__file__).resolve().parents[2] / "docs" / "dh.md").read_text(encoding="utf-8")
    example = page.split("```toml\n")[1].split("```")[0]
    assert parse(example).joint_names == ("shoulder", "slide")


def test_what_a_table_leaves_out_and_what_may_be_zero(tmp_path):
    """A mimic joint follows one to one unless the table says otherwise; limits of zero are limits."""
    text = good.DH.replace(", multiplier = -2.0, offset = 0.5", "").replace(
        "velocity = 3, effort = 50", "velocity = 0, effort = 0"
    )
    (tmp_path / "arm.toml").write_text(text)
    robot = read_dh(tmp_path / "arm.toml")
    assert robot.bodies[2].joint.mimic == Mimic("shoulder", 1.0, 0.0)
    limits = robot.joints[0].limits
    assert (limits.velocity, limits.effort) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('seed = 0\nrobot = "arm.urdf"\n', "a project file"),
        ("[every_joint]\ntorque_error = 1.0\n", "a file of requirements or uncertainties"),
    ],
)
def test_other_toml_files_are_named(tmp_path, text, title):
    path = tmp_path / "other.toml"
    path.write_text(text)
    with pytest.raises(RobotFileError, match=f"this is {title}, not a robot"):
        read_dh(path)
