"""The carrier of motions: what it refuses, what it gives between samples."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.trajectory import Trajectory, minimum_jerk


def samples(**changes):
    values = {"t": [0.0, 1.0], "q": [[0.0], [1.0]], "qd": [[0.0], [0.0]], "qdd": [[0.0], [0.0]]}
    return {"joints": ("a",), **values, **changes}


def test_between_samples_it_is_the_quintic_through_both():
    sparse = Trajectory(**samples())
    exact = minimum_jerk([0.0], [1.0], 1.0)
    times = np.linspace(0.0, 1.0, 23)
    for name in ("q", "qd", "qdd"):
        assert np.allclose(getattr(sparse.at(times), name), getattr(exact.at(times), name), atol=1e-12)


def test_outside_its_time_the_robot_stands():
    motion = minimum_jerk([1.0, 2.0], [3.0, 5.0], 2.0)
    for time, place in ((-1.0, [1.0, 2.0]), (9.0, [3.0, 5.0])):
        state = motion.at(time)
        assert state.q == pytest.approx(place)
        assert not np.any(state.qd)
        assert not np.any(state.qdd)


def test_sampling_again_keeps_the_formula():
    fine = minimum_jerk([0.0], [1.0], 1.0, period=0.25).sampled(0.01)
    assert len(fine) == 101
    assert np.array_equal(fine.q, fine.motion.at(fine.t).q)
    assert fine.period == pytest.approx(0.01)


def test_arrays_cannot_be_written_to():
    motion = Trajectory(**samples())
    with pytest.raises(ValueError, match="read-only"):
        motion.q[0] = 1.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"t": [0.0, 0.0]}, "do not rise"),
        ({"t": [0.0]}, "do not rise"),
        ({"q": [[0.0, 1.0], [0.0, 1.0]]}, r"'q' has shape \(2, 2\)"),
        ({"qd": [[0.0], [np.nan]]}, "'qd' of joint 'a' is not finite at t = 1 s"),
        ({"q": "abc"}, "not an array of real numbers"),
        ({"joints": ("a", "a")}, "name each joint once"),
    ],
)
def test_what_is_no_trajectory(changes, message):
    with pytest.raises(ArgumentError, match=message):
        Trajectory(**samples(**changes))


def test_a_period_needs_even_samples():
    motion = Trajectory(("a",), [0.0, 1.0, 3.0], np.zeros((3, 1)), np.zeros((3, 1)), np.zeros((3, 1)))
    with pytest.raises(ArgumentError, match="not evenly spaced"):
        _ = motion.period
    with pytest.raises(ArgumentError, match="sampling interval of 9 s"):
        motion.sampled(9.0)
    with pytest.raises(ArgumentError, match="not finite"):
        motion.at(np.nan)


def test_columns_in_the_order_of_other_names():
    """Samples and formula alike; names q1 .. qn stand for the order itself."""
    motion = minimum_jerk([0.0, 1.0], [2.0, -1.0], 1.0, joints=("a", "b"), period=0.1)
    turned = motion.of_joints(("b", "a"))
    np.testing.assert_array_equal(turned.q, motion.q[:, ::-1])
    for name in ("q", "qd", "qdd"):
        at, other = getattr(motion.at(0.33), name), getattr(turned.at(0.33), name)
        np.testing.assert_array_equal(other, at[::-1])
        np.testing.assert_array_equal(getattr(turned.sampled(0.05), name), getattr(motion.sampled(0.05), name)[:, ::-1])
    assert motion.of_joints(("a", "b")) is motion
    nameless = minimum_jerk([0.0, 1.0], [2.0, -1.0], 1.0, period=0.1).of_joints(("x", "y"))
    np.testing.assert_array_equal(nameless.q, motion.q)
    assert nameless.joints == ("x", "y")
    for wrong in (("a", "c"), ("a",), ("a", "b", "c")):
        with pytest.raises(ArgumentError, match="the joints of the trajectory are a, b"):
            motion.of_joints(wrong)
