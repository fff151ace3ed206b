"""Results of quick calls: the same as the kernel's, lazily taken apart, reused with `out=`, wrong inputs refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import torquec as tq
from torquec.errors import ArgumentError
from torquec.kinematics.arm_poses import ArmPoses, NearestPose

ROBOT = tq.classics.puma560()
IK = tq.inverse_kinematics(ROBOT, "link6")
LIMITS = np.array([(joint.limits.lower, joint.limits.upper) for joint in ROBOT.joints])
Q = np.random.default_rng(0).uniform(*LIMITS.T, (20, 6))
ROTATION, POSITION = tq.compile(ROBOT).frame_pose("link6")(Q)


def test_parts_are_those_of_the_kernel():
    for k in range(20):
        q, status, error = IK.native.call(ROTATION[k], POSITION[k], Q[k])
        found = IK(ROTATION[k], POSITION[k], near=Q[k])
        assert isinstance(found, ArmPoses)
        assert np.array_equal(found.q, q)
        assert found.status.dtype == np.int64
        assert np.array_equal(found.status, status)
        assert np.array_equal(found.error, error)
        best, (branch, flags, missed) = (
            IK.nearest(ROTATION[k], POSITION[k], near=Q[k]),
            IK.nearest_native.call(ROTATION[k], POSITION[k], Q[k])[1:],
        )
        assert isinstance(best, NearestPose)
        assert (int(best.branch), int(best.status)) == (int(branch), int(flags))
        assert np.array_equal(best.error, missed)
    many, one = IK(ROTATION, POSITION, near=Q), IK.nearest(ROTATION, POSITION, near=Q)
    assert many.status.shape == (20, 8)
    assert many.error.shape == (20, 8, 2)
    assert one.branch.shape == one.status.shape == (20,)
    assert np.abs(one.q - Q).max() < 1e-9


def test_results_are_frozen_copied_and_shown():
    found = IK(ROTATION[0], POSITION[0])
    with pytest.raises(AttributeError):
        found.q = 0.0
    again = pickle.loads(pickle.dumps(found))
    assert np.array_equal(again.status, found.status)
    assert "status" in repr(found)


def test_all_keeps_what_meets_the_pose():
    for k in range(20):
        found, whole = IK.all(ROTATION[k], POSITION[k], near=Q[k]), IK(ROTATION[k], POSITION[k], near=Q[k])
        met = [k for k, status in enumerate(whole.status) if status < 4]
        assert np.array_equal(found.q, whole.q[met])
        assert np.array_equal(found.status, whole.status[met])
        assert np.array_equal(found.error, whole.error[met])
        assert found.names == tuple(whole.names[k] for k in met)
        assert found.degree == 8
        assert found.complete == (not (found.status & 1).any())


@pytest.mark.parametrize("call", [IK, IK.nearest])
def test_arrays_of_an_earlier_result_are_overwritten(call):
    first = call(ROTATION[0], POSITION[0], near=Q[0])
    _ = first.status, first.error
    arrays = first.q
    again = call(ROTATION[1], POSITION[1], near=Q[1], out=first)
    wanted = call(ROTATION[1], POSITION[1], near=Q[1])
    assert again is first
    assert again.q is arrays
    for name in ("q", "status", "error"):
        assert np.array_equal(getattr(again, name), getattr(wanted, name))
    batch = call(ROTATION, POSITION, near=Q)
    assert np.array_equal(
        call(ROTATION[::-1], POSITION[::-1], near=Q[::-1], out=batch).q, call(ROTATION, POSITION, near=Q).q[::-1]
    )


@pytest.mark.parametrize("call", [IK, IK.nearest])
def test_misuse_of_out(call):
    first = call(ROTATION[0], POSITION[0], near=Q[0])
    with pytest.raises(ArgumentError, match="out is a ndarray"):
        call(ROTATION[0], POSITION[0], out=np.zeros(6))
    with pytest.raises(ArgumentError, match="out is a Quick"):
        call(ROTATION, POSITION, near=Q, out=first)  # of one pose
    with pytest.raises(ArgumentError, match="not a rotation matrix"):
        call(2.0 * ROTATION[0], POSITION[0], out=first)


@pytest.mark.parametrize("call", [IK, IK.nearest, IK.all])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_not_finite(call, value):
    for k in range(9):
        rotation = ROTATION[0].copy()
        rotation.flat[k] = value
        with pytest.raises(ArgumentError, match="not finite"):
            call(rotation, POSITION[0])
    with pytest.raises(ArgumentError, match="not finite"):
        call(ROTATION[0], [value, 0.0, 0.0])
