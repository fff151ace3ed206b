"""The witness that M is positive definite: proven where it is one, and none where M is singular somewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.torquec_check.packages import certified_model

import torquec as tq
from torquec.errors import ArgumentError, CheckError
from torquec.foundation.budget import Budget
from torquec.foundation.json_text import checksum
from torquec.model.quantities import trace_quantity
from torquec.proof.check_certificate import check_certificate
from torquec.proof.inertia.least_inertia import least_inertia
from torquec.proof.torque.certificate import Certificate
from torquec.proof.torque.certify import certify
from torquec.trajectory.motion_box import MotionBox

BOX = MotionBox((-3.0, -3.0), (3.0, 3.0), (1.0, 1.0), (2.0, 2.0))


def test_it_is_below_m_at_random_positions():
    for robot in (tq.classics.planar2r(), tq.classics.scara(), tq.classics.stanford()):
        program = trace_quantity(robot, "inverse_dynamics")
        box = MotionBox((-1.0,) * robot.n, (1.0,) * robot.n)
        found = least_inertia(robot, program, box, budget=Budget())
        assert len(found) == robot.n
        model = tq.compile(robot)
        for q in np.random.default_rng(0).uniform(-1.0, 1.0, (200, robot.n)):
            assert np.linalg.eigvalsh(model.mass_matrix(q) - np.diag(found))[0] > 0.0


def test_a_singular_mass_matrix_has_none():
    model = certified_model()  # M_22 was left out
    assert not model.record.least_inertia
    assert not least_inertia(model.robot, model.record.program, model.record.motions, budget=Budget())


def test_none_is_found_once_the_time_is_over():
    robot = tq.classics.planar2r()
    program = trace_quantity(robot, "inverse_dynamics")
    assert not least_inertia(robot, program, BOX, budget=Budget(1e-9, start=0.0))


def test_a_certificate_holds_it_and_the_check_proves_it():
    robot = tq.classics.planar2r()
    program = trace_quantity(robot, "inverse_dynamics")
    plain = certify(robot, program, program, BOX)
    honest = replace(plain, least_inertia=least_inertia(robot, program, BOX, budget=Budget()))
    assert "least_inertia" not in plain.to_dict()
    assert Certificate.from_dict(honest.to_dict()) == honest
    check_certificate(robot, honest)
    with pytest.raises(CheckError, match="M is not proven"):
        check_certificate(robot, replace(honest, least_inertia=tuple(3.0 * m for m in honest.least_inertia)))
    values = {key: value for key, value in honest.to_dict().items() if key != "sha256"} | {"least_inertia": []}
    with pytest.raises(ArgumentError, match="least_inertia"):
        Certificate.from_dict(values | {"sha256": checksum(values)})
