"""What a simplification shows: torque errors, coefficients, terms and changes, for every kind of specification."""

from __future__ import annotations

import pytest

from torquec.model.simplified import simplify
from torquec.project.simplification import Simplification
from torquec.robot.classics import load_classic
from torquec.simplification.specification import parse_specification

TORQUE = "[every_joint]\nvelocity = 1.0\nacceleration = 2.0\ntorque_error = 4.0\n"
THRESHOLD = "[coefficients]\nthreshold = 0.4\n"


def made(text, tmp_path):
    robot = load_classic("planar2r")
    found = Simplification(simplify(robot, parse_specification(text, robot)), None, False, {"search": 1.0})
    said = []
    (tmp_path / "out").mkdir()
    found.write(tmp_path / "out", said.append)
    assert said == []
    return found, {path.name for path in (tmp_path / "out").iterdir()}


def test_torque_errors(tmp_path):
    found, files = made(TORQUE, tmp_path)
    assert {"planar2r_simplified.c", "planar2r.tq.json", found.certificate_name, "equations_changes.txt"} <= files
    document = found.document(tmp_path / "out")
    assert set(document["bounds"]) == {"joint1", "joint2"}
    assert document["coefficients"] == {}
    assert "error at most" in found.summary(tmp_path / "out")


def test_a_threshold_without_speeds(tmp_path):
    found, files = made(THRESHOLD, tmp_path)
    assert "equations_changes.txt" in files
    document, page = found.document(tmp_path / "out"), found.summary(tmp_path / "out")
    assert document["bounds"] == {}
    assert document["coefficients"]["M[2,2]"]["bound"] == pytest.approx(1.0 / 3.0, rel=0.05)
    assert "errors of" in page
    assert "served by simplified coefficients: " in page
    # Compared at one rad/s^2.
    assert next(c for c in found.changes if c.index == (1, 1)).torque == pytest.approx(1.0 / 3.0)


def test_nothing_left_out_is_said(tmp_path):
    found, _ = made(TORQUE.replace("4.0", "1e-4"), tmp_path)
    assert "no term was dropped" in found.summary(tmp_path / "out")
