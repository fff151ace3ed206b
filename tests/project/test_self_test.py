"""The self-test: right machines pass, and each kind of wrong result is found."""

from __future__ import annotations

import math

import numpy as np
import pytest

import torquec as tq
from torquec.model.generate import generate
from torquec.model.model import Model
from torquec.project import self_test as module
from torquec.project.self_test import SelfTestRow, processor_features, run_c_self_test, self_test


def test_everything_agrees_here():
    rows = self_test(tq.classics.planar2r())
    assert all(row.ok for row in rows)
    native = {row.quantity for row in rows if row.against == "plain arithmetic"}
    assert {"inverse_dynamics", "mass_matrix", "forward_dynamics"} <= native
    assert all(math.isfinite(row.difference) for row in rows if not row.reason)


def test_a_wrong_native_function_is_found(monkeypatch):
    right = Model.native

    def wrong(self, quantity):
        call = right(self, quantity)
        if quantity != "gravity_torque":
            return call
        return lambda *inputs: call(*inputs) * (1.0 + 1e-9 * (np.ndim(inputs[0]) > 1))  # in batches only

    monkeypatch.setattr(Model, "native", wrong)
    monkeypatch.setattr(module, "_peers", lambda robot, seed: [])
    assert [row.quantity for row in self_test(tq.classics.planar2r()) if not row.ok] == ["gravity_torque"]


def test_a_peer_that_disagrees_is_told(monkeypatch):
    pytest.importorskip("pinocchio")
    monkeypatch.setattr(module, "peer_difference", lambda *arguments: 1e-6)
    wrong = [row for row in self_test(tq.classics.planar2r()) if not row.ok]
    assert wrong
    assert all(row.against.startswith(("pinocchio", "mujoco")) for row in wrong)


def test_generated_c_runs_its_own_test(tmp_path, monkeypatch):
    generate(tq.classics.planar2r(), tmp_path, quantities=["gravity_torque"])
    found = run_c_self_test(tmp_path)
    if found.reason:
        pytest.skip(found.reason)
    assert found.ok
    source = tmp_path / "planar2r.c"
    source.write_text(source.read_text().replace(" + ", " - "))
    assert not run_c_self_test(tmp_path).ok
    monkeypatch.setattr(module, "_COMPILERS", ("no-such-compiler",))
    assert run_c_self_test(tmp_path).reason == "there is no C compiler"


def test_what_could_not_be_compared_is_no_agreement_and_no_failure():
    row = SelfTestRow("dynamics", "mujoco", reason="not installed")
    assert row.ok
    assert math.isnan(row.difference)
    assert not SelfTestRow("x", "y", math.nan, 1.0).ok


def test_the_processor_is_known():
    assert all(isinstance(name, str) for name in processor_features())
