"""`torquec verify-specification`: what simplify wrote, in closed loop; a false model fails; what is refused."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import torquec as tq
from torquec.cli.app import app
from torquec.cli.verify_specification import stated_specification, verification
from torquec.model.save import load_model

SPECIFICATION = """
robot = "planar2r"
search = "{search}"
[every_joint]
velocity = 2.0
acceleration = 5.0
motor = {{ armature_resistance = 1.0, torque_constant = 0.05, back_emf_constant = 0.05, gear_ratio = 0.01, {motor} }}
control = {{ damping_error = 0.05, step_error = 0.002, ramp_error = 0.004, parabolic_error = 0.01 }}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("verify")
    text = SPECIFICATION.format(search="min_basis_gen", motor="resonance_hz = 5, inertia = 3")
    (folder / "spec.toml").write_text(text, encoding="utf-8")
    words = ["simplify", "planar2r", "--spec", str(folder / "spec.toml"), "-o", str(folder / "out"), "--json"]
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 0, found.output
    return folder / "out", json.loads(found.stdout)


def test_simplify_verifies_and_the_command_does_it_again(torquec, made):
    folder, document = made
    found = torquec("verify-specification", folder, "--json")
    assert found.status == 0
    for key in ("met", "postures", "errors", "damping"):
        assert found.document[key] == document["verification"][key]
    assert json.loads((folder / "verification.json").read_text())["met"] is True
    row = found.document["errors"]["joint2"]["parabolic"]
    assert 0.0 < row["error"] <= row["allowed"] == 0.01
    shown = torquec("verify-specification", folder / "planar2r.tq.json", "--postures", "2", "--seed", "3").out
    assert "planar2r: the control specification is met in simulation from 2 postures" in shown
    assert tq.check_file(folder).ok


def test_the_equations_of_the_coefficients(torquec, made):
    folder, document = made
    text = (folder / "equations_coefficients.txt").read_text()
    assert "M11 = 1.66667 + C2" in text
    assert "the search of this package chose: none." in text
    assert document["coefficient_equations"]["search"] == "min_basis_gen"
    assert document["coefficient_equations"]["fell_back"] == []
    words = ("equations", folder / "planar2r.tq.json")
    second = torquec(*words, "--by-coefficients")
    assert "MIN_BASIS_GEN found no basis for: none." in second.out
    assert second.out != torquec(*words).out
    assert torquec(*words, "--by-coefficients", "--json").document["search"]["fell_back"] == []
    refused = torquec("equations", "planar2r", "--by-coefficients")
    assert refused.status == 2
    assert "has one program" in refused.err


def test_a_requirement_that_the_model_was_not_made_for_fails(torquec, made, monkeypatch):
    """The same model under a tenth of the allowed errors: rows are marked, and the exit status is 1."""
    folder, _ = made
    model = load_model(folder / "planar2r.tq.json")
    text = SPECIFICATION.format(search="minimal_basis", motor="resonance_hz = 5, inertia = 3")
    (folder.parent / "tight.toml").write_text(text.replace("0.01 }", "0.001 }"), encoding="utf-8")
    tight = tq.load_specification(folder.parent / "tight.toml", model.robot)
    document, shown = verification(model, tight, postures=3)
    assert not document["met"]
    assert "NOT met" in shown
    assert " !" in shown
    monkeypatch.setattr("torquec.cli.verify_specification.stated_specification", lambda *_: tight)
    failed = torquec("verify-specification", folder, "--postures", "2")
    assert failed.status == 1
    assert "does not meet the specification" in failed.err


def test_coefficients_that_fell_back_are_named(tmp_path, monkeypatch):
    """Where MIN_BASIS_GEN finds nothing at all, every fitted coefficient is named."""
    monkeypatch.setattr("torquec.simplification.fitting.fit_entries._by_layers", lambda *_: None)
    text = SPECIFICATION.format(search="min_basis_gen", motor="resonance_hz = 5, inertia = 3")
    (tmp_path / "spec.toml").write_text(text, encoding="utf-8")
    words = ["simplify", "planar2r", "--spec", str(tmp_path / "spec.toml"), "-o", str(tmp_path / "out"), "--json"]
    found = CliRunner().invoke(app, [*words, "--jobs", "1"])
    assert found.exit_code == 0, found.output
    names = json.loads(found.stdout)["coefficient_equations"]["fell_back"]
    assert {"M[1,1]", "M[2,2]", "g[1]"} <= set(names)
    assert ", ".join(names) in (tmp_path / "out" / "equations_coefficients.txt").read_text()


def test_misuse(torquec, tmp_path):
    assert "there is no" in torquec("verify-specification", tmp_path / "nothing").err
    assert "0 model files" in torquec("verify-specification", tmp_path).err
    model = tq.compile(tq.classics.planar2r())
    tq.save(model, tmp_path / "exact.tq.json")
    assert "has no specification" in torquec("verify-specification", tmp_path / "exact.tq.json").err
    assert "positive number" in torquec("verify-specification", tmp_path / "exact.tq.json", "--rate", "0").err
    with pytest.raises(tq.errors.ArgumentError):
        stated_specification(model, tmp_path)
