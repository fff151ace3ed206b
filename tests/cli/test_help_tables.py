"""Lists in help texts follow the tables of the library."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from torquec.cli.app import COMMANDS, app
from torquec.cli.help_tables import LISTS, filled
from torquec.control.laws import LAWS
from torquec.identification.estimators.method import Method
from torquec.identification.torque.friction_law import FrictionModel
from torquec.robot.load import READERS, RobotFormat
from torquec.robot.urdf import read_urdf


def shown(*words):
    found = CliRunner().invoke(app, [*words], env={"COLUMNS": "100"})
    return " ".join((found.output).split())


def test_a_new_format_is_in_help_and_remedies(monkeypatch):
    assert ".arm" not in shown("info", "--help")
    monkeypatch.setitem(READERS, ".arm", RobotFormat("arm description", read_urdf))
    for text in (shown("info", "--help"), shown("info", "puma561")):
        assert ".sdf (SDF) or .arm (arm description)" in text


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_no_list_is_left_open(command):
    text = shown(command.name, "--help")
    assert not [name for name in LISTS if f"{{{name}}}" in text]


@pytest.mark.parametrize("command", ["design", "simulate"])
def test_every_law_is_listed_with_the_usual_settings(command):
    text = shown(command, "--help")
    whole = text.replace("- ", "-")  # lines may break after a hyphen
    assert all(f"{kind} ({entry.summary})" in whole for kind, entry in LAWS.items())
    assert "[default: -20]" in text
    assert "[default: computed-torque]" in whole
    assert "[default: 0.001,0.01 and the limits of the drives]" in text


def test_every_friction_model_is_listed():
    assert ", ".join(FrictionModel) in shown("identify", "--help")
    assert "none, viscous, symmetric, offset, directional, curved, cubic." in shown("excite", "--help")


def test_every_method_is_listed_by_its_need_of_a_prior():
    text = shown("identify", "--help")
    assert (
        "consistent, entropic, ridge (with a prior); weighted, ordinary, huber, total, instrumental (without)" in text
    )
    assert all(text.count(method) for method in Method)


def test_other_braces_stay():
    assert filled("{x} and {}") == "{x} and {}"
