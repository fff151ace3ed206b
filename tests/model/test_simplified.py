"""`simplify`: a model whose inverse dynamics is cheaper, with its proof; everything else stays exact."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.model.model import compile
from torquec.model.save import load_model, save
from torquec.model.simplified import simplify
from torquec.reduction.proof.check_certificate import check_certificate
from torquec.reduction.specification import parse_specification
from torquec.robot.classics import load_classic

SPECIFICATION = """
[every_joint]
velocity = 1.0
acceleration = 1.0
torque_error = 60.0
"""


@pytest.fixture(scope="module")
def small():
    robot = load_classic("planar3r")
    return simplify(robot, parse_specification(SPECIFICATION, robot))


def test_the_error_stays_within_the_specification(small):
    exact = compile(small.robot)
    rng = np.random.default_rng(0)
    box = small.record.motions
    q = rng.uniform(box.lower, box.upper, (20_000, 3))
    qd = rng.uniform(-1.0, 1.0, q.shape) * box.velocity
    qdd = rng.uniform(-1.0, 1.0, q.shape) * box.acceleration
    error = np.abs(small.inverse_dynamics(q, qd, qdd) - exact.inverse_dynamics(q, qd, qdd)).max(axis=0)
    for value, proof in zip(error, small.record.joints.values(), strict=True):
        assert value <= proof.bound <= 60.0


def test_it_costs_less_and_the_rest_is_exact(small):
    exact = compile(small.robot)
    assert small.operation_count("inverse_dynamics").cost < exact.operation_count("inverse_dynamics").cost
    q = np.array([0.1, 0.2, 0.3])
    assert np.array_equal(small.mass_matrix(q), exact.mass_matrix(q))


def test_the_proof_holds_again(small):
    check_certificate(small.robot, small.record)


def test_it_is_saved_as_it_is(small, tmp_path):
    save(small, tmp_path / "small.tq.json")
    again = load_model(tmp_path / "small.tq.json")
    state = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 3))
    assert np.array_equal(again.inverse_dynamics(*state), small.inverse_dynamics(*state))


def test_a_specification_without_torque_errors_is_refused():
    robot = load_classic("puma560")
    with pytest.raises(ArgumentError, match="no torque error"):
        simplify(robot, parse_specification("[coefficients]\nthreshold = 0.01\n", robot))
