"""The JSON document: the keys that others build on, and the function that it describes."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest
from tests.closedform.printed import samples

from torquec.closedform import closed_form
from torquec.closedform.equations import single_equations
from torquec.closedform.json_form import equations_document
from torquec.robot.classics import load_classic

SAMPLES = samples()


def term_value(term, document, q):
    """A term at joint positions {name: value}, read from the document alone."""
    value = term["coefficient"]
    for name, letters in term["factors"].items():
        parts = document["angles"].get(name, {name: 1})
        angle = sum(sign * q[joint] for joint, sign in parts.items())
        for letter in letters:
            value *= {"C": math.cos(angle), "S": math.sin(angle), "q": angle}[letter]
    if "function" in term:
        angle = sum(multiple * q[joint] for joint, multiple in term["multiples"].items())
        value *= {"cos": math.cos, "sin": math.sin}[term["function"]](angle)
    return value


@pytest.mark.parametrize("name", ["puma560 after Clover", "puma560 exact", "odd, everything", "odd, multiple angles"])
def test_the_document_says_it_all(name):
    chosen = SAMPLES[name]
    document = json.loads(json.dumps(equations_document(chosen)))
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, chosen.form.n))
    at = dict(zip(document["joints"], q, strict=True))
    speed = dict(zip(document["joints"], qd, strict=True))
    acceleration = dict(zip(document["joints"], qdd, strict=True))
    for kept in chosen.entries.values():
        for entry in kept:
            written = document["entries"][entry.key]
            total = 0.0
            for term in written["terms"]:
                value = term_value(term, document, at)
                value *= math.prod(speed[joint] for joint in term.get("speeds", []))
                total += value * math.prod(acceleration[joint] for joint in term.get("accelerations", []))
            assert total == pytest.approx(float(entry.at(q, qd, qdd)), abs=1e-12)
            assert written["depends_on"] == [document["joints"][joint] for joint in entry.depends_on]


def test_keys_of_the_puma():
    document = equations_document(SAMPLES["puma560 exact"])
    assert document["terms"]["M"] == 99
    assert document["terms"]["g"] == 13
    assert document["angles"] == {"q23": {"joint2": 1, "joint3": 1}}
    first = document["entries"]["M[1,2]"]["terms"][0]
    assert first["coefficient"] == pytest.approx(0.690314699)
    assert first["factors"] == {"joint2": "S"}
    letters = {v for e in document["entries"].values() for t in e["terms"] for v in t["factors"].values()}
    assert letters == {"C", "S", "SS", "CS"}
    assert document["friction"]["joint1"]["coulomb_negative"] == 8.26


def test_followers_are_listed():
    document = equations_document(SAMPLES["odd, everything"])
    assert document["couplings"]["follower"]["multiplier"] == -0.5
    assert document["entries"]["M[4,4]"]["unit"] == "kg"


def test_parameters_are_objects():
    document = equations_document(SAMPLES["parameters"])
    assert document["entries"]["M[3,3]"]["terms"] == [{"coefficient": {"Izz_link3": 1.0}, "factors": {}}]


def test_counts_of_the_whole_stay_with_a_single_entry():
    form = closed_form(load_classic("puma560"))
    document = equations_document(single_equations(form, ["M[1,1]"]))
    assert document["terms"] == form.terms
    assert list(document["entries"]) == ["M[1,1]"]


def test_an_angle_never_takes_the_name_of_a_joint():
    robot = load_classic("puma560")
    renamed = dataclasses.replace(robot.bodies[0], joint=dataclasses.replace(robot.bodies[0].joint, name="q23"))
    robot = dataclasses.replace(robot, bodies=(renamed, *robot.bodies[1:]))
    document = equations_document(single_equations(closed_form(robot), ["M[1,1]"]))
    assert list(document["angles"]) == ["q23_"]
