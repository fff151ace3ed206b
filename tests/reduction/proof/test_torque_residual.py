"""The residual's tables are the difference of the programs, for revolute and prismatic joints."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reduction.proof.arms import arm, motions, programs

from torquec.expr import evaluate
from torquec.reduction.proof.torque_bound import worst_motions
from torquec.reduction.proof.torque_residual import positions_read, torque_residual, torque_tables


@pytest.mark.parametrize("name", ["planar3r", "scara", "stanford"])
def test_worst_motions_attain_the_error(name):
    robot = arm(name)
    exact, simplified = programs(robot, 1, 0.9)
    prismatic = [joint.type.is_prismatic for joint in robot.joints]
    read = sorted(positions_read(exact) | positions_read(simplified))
    residual = torque_residual(torque_tables(exact, prismatic, read), torque_tables(simplified, prismatic, read))
    box = motions(robot)
    for joint in range(robot.n):
        largest, states = worst_motions(residual, joint, box)
        state = {"q": states[:, 0], "qd": states[:, 1], "qdd": states[:, 2]}
        error = np.abs(evaluate(exact, state)["tau"] - evaluate(simplified, state)["tau"])[:, joint]
        assert error.max() == pytest.approx(largest, rel=1e-9, abs=1e-11)
        rng = np.random.default_rng(joint)
        q = rng.uniform(box.lower, box.upper, (4000, robot.n))
        qd = rng.uniform(-1.0, 1.0, q.shape) * box.velocity
        qdd = rng.uniform(-1.0, 1.0, q.shape) * box.acceleration
        state = {"q": q, "qd": qd, "qdd": qdd}
        sampled = np.abs(evaluate(exact, state)["tau"] - evaluate(simplified, state)["tau"])[:, joint].max()
        assert sampled <= largest * (1.0 + 1e-6) + 1e-12
