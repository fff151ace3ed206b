"""A specification as text: reading it again gives the same requirements, of every kind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import torquec as tq
from torquec.errors import CheckError
from torquec.simplification.specification import load_specification, parse_specification
from torquec.simplification.specification_text import check_specification_met, specification_text

SPECIFICATIONS = Path(__file__).resolve().parents[2] / "examples" / "specifications"


@pytest.mark.parametrize(
    ("robot", "name"),
    [
        ("planar2r", "planar2r"),
        ("scara", "scara"),
        ("stanford", "stanford_control"),
        ("puma560", "puma560_torque"),
        ("puma560", "puma560_threshold"),
    ],
)
def test_it_reads_back_the_same(robot, name):
    arm = getattr(tq.classics, robot)()
    stated = load_specification(SPECIFICATIONS / f"{name}.toml", arm)
    back = parse_specification(specification_text(arm, stated), arm)
    assert replace(back, source=stated.source) == stated


def test_names_with_quotes_and_backslashes_read_back():
    arm = replace(tq.classics.planar2r(), name='a "quoted" \\ n\u00e4me \U0001f916\x7f')
    text = "[every_joint]\nvelocity = 1\nacceleration = 2\ntorque_error = 0.5"
    stated = parse_specification(text, arm)
    assert parse_specification(specification_text(arm, stated), arm).joints == stated.joints


@pytest.fixture(scope="module")
def record():
    return tq.simplify(tq.classics.planar2r(), SPECIFICATIONS / "planar2r.toml").record


def test_a_certificate_meets_its_specification(record):
    check_specification_met(tq.classics.planar2r(), record)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("torque_error = 2.0", "torque_error = 1.0"), "its specification allows 1.0"),
        (("velocity = 1.0", "velocity = 3.0"), "about other motions"),
        (("range = [-3", "range = [-2"), "about other motions"),
        (("planar2r", "planar9r"), "cannot be read"),
        (("torque_error = 2.0", ""), "cannot be read"),
    ],
)
def test_another_specification_is_refused(record, change, message):
    false = replace(record, specification=record.specification.replace(*change))
    with pytest.raises(CheckError, match=message):
        check_specification_met(tq.classics.planar2r(), false)
