"""Torque programs taken apart: rows determine the torques of every motion; too high a degree is refused."""

from __future__ import annotations

import numpy as np
import pytest
from tests.proof.arms import arm, programs

from torquec.dynamics.mechanism import mechanism
from torquec.errors import RobotError
from torquec.expr import Op, evaluate, math, trace
from torquec.expr.replay import rebuilt
from torquec.proof.torque.torque_tables import (
    HIGHEST_DEGREE,
    degrees_of_changes,
    degrees_of_replacements,
    position_degrees,
    torque_rows,
    torque_tables,
)
from torquec.robot.joints import PositionBasis
from torquec.robot.state_coordinate import position_bases
from torquec.simplification.moment_costs import torque_program


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
        "inverse_dynamics", lambda q, qd, qdd: {"tau": [math.sincos(7.0 * q[0])[0] + qd[0] + qdd[0]]}, shapes
    )
    (degree,) = position_degrees(program, [PositionBasis.TRIGONOMETRIC])
    assert degree == 7 > HIGHEST_DEGREE
    with pytest.raises(RobotError, match="of degree 7 in the sine and cosine of a joint"):
        torque_tables(program, [PositionBasis.TRIGONOMETRIC], degree=degree)


@pytest.mark.parametrize("name", ["planar3r", "scara"])
def test_tables_give_the_rows_between_the_points_that_they_were_made_from(name):
    robot = arm(name)
    exact, _ = programs(robot, 0, 1.0)
    slides = position_bases(robot)
    tables = torque_tables(exact, slides)
    q = np.random.default_rng(8).uniform(-1.0, 1.0, (6, robot.n))
    rows = torque_rows(exact, q)
    for k, position in enumerate(q):
        found = tables.table
        for variable in tables.variables:
            x = position[variable.joints[0][0]]
            waves = (1.0, np.cos(x), np.sin(x), np.cos(2.0 * x), np.sin(2.0 * x))
            powers = [x**d for d in range(found.shape[0])]
            found = np.tensordot(powers if not variable.is_angle else waves, found, axes=(0, 0))
        assert found == pytest.approx(rows[k], rel=1e-9, abs=1e-9)
    assert tables.size == pytest.approx(np.abs(torque_rows(exact, np.zeros((1, robot.n)))[..., -1]).max(), rel=0.5)


def test_too_many_positions_are_refused_before_the_work():
    n = 14
    program = trace(
        "inverse_dynamics",
        lambda q, qd, qdd: {"tau": [math.sincos(q[k])[0] * qd[k] * qd[k] + qdd[k] for k in range(n)]},
        dict.fromkeys(("q", "qd", "qdd"), (n,)),
    )
    with pytest.raises(RobotError, match="depend on 14 joint positions, too many"):
        torque_tables(program, [PositionBasis.TRIGONOMETRIC] * n)
    assert len(torque_tables(program, [PositionBasis.TRIGONOMETRIC] * n, [0, 5]).variables) == 2


def test_degrees_with_steps_replaced_are_those_of_the_program_built_so():
    """A length of the recursion of a spatial arm left out at one place: what cancelled does not any more."""
    exact = torque_program(mechanism(arm("puma560")))
    bases = [PositionBasis.TRIGONOMETRIC] * 6
    here = position_degrees(exact, bases)
    sums = [k for k, step in enumerate(exact.operations) if step.op in (Op.ADD, Op.SUB)]
    replaced = [{k: lambda values, kept=exact.operations[k].args[0]: values[kept]} for k in sums[::4]]
    replaced.append({**replaced[3], **replaced[-2]})
    seen = degrees_of_replacements(exact, bases, replaced)
    assert list(seen) == [position_degrees(rebuilt(exact, replaced=one), bases) for one in replaced]
    assert any(max(degrees) > max(here) for degrees in seen)


def test_degrees_of_changed_constants():
    """The squares of sine and cosine have the same factor in all, so that degree three cancels; not with another."""

    def algorithm(q, qd, qdd):
        s, c = math.sincos(q[0])
        return {"tau": [qdd[0] * (3.5 * (s * s) + c * c) * s + 2.5 * (qdd[0] * (c * c) * s)]}

    program = trace("inverse_dynamics", algorithm, {"q": (1,), "qd": (1,), "qdd": (1,)})
    constants = [k for k, step in enumerate(program.operations) if step.op is Op.CONST]
    changes = [{}, *({k: 1.1 * program.operations[k].value} for k in constants)]
    degrees = degrees_of_changes(program, [PositionBasis.TRIGONOMETRIC], changes)
    assert (
        degrees[0] == position_degrees(program, [PositionBasis.TRIGONOMETRIC]) == (2,)
    )  # 3 sin(q), and two is the least that is said
    assert [found for found in degrees[1:] if found == (3,)]
