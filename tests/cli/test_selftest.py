"""`torquec selftest` and `torquec version`."""

from __future__ import annotations

import importlib.metadata

import torquec as tq
from torquec.cli import info
from torquec.project import self_test as module
from torquec.project.self_test import SelfTestRow


def test_it_says_what_was_compared(torquec):
    outcome = torquec("selftest", "planar2r")
    assert outcome.status == 0
    for words in ("vector units", "inverse_dynamics", "plain arithmetic", "generated C", "everything agrees"):
        assert words in outcome.out


def test_wrong_results_fail(torquec, monkeypatch):
    monkeypatch.setattr(module, "self_test", lambda model, **more: (SelfTestRow("mass_matrix", "mujoco", 1.0, 1e-9),))
    outcome = torquec("selftest", "planar2r", "--json")
    assert outcome.status == 1
    assert outcome.document["ok"] is False
    assert "mass_matrix differs from mujoco" in outcome.err


def test_it_names_torquec_python_and_every_package(torquec):
    told = torquec("version", "--json").document
    assert told["torquec"] == tq.__version__
    assert told["packages"]["numpy"] == importlib.metadata.version("numpy")
    shown = torquec("version").out
    assert shown.startswith(f"torquec {tq.__version__}\n")
    assert all(f"\n{name} " in shown for name in told["packages"])


def test_what_is_missing_is_said(torquec, monkeypatch):
    monkeypatch.setattr(info, "_PACKAGES", ("no-such-package",))
    assert "no-such-package is not installed" in torquec("version").out
