"""The closed form: known counts, the recursion on any robot, couplings, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from tests.closedform.reference import body_positions, collected_model, coupling, panda_arm, recursion, values
from tests.dynamics.random_robots import PLACEMENTS, random_robot

from torquec.closedform import closed_form
from torquec.errors import RobotError
from torquec.robot.classics import load_classic
from torquec.robot.robot import Body, Joint, JointType, Robot
from torquec.spatial import Inertia, Pose

STATES = 400


def states(robot, size=STATES):
    return np.random.default_rng(7).uniform(-3.0, 3.0, (size, robot.n))


def assert_close(found, expected, share=1e-11):
    """Every entry to a share of its own largest value over all states.

    An entry that is nothing but rounding is measured by the largest entry of the matrix.
    """
    largest = np.abs(expected).max(axis=0)
    allowed = np.where(largest > 1e-12 * largest.max(), largest, largest.max())
    assert np.all(np.abs(found - expected).max(axis=0) <= share * allowed)


def assert_mass_matrix_is_the_recursion(robot):
    """Mimic joints coupled."""
    form, q = closed_form(robot), states(robot)
    at, T = body_positions(robot, q), coupling(robot)
    assert_close(np.einsum("bi,Nbc,cj->Nij", T, values(form.mass, at), T), recursion(robot, "mass_matrix", q=q))


def assert_gravity_is_the_recursion(robot):
    """Mimic joints coupled."""
    form, q = closed_form(robot), states(robot)
    found = values(form.g, body_positions(robot, q)) @ coupling(robot)
    assert_close(found, recursion(robot, "gravity_torque", q=q))


# --- known answers --------------------------------------------------------------------------------------------------


def test_planar_arm_of_the_textbooks():
    """Two links with point masses: M11 = I1 + I2 + m1 r1^2 + m2 (l1^2 + r2^2) + 2 m2 l1 r2 C2, and so on."""
    robot = load_classic("planar2r")
    form = closed_form(robot)
    assert form.terms == {"M": 5, "g": 3}
    moment = robot.bodies[1].inertia.first_moment[0]
    ((_, coupled),) = [(m, c) for m, c in form.M[0, 1] if m]
    assert coupled == pytest.approx(moment * 1.0, rel=1e-12)
    assert form.M[1, 1].depends_on == ()


def test_number_of_terms():
    ur5 = closed_form(collected_model("ur5")).terms
    assert ur5["M"] <= 68
    assert ur5["g"] <= 7


def test_number_of_terms_of_the_panda(tmp_path):
    assert closed_form(panda_arm(tmp_path)).terms["M"] <= 3269


# --- laws -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_mass_matrices_of_random_trees(seed):
    assert_mass_matrix_is_the_recursion(random_robot(seed, bodies=5, mimic=False))
    assert_mass_matrix_is_the_recursion(random_robot(100 + seed, bodies=5))


@pytest.mark.parametrize("seed", range(12))
def test_gravity_of_random_trees(seed):
    """Without axes that are parallel but for 1e-7: their frames are far away, and the potential has too few digits."""
    apart = tuple(placement for placement in PLACEMENTS if placement != "nearly parallel")
    assert_gravity_is_the_recursion(random_robot(seed, bodies=5, mimic=False, placements=apart))
    assert_gravity_is_the_recursion(random_robot(100 + seed, bodies=5, placements=apart))


@pytest.mark.parametrize("name", ["puma560", "puma260", "stanford", "scara", "planar3r"])
def test_classics_are_the_recursion(name):
    assert_mass_matrix_is_the_recursion(load_classic(name))
    assert_gravity_is_the_recursion(load_classic(name))


@pytest.mark.parametrize("name", ["ur5", "ur3", "xarm7", "go2", "double_pendulum_continuous"])
def test_collected_robots_are_the_recursion(name):
    assert_mass_matrix_is_the_recursion(collected_model(name))
    assert_gravity_is_the_recursion(collected_model(name))


def test_an_arm_with_coupled_fingers_is_the_recursion():
    assert_mass_matrix_is_the_recursion(collected_model("wx250s_mimic"))


def test_panda_is_the_recursion(tmp_path):
    assert_mass_matrix_is_the_recursion(panda_arm(tmp_path))
    assert_gravity_is_the_recursion(panda_arm(tmp_path))


@pytest.mark.parametrize("name", ["puma560", "stanford"])
def test_christoffel_symbols_are_the_coriolis_matrix(name):
    robot = load_classic(name)
    form, q = closed_form(robot), states(robot, 50)
    qd = np.random.default_rng(8).uniform(-2, 2, q.shape)
    symbols = values(
        tuple(
            tuple(tuple(form.christoffel(i, j, k) for k in range(form.n)) for j in range(form.n)) for i in range(form.n)
        ),
        q,
    )
    found = np.einsum("Nijk,Nk->Nij", symbols, qd)
    expected = recursion(robot, "coriolis_matrix", q=q, qd=qd)
    np.testing.assert_allclose(found, expected, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(4))
def test_velocity_torque_of_random_trees(seed):
    robot = random_robot(seed, bodies=4, mimic=False)
    form, q = closed_form(robot), states(robot, 20)
    qd = np.random.default_rng(9).uniform(-2, 2, q.shape)
    found = np.zeros(q.shape)
    for i in range(form.n):
        for j in range(form.n):
            for k in range(form.n):
                found[:, i] += form.christoffel(i, j, k)(q) * qd[:, j] * qd[:, k]
    expected = recursion(robot, "velocity_torque", q=q, qd=qd)
    np.testing.assert_allclose(found, expected, atol=1e-10 * max(1.0, np.abs(expected).max()))


def test_exact_zeros_are_zeros():
    form = closed_form(load_classic("puma560"))
    assert not form.M[3, 4]
    assert not form.M[4, 5]
    assert not form.g[0]
    assert not form.g[5]
    assert not form.christoffel(0, 0, 0)


def test_dependence_is_visible():
    """Row i of M does not depend on joints up to i; gravity not on the first, vertical one."""
    form = closed_form(load_classic("puma560"))
    assert form.M[0, 0].depends_on == (1, 2, 3, 4)
    assert form.M[1, 1].depends_on == (2, 3, 4)
    assert form.M[5, 5].depends_on == ()
    assert form.g[1].depends_on == (1, 2, 3, 4)


def test_dependence_is_that_of_the_values():
    robot = load_classic("puma560")
    form, q = closed_form(robot), states(robot, 20)
    before = values(form.mass, q)
    for joint in range(6):
        moved = q.copy()
        moved[:, joint] += 0.7
        changed = np.abs(values(form.mass, moved) - before).max(axis=0) > 1e-9
        depends = [[joint in form.M[i, j].depends_on for j in range(6)] for i in range(6)]
        np.testing.assert_array_equal(changed, depends)


# --- misuse ---------------------------------------------------------------------------------------------------------


def test_links_without_inertia_are_named():
    robot = collected_model("fanuc_m10ia_noinertia")
    with pytest.raises(RobotError, match=r"link_1 \(line 25\), link_2 \(line 42\)"):
        closed_form(robot)


def chain(n):
    """n joints at right angles to each other, all of them felt by the first."""
    turn = Pose(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)), (0.1, 0.2, 0.3))
    inertia = Inertia(xx=0.1, yy=0.2, zz=0.2, mx=0.1, m=1.0)
    joints = [Joint(f"j{i}", JointType.REVOLUTE, turn) for i in range(n)]
    return Robot("long", tuple(Body(f"b{i}", i - 1, joint, inertia) for i, joint in enumerate(joints)))


def test_too_many_joints_in_one_entry_are_refused():
    with pytest.raises(RobotError, match="depends on 11 joints") as caught:
        closed_form(chain(12))
    assert "torquec.compile" in caught.value.remedy
    assert "nine joints" in caught.value.remedy


def test_the_recursion_has_no_such_limit():
    assert np.isfinite(recursion(chain(12), "mass_matrix", q=np.full((1, 12), 0.6))).all()
