"""Errors of the acceleration over boxes of motions: never below what sampled motions show, and close to it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.control.sampled_accelerations import bounds, boxes, check_sampled_motions
from tests.dynamics.random_robots import random_robot

import torquec as tq
from torquec.control.tracking_guarantee import tracking_guarantee
from torquec.proof.tracking import acceleration_bound as module
from torquec.proof.tracking.acceleration_bound import AccelerationBound, CloserAccelerationBound
from torquec.robot.classics import load_classic
from torquec.robot.robot import Drives
from torquec.trajectory import minimum_jerk


@pytest.mark.parametrize("name", ["planar2r", "scara", "stanford", "puma560", "random tree"])
def test_sampled_motions_stay_below_and_points_come_close(name):
    robot = random_robot(3) if name == "random tree" else load_classic(name)
    check_sampled_motions(AccelerationBound, robot, (1e-3, 1e-9))


def test_boxes_that_are_too_wide_give_no_bound():
    robot = load_classic("planar2r")
    bound = AccelerationBound(robot)
    inertia = bound.inertia(np.full((1, 2), -3.0), np.full((1, 2), 3.0))
    assert np.isinf(bound.level(inertia, np.ones((1, 2)))).all()


XARM7 = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "models" / "xarm7.urdf"


@pytest.mark.parametrize("name", ["planar2r", "scara", "stanford", "puma560", *range(4)])
def test_sampled_motions_stay_below_and_points_come_close_of_closer_acceleration_bound(name):
    robot = random_robot(name, bodies=5) if isinstance(name, int) else load_classic(name)
    check_sampled_motions(CloserAccelerationBound, robot, (1e-2, 1e-3, 1e-9))


def test_they_are_closer_and_found_in_wider_boxes():
    """A PUMA 560 without rotors: a light wrist on heavy links."""
    rng = np.random.default_rng(5)
    robot = replace(load_classic("puma560"), drives=Drives())
    held, _ = boxes(rng, robot, 60, 0.15)
    errors = np.full((60, robot.n), 0.1)
    (by_ends, drift_by_ends), (level, drift) = (
        bounds(kind, robot, held, errors) for kind in (AccelerationBound, CloserAccelerationBound)
    )
    found, before = (np.isfinite(each).all(axis=1) for each in (level, by_ends))
    assert np.all(found >= before)
    assert found.sum() > before.sum()
    both = found & before
    assert np.median(level[both] / by_ends[both]) < 1.0
    assert np.median(drift[both] / drift_by_ends[both]) < 0.85


def test_boxes_that_are_too_wide_give_no_bound_of_closer_acceleration_bound():
    bound = CloserAccelerationBound(load_classic("planar2r"))
    inertia = bound.inertia(np.full((1, 2), -3.0), np.full((1, 2), 3.0))
    assert np.isinf(bound.level(inertia, np.ones((1, 2)))).all()


def test_slopes_that_are_too_small_would_be_seen(monkeypatch):
    """Planted: half widths of nothing."""
    rng = np.random.default_rng(11)
    robot = load_classic("puma560")
    arm, errors = tq.compile(robot), np.full((20, 6), 0.5)
    monkeypatch.setattr(module, "_centred", lambda low, high: (0.5 * (low + high), 0.0 * low))
    held, inside = boxes(rng, robot, 20, 1e-2)
    level, _ = bounds(CloserAccelerationBound, robot, held, errors)
    exact = [(np.abs(np.linalg.inv(arm.mass_matrix(q))) @ errors[..., None])[..., 0] for q in inside[0]]
    assert not np.all(np.array(exact) <= level)


@pytest.mark.skipif(not XARM7.exists(), reason="needs the collection of robots")
def test_an_exact_seven_joint_arm_has_a_guarantee():
    """By ends none was found: its wrist weighs a thousandth of what the shoulder moves."""
    arm = tq.load(XARM7)
    start = np.array([0.0, 0.0, 0.0, 0.8378, 0.0, 0.0, 0.0])
    motion = minimum_jerk(start, start + 0.5, 1.0, joints=arm.joint_names, period=1e-3)
    found = tracking_guarantee(arm, -20.0, motion, period=1e-3)
    assert found.valid, found.reason
    assert max(joint.position for joint in found.joints) < 1e-3
