"""The residual's tables are the difference of the programs, for revolute and prismatic joints."""

from __future__ import annotations

import numpy as np
import pytest
from tests.proof.arms import arm, programs

from torquec.closedform.tabulate import basis_powers
from torquec.expr import evaluate, math, trace
from torquec.proof.bernstein import basis_degree
from torquec.proof.torque_residual import torque_residual
from torquec.proof.torque_tables import position_degrees, positions_read, torque_tables


@pytest.mark.parametrize("name", ["planar3r", "scara", "stanford"])
def test_the_tables_reproduce_the_error(name):
    robot = arm(name)
    exact, simplified = programs(robot, 1, 0.9)
    prismatic = [joint.type.is_prismatic for joint in robot.joints]
    read = sorted(positions_read(exact) | positions_read(simplified))
    residual = torque_residual(torque_tables(exact, prismatic, read), torque_tables(simplified, prismatic, read))
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.uniform(-1.0, 1.0, (3, robot.n))
    state = {"q": q, "qd": qd, "qdd": qdd}
    error = evaluate(exact, state)["tau"] - evaluate(simplified, state)["tau"]
    pairs = [qd[j] * qd[k] for j in range(robot.n) for k in range(j, robot.n)]
    for joint in range(robot.n):
        table, variables = residual.smallest_table(joint)
        assert residual.dependence(joint)[0] == tuple(v.joints[0][0] for v in variables)
        for variable in reversed(variables):
            x = q[variable.joints[0][0]]
            powers = basis_powers(variable, basis_degree(variable, table.shape[-1]))
            cosine, sine = (1.0, x) if variable.prismatic else (np.cos(x), np.sin(x))
            table = table @ np.array([cosine**a * sine**b for a, b in powers])
        assert table @ [*qdd, *pairs, 1.0] == pytest.approx(error[joint], rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("name", ["planar3r", "scara", "stanford"])
def test_degrees_are_those_of_the_torques(name):
    robot = arm(name)
    prismatic = [joint.type.is_prismatic for joint in robot.joints]
    assert position_degrees(programs(robot, 1, 0.9)[0], prismatic) == (2,) * robot.n

    def cubic(q, qd, qdd):
        s, c = math.sincos(q[0])
        return {"tau": [c * c * s, *([qdd[0]] * (robot.n - 1))]}

    shapes = {"q": (robot.n,), "qd": (robot.n,), "qdd": (robot.n,)}
    assert position_degrees(trace("cubic", cubic, shapes), [False] * robot.n)[0] == 3
