"""Limits of a run from a robot and from what is said; the limiter itself, with everything that is no number."""

from __future__ import annotations

import ctypes
import dataclasses
import math

import pytest
from tests.codegen.c.compiler import needs_compiler

import torquec as tq
from torquec.realtime.runtime.guards import Guards, guard_limits
from torquec.realtime.runtime.library import runtime_library

PUMA = tq.classics.puma560()


@needs_compiler
def test_the_limiter_passes_nothing_that_is_no_number():
    """A NaN compares false with everything, so limiters made of comparisons hand it on."""
    limited = runtime_library().torquec_limited
    limited.restype, limited.argtypes = ctypes.c_double, [ctypes.c_double] * 4
    for wanted in (math.nan, math.inf, -math.inf):
        assert limited(wanted, 3.0, 10.0, 1.0) == 3.0
    assert limited(7.0, 3.0, 10.0, 1.0) == 4.0
    assert limited(-7.0, 3.0, 10.0, 1.0) == 2.0
    assert limited(12.0, 9.5, 10.0, 1.0) == 10.0
    assert limited(-12.0, -9.5, 10.0, 1.0) == -10.0
    assert limited(3.5, 3.0, 10.0, math.inf) == 3.5
    assert limited(1e300, 3.0, 10.0, math.inf) == 10.0


def test_limits_are_the_robots_own():
    limits = guard_limits(PUMA, Guards(), period=0.001)
    assert limits.torque == tuple(joint.limits.effort for joint in PUMA.joints)
    assert limits.torque_rate[0] == pytest.approx(97.6 / 0.02)
    assert limits.speed[1] == 2.0
    assert limits.power == math.inf
    struct = limits.to_struct()
    assert (struct.joints, struct.hold_cycles, struct.ramp_cycles) == (6, 20, 200)
    assert (struct.period, struct.longest_gap, struct.oldest_sample) == (1_000_000, 3_500_000, 2_000_000)
    assert struct.torque[5] == 21.3


def test_what_is_said_counts():
    limits = guard_limits(
        PUMA, Guards(torque=5.0, speed=[1, 2, 3, 4, 5, 6], longest_gap=0.01), period=0.001, patience=9.0
    )
    assert limits.torque == (5.0,) * 6
    assert limits.torque_rate == (250.0,) * 6
    assert limits.speed == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert (limits.longest_gap, limits.longest_blind) == (0.01, 9.0)
    assert limits.to_document()["speed"]["joint3"] == 3.0


def test_a_length_has_less_slack_than_an_angle():
    limits = guard_limits(tq.classics.scara(), Guards(unmoved=[0.1, 0.2, 0.3, math.inf]), period=0.001)
    assert limits.slack == (0.05, 0.05, 0.01, 0.05)
    assert limits.resolution == (0.002, 0.002, 0.0002, 0.002)
    assert limits.unmoved == (0.1, 0.2, 0.3, math.inf)
    assert guard_limits(tq.classics.scara(), Guards(), period=0.001).unmoved == (0.01, 0.01, 0.002, 0.01)


@pytest.mark.parametrize(
    ("guards", "message"),
    [
        (Guards(torque=[1.0]), "1 numbers of torque for 6 joints"),
        (Guards(torque=-1.0), "torque is"),
        (Guards(speed=math.nan), "speed is"),
        (Guards(power=0.0), "a power of 0"),
        (Guards(ramp=-1.0), "ramp is -1"),
        (Guards(hold=math.inf), "hold is inf"),
        (Guards(lower=1.0, upper=-1.0), "from 1 to -1"),
        (Guards(longest_gap=0.001), "a longest gap of 0.001 s"),
        (Guards(torque=math.inf), "no effort limit"),
    ],
)
def test_misuse(guards, message):
    with pytest.raises(tq.ArgumentError, match=message):
        guard_limits(PUMA, guards, period=0.001)


def test_no_torque_without_a_limit():
    with pytest.raises(tq.ArgumentError, match="'joint1' has no effort limit") as refused:
        guard_limits(tq.classics.puma260(), Guards(), period=0.001)
    assert "--torque" in str(refused.value)
    with pytest.raises(tq.ArgumentError, match="a period of 0"):
        guard_limits(PUMA, Guards(), period=0.0)
    many = dataclasses.replace(PUMA, bodies=PUMA.bodies * 11)
    with pytest.raises(tq.ArgumentError, match="room for 64"):
        guard_limits(many, Guards(), period=0.001)
