"""`torquec selftest`: what it shows, and exit status 1 where a machine computes wrongly."""

from __future__ import annotations

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
