"""Torque programs taken apart: rows determine the torques of every motion; too high a degree is refused."""

from __future__ import annotations

import numpy as np
import pytest
from tests.proof.arms import arm, programs

from torquec.errors import RobotError
from torquec.expr import evaluate, math, trace
from torquec.proof.torque_tables import HIGHEST_DEGREE, position_degrees, torque_rows, torque_tables


@pytest.mark.parametrize("name", ["planar3r", "scara", "stanford"])
def test_rows_determine_the_torques_of_every_motion(name):
    robot = arm(name)
    exact, _ = programs(robot, 0, 1.0)
    q, qd, qdd = np.random.default_rng(7).uniform(-2.0, 2.0, (3, 50, robot.n))
    rows = torque_rows(exact, q)
    pairs = [qd[:, j] * qd[:, k] for j in range(robot.n) for k in range(j, robot.n)]
    factors = np.stack([*qdd.T, *pairs, np.ones(len(q))], axis=-1)
    expected = evaluate(exact, {"q": q, "qd": qd, "qdd": qdd})["tau"]
    assert np.einsum("nir,nr->ni", rows, factors) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_degree_that_no_proof_can_manage_is_refused():
    shapes = dict.fromkeys(("q", "qd", "qdd"), (1,))
    program = trace(
        "inverse_dynamics", lambda q, qd, qdd: {"tau": [math.sincos(5.0 * q[0])[0] + qd[0] + qdd[0]]}, shapes
    )
    (degree,) = position_degrees(program, [False])
    assert degree == 5 > HIGHEST_DEGREE
    with pytest.raises(RobotError, match="of degree 5 in the sine and cosine of a joint"):
        torque_tables(program, [False], degree=degree)
