"""The checker refuses every certificate that was made false on purpose, and accepts every honest one."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from tests.parameters.serial_arms import random_arm
from tests.proof.arms import arm, motions, programs
from tests.proof.sabotage import KINDS, largest_errors, sabotaged

from torquec.errors import CheckError
from torquec.proof.check_certificate import check_certificate
from torquec.proof.torque.certify import certify

FEW = 40
MANY = 1000


def small_arms(count):
    """Random mixed arms of two to four joints."""
    found, seed = [], 0
    while len(found) < count:
        robot = random_arm(seed)
        seed += 1
        if robot.n <= 4:
            found.append(robot)
    return found


def honest(robots, seed=0):
    """A certificate for each robot: the moments of one link are a little off."""
    rng = np.random.default_rng(seed)
    found = []
    for robot in robots:
        exact, simplified = programs(robot, int(rng.integers(robot.n)), float(rng.uniform(0.7, 0.95)))
        found.append((robot, certify(robot, exact, simplified, motions(robot))))
    return found


def refused(robot, certificate) -> bool:
    try:
        check_certificate(robot, certificate)
    except CheckError:
        return True
    return False


def all_refused(cases, count, seed):
    """`count` false certificates, as many of each kind; how many of each kind were refused, and tried."""
    rng = np.random.default_rng(seed)
    tried, kept_out = Counter(), Counter()
    k = 0
    while tried.total() < count:
        robot, certificate = cases[k % len(cases)]
        kind = min(KINDS, key=tried.__getitem__)
        k += 1
        false = sabotaged(robot, certificate, kind, rng)
        if false is not None:
            tried[kind] += 1
            kept_out[kind] += refused(robot, false)
    return kept_out, tried


@pytest.fixture(scope="module")
def cases():
    return honest([arm("planar2r"), arm("scara"), *small_arms(2)])


def test_honest_certificates_are_accepted(cases):
    for robot, certificate in cases:
        check_certificate(robot, certificate)


def test_sabotage_makes_certificates_false(cases):
    """What is called sabotage here is one: the claim is wrong, or the proof has a hole."""
    robot, certificate = cases[1]
    rng = np.random.default_rng(5)
    bounds = np.array([proof.bound for proof in certificate.joints.values()])
    assert np.all(largest_errors(robot, certificate, certificate.motions, rng) <= bounds)
    for kind in ("program", "range"):
        false = next(f for _ in range(50) if (f := sabotaged(robot, certificate, kind, rng)) is not None)
        assert np.any(largest_errors(robot, false, false.motions, rng) > bounds)


def test_sabotaged_certificates_are_refused(cases):
    kept_out, tried = all_refused(cases, FEW, seed=1)
    assert kept_out == tried
    assert set(tried) == set(KINDS)


@pytest.mark.slow
def test_a_thousand_sabotaged_certificates_are_refused():
    robots = [arm("planar2r"), arm("planar3r"), arm("scara"), arm("stanford"), *small_arms(10)]
    cases = honest(robots, seed=2)
    for robot, certificate in cases:
        check_certificate(robot, certificate)
    kept_out, tried = all_refused(cases, MANY, seed=3)
    sys.stdout.write(f"\nrefused {kept_out.total()} of {tried.total()}: {dict(tried)}\n")
    assert kept_out == tried


def test_a_certificate_for_another_robot_is_refused(cases):
    robot, certificate = cases[0]
    assert refused(replace(robot, gravity=(0.0, 0.0, -9.8)), certificate)
