"""The direction of gravity, found without knowing any inertia."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from tests.identification.clean_logs import clean_log

from torquec.errors import ArgumentError
from torquec.identification.logs.fit_motion import even_rows, fit_motion, prepared_for_fit
from torquec.identification.logs.gravity_direction import gravity_direction
from torquec.robot import classics

ROBOT = classics.puma560()


def found_under(gravity, **options):
    log = clean_log(ROBOT, torque_robot=dataclasses.replace(ROBOT, gravity=gravity), **options)
    samples = prepared_for_fit(log)
    motion = fit_motion(samples, even_rows(samples))
    return gravity_direction(ROBOT, [motion], independent=2.0 * samples.cutoff * log.duration)


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.81), (1.70, 0.0, -9.66), (9.81, 0.0, 0.0), (0.0, 3.0, 9.34)])
def test_it_is_the_one_that_acts(gravity):
    found = found_under(gravity)
    size = math.hypot(*ROBOT.gravity)
    expected = size * np.array(gravity) / math.hypot(*gravity)
    between = math.acos(np.clip(np.dot(found.gravity, expected) / size**2, -1.0, 1.0))
    assert between < math.radians(0.3)
    assert between < 5.0 * found.std
    assert math.hypot(*found.gravity) == pytest.approx(size)
    assert found.after.error < 0.03
    assert math.cos(found.angle) == pytest.approx(np.dot(expected, ROBOT.gravity) / size**2, abs=1e-3)


def test_noise_makes_it_less_certain():
    assert found_under((1.7, 0.0, -9.66), noise=0.4).std > 2.0 * found_under((1.7, 0.0, -9.66), noise=0.1).std


def test_without_gravity_there_is_no_direction():
    with pytest.raises(ArgumentError, match="no gravity"):
        gravity_direction(dataclasses.replace(ROBOT, gravity=(0.0, 0.0, 0.0)), [], independent=1.0)
