"""Equations in symbols: textbook answers, and the numeric model for other numbers in the same symbols."""

from __future__ import annotations

import math
import random
import re

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot
from tests.parameters.serial_arms import QUARTER, dh_arm

import torquec as tq
from torquec.closedform.symbolic_equations import symbolic_equations
from torquec.closedform.symbolic_latex import symbolic_document
from torquec.errors import ArgumentError, RobotError
from torquec.robot.dh import parse_dh


def entries(robot):
    return {name: entry["text"] for name, entry in symbolic_document(symbolic_equations(robot))["entries"].items()}


# --- known answers --------------------------------------------------------------------------------------------------


def test_the_planar_arm_with_two_links_is_that_of_the_textbooks():
    """Spong, Hutchinson and Vidyasagar, Robot Modeling and Control, (6.87)-(6.91): M, h = m2 l1 lc2 s2, gravity."""
    assert entries(tq.classics.planar2r()) == {
        "M[1,1]": "Izz1 + Izz2 + m1*lc1^2 + m2*(l1^2 + lc2^2 + 2*l1*lc2*c2)",
        "M[1,2]": "Izz2 + m2*(lc2^2 + l1*lc2*c2)",
        "M[2,2]": "Izz2 + m2*lc2^2",
        "h[1]": "-m2*l1*lc2*s2*(2*qd1*qd2 + qd2^2)",
        "h[2]": "m2*l1*lc2*s2*qd1^2",
        "g[1]": "(m1*lc1 + m2*l1)*g*c1 + m2*lc2*g*c12",
        "g[2]": "m2*lc2*g*c12",
    }


def test_the_planar_arm_with_three_links_has_sums_of_angles():
    found = entries(tq.classics.planar3r())
    assert found["M[1,3]"] == "Izz3 + m3*(lc3^2 + l1*lc3*c23 + l2*lc3*c3)"
    assert found["g[1]"] == "(m1*lc1 + m2*l1 + m3*l1)*g*c1 + (m2*lc2 + m3*l2)*g*c12 + m3*lc3*g*c123"
    assert found["h[3]"] == "m3*l1*lc3*s23*qd1^2 + m3*l2*lc3*s3*(2*qd1*qd2 + qd1^2 + qd2^2)"


SPHERICAL = """name = "spherical"
convention = "modified"
gravity = [0, 0, -9.81]
[[joint]]
name = "turn"
type = "revolute"
alpha_deg = 0
a = 0
d = 0
link = {{ name = "post", mass = {m1}, com = [0, 0, 0.1], inertia = [0.1, 0.1, {i1}] }}
[[joint]]
name = "lift"
type = "revolute"
alpha_deg = 90
a = 0
d = 0
link = {{ name = "rod", mass = {m2}, com = [{l}, 0, 0], inertia = [{ix}, {iy}, {iz}] }}
"""


def spherical(m1=2.0, i1=0.05, m2=1.5, length=0.4, ix=0.01, iy=0.08, iz=0.09):
    text = SPHERICAL.format(m1=m1, i1=i1, m2=m2, l=length, ix=ix, iy=iy, iz=iz)
    return parse_dh(text, source="spherical.toml")


def test_the_spherical_pendulum():
    """A turning post with a rod that is lifted: T = 1/2 (I + m l^2 c2^2) w^2 + .., U = m g l s2."""
    assert entries(spherical()) == {
        "M[1,1]": "Izz1 + Iyy2*c2^2 + Ixx2*s2^2 + m2*lc2^2*c2^2",
        "M[1,2]": "0",
        "M[2,2]": "Izz2 + m2*lc2^2",
        "h[1]": "2*(Ixx2 - Iyy2 - m2*lc2^2)*c2*s2*qd1*qd2",
        "h[2]": "-(Ixx2 - Iyy2 - m2*lc2^2)*c2*s2*qd1^2",
        "g[1]": "0",
        "g[2]": "m2*lc2*g*c2",
    }


def test_the_scara_feels_gravity_in_its_quill_alone():
    found = entries(tq.classics.scara())
    assert [found[f"g[{k}]"] for k in (1, 2, 3, 4)] == ["0", "0", "(m3 + m4)*g", "0"]
    assert found["M[3,3]"] == "N3^2*J3 + m3 + m4"
    assert found["M[1,3]"] == "0"


# --- the same as the numeric model ----------------------------------------------------------------------------------


def check_equal(robot, *, of=None, states=3):
    """Torques in symbols, of `of` with the values of `robot`, are the model's: as polynomials and as printed."""
    own = symbolic_equations(robot)
    equations = own if of is None else of
    values = {symbol.name: symbol.value for symbol in own.symbols}
    assert set(values) == {symbol.name for symbol in equations.symbols}
    model = tq.compile(robot)
    rng = np.random.default_rng(3)
    for _ in range(states):
        q, qd, qdd = rng.uniform(-2.0, 2.0, (3, robot.n))
        expected = model.inverse_dynamics(q, qd, qdd) - friction(model, qd)
        scale = 1.0 + np.abs(expected).max()
        found = equations.torque(q, qd, qdd, values=values)
        assert np.abs(np.array(found) - expected).max() <= 1e-9 * scale
        printed = from_text(symbolic_document(equations), values, q, qd, qdd)
        assert np.abs(printed - expected).max() <= 1e-9 * scale


def friction(model, qd):
    """What the model's torques have besides links and rotors, where the robot has it: at rest in all but speed."""
    rest = np.zeros(model.robot.n)
    full = model.inverse_dynamics(rest, qd, rest)
    return full - model.inverse_dynamics(rest, rest, rest) - model.velocity_torque(rest, qd)


def from_text(document, values, q, qd, qdd):
    """The torques from the text of the entries, as somebody who has nothing but the page would compute them."""
    n = len(q)
    angles = [x + offset for x, offset in zip(q, document["offsets"], strict=True)]
    names = dict(values) | {f"q{k + 1}": q[k] for k in range(n)} | {f"qd{k + 1}": qd[k] for k in range(n)}
    texts = {name: entry["text"] for name, entry in document["entries"].items()}
    for letter, index in set(re.findall(r"\b([cs])(\d+)\b", " ".join(texts.values()))):
        total = sum(angles[int(digit) - 1] for digit in index)
        names[letter + index] = (math.cos if letter == "c" else math.sin)(total)
    found = {name: eval(text.replace("^", "**"), {}, names) for name, text in texts.items()}
    mass = np.array([[found[f"M[{min(i, j)},{max(i, j)}]"] for j in range(1, n + 1)] for i in range(1, n + 1)])
    rest = np.array([found[f"h[{i}]"] + found[f"g[{i}]"] for i in range(1, n + 1)])
    return mass @ qdd + rest


@pytest.mark.parametrize("make", [tq.classics.planar2r, tq.classics.planar3r, tq.classics.scara, spherical])
def test_classics(make):
    check_equal(make())


def test_the_first_three_joints_of_the_stanford_arm_and_of_the_puma():
    for robot in (tq.classics.stanford(), tq.classics.puma560()):
        check_equal(tq.lock_joints(robot, dict.fromkeys(robot.joint_names[3:], 0.0)))


def small_arm(seed):
    """Rows (prismatic, alpha, a, theta, d) of two to four joints, and gravity, all from a seed."""
    draw = random.Random(seed)
    rows = [
        (
            draw.random() < 0.3,
            draw.choice([0.0, 0.0, QUARTER, -QUARTER, math.pi, 0.7]),
            draw.choice([0.0, 0.3, 0.5]),
            draw.choice([0.0, QUARTER, -QUARTER]),
            draw.choice([0.0, 0.25]),
        )
        for _ in range(draw.randint(2, 4))
    ]
    return rows, draw.choice([(0.0, 0.0, -9.81), (0.0, -9.81, 0.0), (2.0, 1.3, -9.0)])


@pytest.mark.parametrize("seed", range(8))
def test_random_arms_with_other_numbers_in_the_same_symbols(seed):
    """The formulas of one arm, with the lengths of another of the same make, are the other's torques."""
    rows, gravity = small_arm(seed)
    other = [(p, alpha, 1.7 * a, theta, -1.3 * d) for p, alpha, a, theta, d in rows]
    formulas = symbolic_equations(dh_arm("arm", rows, gravity))
    check_equal(dh_arm("arm", other, tuple(0.6 * g for g in gravity)), of=formulas, states=2)


def test_masses_and_inertias_of_another_arm_in_the_same_symbols():
    formulas = symbolic_equations(spherical())
    check_equal(spherical(m1=3.0, i1=0.2, m2=0.7, length=-0.3, ix=0.05, iy=0.03, iz=0.04), of=formulas)


@pytest.mark.parametrize("seed", [4, 8, 17])
def test_trees_with_motors(seed):
    robot = random_robot(seed, bodies=3, mimic=False, placements=("right-angled", "parallel", "collinear"))
    assert [link.parent for link in robot.canonical.links] != [-1, 0, 1]
    check_equal(robot)


def test_an_angle_that_is_not_a_right_one_is_a_symbol_and_an_offset_of_a_joint_is_told():
    robot = dh_arm("arm", [(False, 0.0, 0.0, 0.0, 0.0), (False, 0.7, 0.3, 0.4, 0.0), (False, 0.0, 0.5, 0.0, 0.0)])
    found = symbolic_equations(robot)
    assert {"ca2", "sa2"} <= {symbol.name for symbol in found.symbols}
    assert any(found.offsets)
    check_equal(robot)


# --- misuse ---------------------------------------------------------------------------------------------------------


def test_what_cannot_be_written_is_refused(monkeypatch):
    with monkeypatch.context() as few:
        few.setattr("torquec.closedform.symbolic_equations.MOST_TERMS", 10)
        with pytest.raises(RobotError, match="has more than 10 terms in symbols"):
            symbolic_equations(tq.classics.planar3r())
    follower = next(r for r in (random_robot(seed, bodies=4) for seed in range(50)) if r.n < 4)
    with pytest.raises(RobotError, match="joints that follow others"):
        symbolic_equations(follower)
    oblique = random_robot(3, bodies=3, mimic=False, placements=("right-angled", "parallel"))
    with pytest.raises(RobotError, match="about a common normal alone"):
        symbolic_equations(oblique)
    with pytest.raises(ArgumentError, match="there is no symbol 'l7'"):
        symbolic_equations(tq.classics.planar2r()).torque([0, 0], [0, 0], [0, 0], values={"l7": 1.0})
