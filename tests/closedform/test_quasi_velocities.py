"""Closed form of free, ball and planar joints: known answers, the recursion on any tree, formats."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.closedform.reference import values
from tests.dynamics.test_any_joint import any_robot, state

from torquec import dynamics
from torquec.closedform import closed_form
from torquec.closedform.equations import equations
from torquec.closedform.fourier import CLOVER
from torquec.closedform.html import equations_html
from torquec.closedform.json_form import equations_document
from torquec.closedform.latex import equations_latex
from torquec.closedform.layouts import WHOLE, Matrix, entries
from torquec.closedform.source import equation_functions
from torquec.closedform.text import equations_text
from torquec.errors import ArgumentError
from torquec.expr import evaluate
from torquec.robot.joints import JointType
from torquec.robot.robot import BASE, Body, Joint, Robot
from torquec.spatial import Inertia

SEEDS = (1, 4, 5, 7, 8, 11)
"""Trees of three bodies with all kinds of joints at the base and in the middle, quick to tabulate."""


def body(kind, inertia, parent=BASE, name="base"):
    return Body(name, parent, Joint(f"{name}_joint", JointType(kind)), inertia)


def rigid_body():
    return Robot("top", (body("free", Inertia(0.5, 0.0, 0.0, 0.4, 0.0, 0.3, 0.0, 0.0, 0.6, 2.0)),))


def dense(form, matrix, shape, at, qd=(), qdd=()):
    found = np.zeros(shape)
    for entry in entries(form, matrix):
        value = entry.at(at, qd, qdd)
        found[entry.index] = value
        if matrix is Matrix.M:
            found[entry.index[::-1]] = value
    return found


# --- known answers --------------------------------------------------------------------------------------------------


def test_a_rigid_body_obeys_euler_and_kirchhoff():
    """A centre of mass 0.3 m up the z axis: w x I w, m w x u, and its weight."""
    form = closed_form(rigid_body())
    assert form.names[0] == "base_joint_vx"
    assert str(form.christoffel(3, 4, 5)) == "-0.05"  # (Izz - Iyy) wy wz, half for each order
    assert str(form.christoffel(0, 4, 2)) == "1"  # m (wy uz - wz uy), half for each order
    assert [str(each) for each in form.g] == ["-2*gx", "-2*gy", "-2*gz", "0.6*gy", "-0.6*gx", "0"]


def test_a_ball_at_the_base_is_a_spherical_pendulum():
    inertia = Inertia(0.5, 0.0, 0.0, 0.4, 0.0, 0.3, 0.0, 0.0, -0.6, 2.0)
    form = closed_form(Robot("pendulum", (body("ball", inertia),)))
    assert [str(each) for each in form.g] == ["-0.6*gy", "0.6*gx", "0"]
    assert form.M[0, 0].depends_on == ()


def test_without_gravity_nothing_depends_on_it():
    form = closed_form(Robot("satellite", rigid_body().bodies, gravity=(0.0, 0.0, 0.0)))
    assert form.symbols == ()
    assert not any(form.g)


# --- laws -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_closed_forms_of_any_tree_are_the_recursion(seed):
    robot = any_robot(seed, bodies=3)
    form, n = closed_form(robot), robot.nv
    q, qd, qdd, _ = state(robot, seed)
    at, zero = np.array(form.layout.slots(q)), [0.0] * n
    mass = np.array(dynamics.mass_matrix(robot, list(q)))
    gravity = np.array(dynamics.inverse_dynamics(robot, list(q), zero, zero))
    torque = np.array(dynamics.inverse_dynamics(robot, list(q), list(qd), list(qdd)))
    size = 1e-12 * max(1.0, np.abs(torque).max())
    assert np.abs(dense(form, Matrix.M, (n, n), at) - mass).max() < 1e-12 * np.abs(mass).max()
    assert np.abs(values(form.g, at[None])[0] - gravity).max() < size
    coriolis = dense(form, Matrix.C, (n, n), at, qd)
    assert np.abs(mass @ qdd + coriolis @ qd + gravity - torque).max() < size
    pairs = dense(form, Matrix.H, (n, n, n), at)
    assert np.abs(np.einsum("ijk,j,k->i", pairs + pairs.transpose(0, 2, 1) * (1 - np.eye(n)), qd, qd)
                  - coriolis @ qd).max() < size  # fmt: skip
    turning = sum(
        values(tuple(tuple(form.derivative(each, k) for each in row) for row in form.mass), at[None])[0] * qd[k]
        for k in range(n)
    )
    rest = turning - 2.0 * coriolis
    assert np.abs(rest + rest.T).max() < 1e-12 * max(1.0, np.abs(rest).max())


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_sensitivities_are_the_derivatives_in_the_tangent_space(seed):
    robot = any_robot(seed, bodies=2)
    form, n = closed_form(robot), robot.nv
    q, qd, qdd, _ = state(robot, seed)
    expected = dynamics.inverse_dynamics_derivatives(robot, list(q), list(qd), list(qdd))
    at = np.array(form.layout.slots(q))
    for matrix, known in ((Matrix.DTAU_DQ, expected.dtau_dq), (Matrix.DTAU_DQD, expected.dtau_dqd)):
        size = max(1.0, np.abs(np.array(known, dtype=float)).max())
        assert np.abs(dense(form, matrix, (n, n), at, qd, qdd) - np.array(known, dtype=float)).max() < 1e-11 * size


# --- formats --------------------------------------------------------------------------------------------------------


def test_every_format_names_the_twist_gravity_and_quaternions():
    arm = (
        body("free", Inertia(0.1, 0.0, 0.0, 0.1, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0)),
        body("ball", Inertia(0.1, 0.0, 0.0, 0.1, 0.0, 0.1, 0.2, 0.0, 0.0, 1.0), 0, "arm"),
    )
    form = closed_form(Robot("flying", arm))
    whole = equations(form, WHOLE)
    text, latex, page, document = (
        write(whole) for write in (equations_text, equations_latex, equations_html, equations_document)
    )
    assert "qd1 .. qd6 are the rates of 'base_joint' in the axes of body 'base'" in text
    assert "(gx, gy, gz) is gravity in the axes of body 'base', 9.81 m/s^2 long." in text
    assert "(qw7, qx7, qy7, qz7) is the unit quaternion of joint 'arm_joint', scalar first." in text
    assert "g1 [N] = -2*gx" in text
    assert r"g_{x}" in latex
    assert r"q_{w,7}" in latex
    assert "<i>q</i><sub>w7</sub>" in page
    assert document["symbols"] == ["gx", "gy", "gz", "qw7", "qx7", "qy7", "qz7"]
    (weight,) = document["entries"]["g[1]"]["terms"]
    assert weight == {"coefficient": pytest.approx(-2.0, rel=1e-14), "factors": {"gx": "q"}}
    assert "qx7" in document["entries"]["g[8]"]["depends_on"]
    json.dumps(document)


def test_generated_functions_take_the_symbols():
    form = closed_form(any_robot(7, bodies=3))
    (function,) = equation_functions(equations(form, [Matrix.M]))
    at = np.array(form.layout.slots(state(form.robot, 3)[0]))
    found = evaluate(function, {"q": at[None, : form.n], "symbols": at[None, form.n :]})["M"]
    assert np.abs(found.reshape(form.n, form.n) - dense(form, Matrix.M, (form.n, form.n), at)).max() < 1e-13


def test_multiple_angles_are_refused():
    form = closed_form(rigid_body())
    with pytest.raises(ArgumentError, match="one coordinate each"):
        equations(form, [Matrix.G_TORQUE], CLOVER.__class__(multiple_angles=True))
