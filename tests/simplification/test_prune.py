"""Pruning: fewer operations, the error within the tolerance and provable at degree three."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.proof.arms import arm, motions

from torquec.dynamics.mechanism import mechanism
from torquec.errors import TimeLimitError
from torquec.expr import count_operations, evaluate
from torquec.proof.check_certificate import check_certificate
from torquec.proof.torque.certify import certify
from torquec.proof.torque.torque_tables import HIGHEST_DEGREE, position_degrees
from torquec.robot.joints import PositionBasis
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.prune import last_look, prune_within
from torquec.simplification.tuning import TUNING
from torquec.trajectory.motion_box import sampled_motions

ANGLES = [PositionBasis.TRIGONOMETRIC] * 3


@pytest.fixture(scope="module")
def case():
    robot = arm("planar3r")
    exact = torque_program(mechanism(robot))
    box = motions(robot)
    states = sampled_motions(box, 2000)
    torque = evaluate(exact, {"q": states[:, 0], "qd": states[:, 1], "qdd": states[:, 2]})["tau"]
    tolerance = 0.15 * np.abs(torque).max(axis=0)
    return (
        robot,
        exact,
        box,
        tolerance,
        prune_within(exact, exact, ANGLES, box, tolerance)[-1],
    )


def test_terms_are_left_out(case):
    _, exact, _, _, pruned = case
    before, after = count_operations(exact), count_operations(pruned)
    assert after.mul + after.add < before.mul + before.add
    assert max(position_degrees(pruned, ANGLES)) <= HIGHEST_DEGREE


def test_the_error_is_provable(case):
    robot, exact, box, tolerance, pruned = case
    certificate = certify(robot, exact, pruned, box, limits=list(tolerance))
    check_certificate(robot, certificate)
    states = sampled_motions(box, 5000)
    named = {"q": states[:, 0], "qd": states[:, 1], "qdd": states[:, 2]}
    error = np.abs(evaluate(exact, named)["tau"] - evaluate(pruned, named)["tau"]).max(axis=0)
    assert np.all(error <= [proof.bound for proof in certificate.joints.values()])


def test_nothing_is_left_out_of_a_tight_tolerance(case):
    _, exact, box, tolerance, _ = case
    pruned = prune_within(exact, exact, ANGLES, box, 1e-9 * tolerance)[-1]
    assert count_operations(pruned) == count_operations(exact)


def test_robots_with_many_joints_are_pruned_too(case, monkeypatch):
    """A box of their programs has more control points than are asked of others; shorter programs need no more."""
    _, exact, box, tolerance, _ = case
    monkeypatch.setattr(
        "torquec.simplification.degree_limit.TUNING", replace(TUNING, control_points=1, control_point_growth=1)
    )
    before, after = (count_operations(f) for f in (exact, prune_within(exact, exact, ANGLES, box, tolerance)[-1]))
    assert after.mul + after.add < before.mul + before.add


def test_a_last_look_finds_shorter_programs_within_the_tolerance(case):
    _, exact, box, tolerance, _ = case
    stages = last_look(exact, exact, ANGLES, box, tolerance)
    prices = [count_operations(stage).cost for stage in stages]
    assert stages[0] is exact
    assert prices == sorted(prices, reverse=True)
    assert prices[-1] < prices[0]
    states = sampled_motions(box, 5000)
    named = {"q": states[:, 0], "qd": states[:, 1], "qdd": states[:, 2]}
    error = np.abs(evaluate(exact, named)["tau"] - evaluate(stages[-1], named)["tau"]).max(axis=0)
    assert np.all(error <= tolerance)


def test_a_last_look_that_is_stopped_gives_what_it_has(case):
    _, exact, box, tolerance, pruned = case

    def stop(*_):
        raise TimeLimitError("no time")

    stages = last_look(exact, pruned, ANGLES, box, tolerance, meter=stop)
    assert stages[0] is pruned
    assert len(stages) <= 2
