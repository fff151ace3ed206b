"""Equations from documents: the terms of a known arm, signs, powers, what is left out; names never become markup."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest
from tests.report.result_folders import command, made_folder

from torquec.errors import ArgumentError
from torquec.report.blocks import Equation
from torquec.report.equations import compared_equations, written_equations
from torquec.report.stored_values import StoredValue


def equations(*words):
    document = StoredValue(json.loads(command("equations", *words, "--json")), "e.json")
    return {block.text.split(" =")[0]: block for block in written_equations(document) if isinstance(block, Equation)}


def test_the_planar_arm_of_the_textbooks():
    found = equations("planar2r")
    assert found["M[1,1]"].text == "M[1,1] = 1.6667 + C2"
    assert found["M[2,2]"].text == "M[2,2] = 0.33333"
    assert found["g[2]"].text == "g[2] = 4.905 C12"
    for block in found.values():
        ET.fromstring(block.mathml)
    assert "<msub><mi>C</mi><mn>12</mn></msub>" in found["g[2]"].mathml


@pytest.mark.parametrize("options", [("--multiple-angles",), ("--matrix", "C"), ("--coefficients", "parameters")])
def test_every_form_is_well_formed(options):
    for block in equations("planar2r", *options).values():
        ET.fromstring(block.mathml)
        assert "?" not in block.text


def test_long_entries_end_with_how_much_is_missing():
    found = equations("puma560")["M[1,1]"]
    assert found.text.endswith("more terms") or found.mathml.count("<math>") <= 41
    ET.fromstring(found.mathml)


def test_before_and_after():
    document = StoredValue(json.loads((made_folder() / "small" / "simplification.json").read_text()), "s.json")
    blocks = [block for block in compared_equations(document["equations"]) if isinstance(block, Equation)]
    labels = [block.label for block in blocks]
    assert set(labels) <= {"exact", "simplified", "unchanged"}
    assert labels.count("exact") == labels.count("simplified")
    assert blocks[0].text == "M[1,1] = 1.6667 + C2"


def test_what_is_left_out_is_zero_and_what_stays_stands_once():
    half = {"terms": [{"coefficient": 0.5, "factors": {}}]}
    before = {"joints": ["a"], "angles": {}, "entries": {"M[1,1]": half, "g[1]": half}}
    pair = StoredValue({"before": before, "after": before | {"entries": {"g[1]": half}}}, "s.json")
    blocks = [block for block in compared_equations(pair) if isinstance(block, Equation)]
    assert [(block.label, block.text) for block in blocks] == [
        ("exact", "M[1,1] = 0.5"),
        ("simplified", "M[1,1] = 0"),
        ("unchanged", "g[1] = 0.5"),
    ]


def test_names_are_numbers_and_keys_are_text():
    hostile = {"joints": ["<b>"], "angles": {}}
    term = {"coefficient": -2.0, "factors": {"<b>": "CC"}}
    document = StoredValue(hostile | {"entries": {"<i>": {"terms": [term]}}}, "e.json")
    (block,) = [block for block in written_equations(document) if isinstance(block, Equation)]
    ET.fromstring(block.mathml)
    assert block.text == "<i> = \N{MINUS SIGN} 2 C1^2"
    with pytest.raises(ArgumentError, match="entries is missing"):
        written_equations(StoredValue(hostile, "e.json"))
