"""Frama-C's Eva on generated C: nothing that is not finite, nothing read before it is written, every statement reached.

Divisions are by pivots of mass matrices; they are listed, and everything else is free of alarms.
"""

from __future__ import annotations

import shutil

import pytest
from tests.codegen.c.eva import analyze
from tests.realtime.test_package_trust import panda

import torquec as tq
from torquec.codegen.target import generate_package
from torquec.expr import trace
from torquec.expr.math import sqrt
from torquec.realtime.package import write_two_rate_package

pytestmark = pytest.mark.skipif(shutil.which("frama-c") is None, reason="frama-c is not here: nothing is proven")
OPEN = "assertion got status unknown"
FREE_OF_DIVISION = ("inverse_dynamics", "mass_matrix", "gravity_torque", "velocity_torque", "coriolis_matrix",
                    "inverse_dynamics_derivatives", "regressor", "total_torque", "friction_torque")  # fmt: skip


def check(directory, scratch, functions=None, *, divides):
    scratch.mkdir()
    found = analyze(directory, scratch, functions)
    assert found.reached == found.statements
    alarms = [alarm for alarm in found.alarms if not alarm.startswith(OPEN)]
    assert alarms == []
    assert bool(found.alarms) == divides, found
    return found


def test_planar_arm_and_its_pivots(tmp_path):
    tq.generate(tq.classics.planar2r(), tmp_path / "c", quantities=["inverse_dynamics", "forward_dynamics"])
    check(tmp_path / "c", tmp_path / "one", ["planar2r_inverse_dynamics"], divides=False)


def test_a_root_of_a_negative_number_is_an_alarm(tmp_path):
    """The analysis can fail: this is not a finite number everywhere in the box."""
    function = trace("f", lambda q: {"y": [sqrt(q[0]) + 1.0]}, {"q": (1,)})
    generate_package([function], tmp_path / "c", prefix="p")
    (tmp_path / "scratch").mkdir()
    assert analyze(tmp_path / "c", tmp_path / "scratch").alarms


@pytest.mark.slow
@pytest.mark.parametrize("name", tq.classics.names())
def test_the_classics(tmp_path, name):
    tq.generate(tq.classics.load_classic(name), tmp_path / "c")
    own = [f"{name}_{quantity}" for quantity in FREE_OF_DIVISION]
    check(tmp_path / "c", tmp_path / "free", own, divides=False)
    found = check(tmp_path / "c", tmp_path / "all", divides=True)
    assert 0 < found.divisions <= 40


@pytest.mark.slow
def test_the_panda(tmp_path):
    tq.generate(panda(), tmp_path / "c")
    check(tmp_path / "c", tmp_path / "free", [f"panda_{quantity}" for quantity in FREE_OF_DIVISION], divides=False)
    check(tmp_path / "c", tmp_path / "all", divides=True)
    write_two_rate_package(panda(), tmp_path / "rt", precision="single")
    check(tmp_path / "rt", tmp_path / "two", divides=False)
