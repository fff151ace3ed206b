"""Sets of witnesses: friction of every sign, payloads in their ball."""

from __future__ import annotations

import numpy as np
import pytest
from tests.torquec_check.witnesses import arm, witness

import torquec as tq
from torquec.control.model_terms import FrictionCompensation
from torquec_check.robot import robot_of
from torquec_check.tracking_sets import listed, sets_of


def _sets():
    document = witness()
    return sets_of(document["sets"], document["robot_document"], robot_of(document["robot_document"]))


@pytest.mark.parametrize("smoothing", [0.0, 0.05])
def test_friction_errors_hold_every_friction_of_the_set(smoothing):
    document, robot, rng = witness(), arm(), np.random.default_rng(2)
    document["sets"]["friction"]["smoothing"] = smoothing
    sets = sets_of(document["sets"], document["robot_document"], robot_of(document["robot_document"]))
    law = FrictionCompensation("reference", smoothing)
    model, nearest = tq.as_model(robot), 0.0
    for _ in range(300):
        centre, wide, ref = rng.normal(size=2) * 0.3, np.abs(rng.normal(size=2)) * 0.2, rng.normal(size=2) * 0.3
        spread = np.abs(rng.normal(size=2)) * 0.02
        bound = sets.friction_error((centre - wide, centre + wide), (ref - spread, ref + spread))
        v, r = centre + wide * rng.uniform(-1, 1, 2), ref + spread * rng.uniform(-1, 1, 2)
        given = np.array(law.torque(model, {"qd_ref": r.tolist(), "qd": v.tolist()}), dtype=float)
        b, c = np.where(v > 0, 0.2, 0.1), np.where(v > 0, 0.2, 0.3)
        for part in (0.7, 1.3):
            true = part * (b * v + c * np.sign(v)) + 0.02 * np.sign(part - 1.0)
            assert np.all(np.abs(given - true) <= bound + 1e-12)
            nearest = max(nearest, float((np.abs(given - true) / bound).max()))
    assert nearest > 0.9


def test_at_rest_friction_may_be_anything_of_either_sign():
    sets, zero = _sets(), np.zeros(2)
    bound = sets.friction_error((zero, zero), (zero, zero))
    np.testing.assert_allclose(bound, 1.3 * 0.3 + 0.02, atol=0.01)


def test_payload_parameters_are_in_their_ranges():
    payload, rng = _sets().payload, np.random.default_rng(0)
    middle, half = np.array(payload.parameters()).T
    for _ in range(300):
        m, c = rng.uniform(payload.low, payload.high), rng.normal(size=3)
        c *= payload.radius * rng.random() ** 0.1 / np.linalg.norm(c)
        own = m * payload.radius**2 * rng.random() * np.diag([1.0, 0.5, 0.5])
        J = own + m * (c @ c * np.eye(3) - np.outer(c, c))
        found = np.array([J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2], *(m * c), m - payload.nominal])
        assert np.all(np.abs(found - middle) <= half)
        assert np.linalg.norm(m * c) <= half[6]


def test_joints_with_one_word_share_it():
    assert listed(["a", "b"], ["1 N", "1 N"]) == "1 N"
    assert listed(["a", "b"], ["1 N", "2 N"]) == "a 1 N, b 2 N"
