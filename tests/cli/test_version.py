"""`torquec version`: what a bug report needs."""

from __future__ import annotations

import importlib.metadata

import torquec as tq
from torquec.cli import version


def test_it_names_torquec_python_and_every_package(torquec):
    told = torquec("version", "--json").document
    assert told["torquec"] == tq.__version__
    assert told["packages"]["numpy"] == importlib.metadata.version("numpy")
    shown = torquec("version").out
    assert shown.startswith(f"torquec {tq.__version__}\n")
    assert all(f"\n{name} " in shown for name in told["packages"])


def test_what_is_missing_is_said(torquec, monkeypatch):
    monkeypatch.setattr(version, "_PACKAGES", ("no-such-package",))
    assert "no-such-package is not installed" in torquec("version").out
