"""Loop equations: known answers, the loop dynamics by projection, and what the formats say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.closedform.reference import values

from torquec import dynamics
from torquec.closedform.equations import equations
from torquec.closedform.html import equations_html
from torquec.closedform.json_form import equations_document
from torquec.closedform.latex import equations_latex
from torquec.closedform.layouts import WHOLE, Matrix
from torquec.closedform.loop_equations import form_with_loops
from torquec.closedform.paths import path_to
from torquec.closedform.quasi_velocities import quasi_velocities
from torquec.closedform.text import equations_text
from torquec.errors import RobotError
from torquec.robot.classics import planar2r
from torquec.robot.configuration import neutral
from torquec.robot.load import load
from torquec.robot.loops.closure import loop_state

FOLDER = Path(__file__).parents[2] / "examples" / "closed_loops"


def mechanism(name):
    return load(FOLDER / name)


def test_a_five_bar_closes_as_the_textbooks_write_it():
    """Two cranks of 0.2 m, 0.16 m apart, and rods of 0.34 m."""
    closure = form_with_loops(mechanism("five_bar.urdf")).closure
    along, across = (dict(zip("Cq", (gap,), strict=False)) for gap in closure.gaps)
    q = np.array([0.3, 0.7, -0.4, 1.1])
    x = 0.16 + 0.2 * np.cos(q[2]) + 0.34 * np.cos(q[2] + q[3]) - 0.2 * np.cos(q[0]) - 0.34 * np.cos(q[0] + q[1])
    y = 0.2 * np.sin(q[2]) + 0.34 * np.sin(q[2] + q[3]) - 0.2 * np.sin(q[0]) - 0.34 * np.sin(q[0] + q[1])
    assert along["C"](q) == pytest.approx(x, abs=1e-15)
    assert across["C"](q) == pytest.approx(y, abs=1e-15)
    assert [len(gap) for gap in closure.gaps] == [5, 4]
    assert (closure.independent, closure.dependent, closure.redundant) == ((0, 2), (1, 3), 0)


def test_a_cam_is_a_polynomial_of_its_angle():
    gap = form_with_loops(mechanism("cam.urdf")).closure.gaps[0]
    assert gap([0.5, 0.0, 0.0]) == pytest.approx(-0.05 * 0.5 - 0.03 * 0.25 - 0.02 + 0.01 * 0.125)


# --- laws -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "four_bar.urdf",
        "slider_crank.urdf",
        "cam.urdf",
        "palletizer.urdf",
        "delta.urdf",
        pytest.param("stewart.xml", marks=pytest.mark.slow),
    ],
)
def test_projected_equations_are_the_dynamics_of_the_loops(name):
    """Gaps vanish, rates that keep them closed are T v, and T' times the tree's torques are the robot's."""
    robot = mechanism(name)
    form, n = form_with_loops(robot), robot.nv
    rng = np.random.default_rng(3)
    q = [*np.array(neutral(robot)) + rng.uniform(-0.05, 0.05, robot.nq)]
    rates = rng.uniform(-1.0, 1.0, n)
    closed = loop_state(robot, q)
    ends = {b for loop in robot.loops.file.loops for f in (loop.frame_a, loop.frame_b)
            for b in path_to(robot.canonical.links, robot.tree.frame(f).body)}  # fmt: skip
    layout = form.layout or quasi_velocities(robot.tree, placed=ends)
    at = np.array(layout.slots(closed.q))
    assert np.abs(values(form.closure.gaps, at[None])).max() < 1e-12
    follow = np.zeros((form.n, robot.tree.nv))  # mimic joints
    for i, each in enumerate(form.coordinates):
        mimic = each.joint.mimic
        follow[i, robot.tree.coordinate_names.index(mimic.joint if mimic else each.name)] = (
            mimic.multiplier if mimic else 1.0
        )
    T = follow @ np.array(closed.rates)
    slopes = np.array([[layout.derivative(gap, k)(at) for k in range(form.n)] for gap in form.closure.gaps])
    assert np.abs(slopes @ T).max() < 1e-11
    assert np.linalg.matrix_rank(slopes[:, list(form.closure.dependent)], tol=1e-8) == len(form.closure.dependent)
    mass = values(form.mass, at[None])[0]
    expected = np.array(dynamics.mass_matrix(robot, q))
    assert np.abs(T.T @ mass @ T - expected).max() < 1e-11 * np.abs(expected).max()
    gravity = np.array(dynamics.inverse_dynamics(robot, q, [0.0] * n, [0.0] * n))
    assert np.abs(T.T @ values(form.g, at[None])[0] - gravity).max() < 1e-10 * max(1.0, np.abs(gravity).max())
    speeds = T @ rates
    bias = follow @ np.array(closed.acceleration(closed.rate(list(rates)), [0.0] * n))
    velocity = [
        sum(float(form.christoffel(i, j, k)(at)) * speeds[j] * speeds[k] for j in range(form.n) for k in range(form.n))
        for i in range(form.n)
    ]
    torque = np.array(dynamics.inverse_dynamics(robot, q, list(rates), [0.0] * n))
    assert np.abs(T.T @ (mass @ bias + velocity + values(form.g, at[None])[0]) - torque).max() < 1e-10 * max(
        1.0, np.abs(torque).max()
    )


# --- formats and misuse ---------------------------------------------------------------------------------------------


def test_every_format_says_what_the_equations_are_of():
    found = equations(form_with_loops(mechanism("four_bar.urdf")), [*WHOLE, Matrix.PHI])
    text, document = equations_text(found), equations_document(found)
    assert "tau + (dPhi/dq)' lambda = M(q) qdd" in text
    assert "Independent coordinates: q2. q1, q3 follow from Phi(q) = 0." in text
    assert "Phi[2]: z of loop 'pin'" in text
    assert document["loops"] == {
        "equations": ["x of loop 'pin'", "z of loop 'pin'"],
        "redundant": 0,
        "independent": ["crank_joint"],
        "dependent": ["rocker_joint", "coupler_joint"],
    }
    assert document["entries"]["Phi[1]"]["unit"] == "m"
    assert r"\lambda = M(q)" in equations_latex(found)
    assert r"\Phi_{1} " in equations_latex(found)
    assert "<i>Φ</i><sub>1</sub>" in equations_html(found)


def test_a_robot_without_loops_is_refused():
    with pytest.raises(RobotError, match="has no closed loops"):
        form_with_loops(planar2r())
