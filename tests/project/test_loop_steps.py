"""Simulated errors beyond proven ones: explained by what the guarantee does not cover, or a contradiction."""

from __future__ import annotations

import json

import pytest

import torquec as tq
from torquec.control.tracking_claim import guarantee_sentence
from torquec.project.chain import STEPS
from torquec.project.loop_steps import beyond_guarantee, missing_drives
from torquec.project.read_project import parse_project
from torquec.project.run_project import run_project

GUARANTEE = {"valid": True, "bounds": {"j1": {"value": 0.0011, "unit": "rad"}, "j2": {"value": 0.002, "unit": "m"}}}
QUIET = {"friction_stated": False, "payload": [], "resolution": 0.0, "noise": 0.0, "delay": 0}


def simulated(j1, j2, **conditions):
    return {"max_error": {"j1": j1, "j2": j2}, "saturated": [], "conditions": QUIET | conditions}


def test_errors_within_the_bounds_need_no_words():
    assert beyond_guarantee(GUARANTEE, simulated(0.0011, 0.001)) is None
    assert beyond_guarantee(GUARANTEE, simulated(float("nan"), 0.001)) is None
    assert beyond_guarantee({"valid": False, "reason": "none"}, simulated(1.0, 1.0)) is None


def test_friction_is_named_and_is_no_disturbance_of_the_experiment():
    found = beyond_guarantee(GUARANTEE, simulated(0.0105, 0.003, friction_stated=True))
    assert (found["joint"], found["reasons"], found["disturbed"]) == ("j1", ["friction"], False)
    assert found["text"] == (
        "j1 errs by 0.0105 rad in the simulation, the computed bound is 0.0011 rad (j2 exceeds its own): the "
        "simulation includes friction, which the guarantee does not cover"
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"payload": [{"mass": 1.0}]}, "a load that the model does not include"),
        ({"resolution": 0.001}, "sensors with steps or noise"),
        ({"noise": 0.001}, "sensors with steps or noise"),
        ({"delay": 1}, "a delay"),
    ],
)
def test_every_condition_that_is_not_kept_is_named(change, words):
    found = beyond_guarantee(GUARANTEE, simulated(0.0, 0.1, friction_stated=True, **change))
    assert found["reasons"] == ["friction", words]
    assert f"includes friction and {words}, which the guarantee does not cover" in found["text"]
    assert found["disturbed"]


def test_saturated_drives_scatter_and_another_motion_are_named():
    many = simulated(0.1, 0.0) | {"saturated": ["j1"], "spread": 0.05}
    found = beyond_guarantee(GUARANTEE, many, own_motion=True)
    assert found["reasons"] == [
        "scattered parameters",
        "drives at their torque limits",
        "another motion than that of the design",
    ]


def test_an_error_that_nothing_explains_contradicts_the_guarantee():
    found = beyond_guarantee(GUARANTEE, simulated(0.1, 0.0))
    assert found["reasons"] == []
    assert "CONTRADICTS the guarantee" in found["text"]


PROJECT = """\
robot = "arm.toml"
[design]
controller = "computed-torque"
evaluation = "measured"
poles = "-20"
rate = 500
friction_at = "nothing"
[motion]
to = [0.4]
duration = 1.0
[[experiment]]
name = "as designed"
"""
ARM = """\
name = "arm"
convention = "modified"
gravity = [0, -9.81, 0]
[[joint]]
name = "shoulder"
type = "revolute"
alpha = 0
a = 0
d = 0
friction = { viscous = 0.5, coulomb = 1.5 }
link = { name = "link", mass = 1, com = [0.5, 0, 0], inertia = [0, 0.0833, 0.0833] }
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run of an arm with friction that its controller does not cancel."""
    folder = tmp_path_factory.mktemp("friction")
    (folder / "arm.toml").write_text(ARM)
    file = folder / "project.toml"
    file.write_text(PROJECT)
    wanted = ("check", "design", "verdict", "simulate", "report")
    result = run_project(
        parse_project(PROJECT, file), folder / "out", steps=[step for step in STEPS if step.name in wanted]
    )
    return folder / "out", result


URDF = """\
<robot name="arm">
  <link name="base"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/> <child link="link"/> <axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="3" effort="40"/>
  </joint>
  <link name="link">
    <inertial><origin xyz="0.3 0 0"/><mass value="1"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
  </link>
</robot>
"""
JITTER = """\
[uncertainty.every_joint]
position = 1e-5
[uncertainty.timing]
jitter = 1e-5
"""


def test_a_computed_verdict_says_why_and_names_assumed_drives(tmp_path):
    (tmp_path / "arm.urdf").write_text(URDF)
    drives = tq.library_drives(tq.load(tmp_path / "arm.urdf"), "assumed").text
    (tmp_path / "arm.drives.toml").write_text(drives)
    text = PROJECT.replace("arm.toml", "arm.urdf").replace("nothing", "reference") + JITTER
    wanted = ("check", "design", "verdict", "report")
    result = run_project(
        parse_project(text, tmp_path / "project.toml"),
        tmp_path / "out",
        steps=[step for step in STEPS if step.name in wanted],
    )
    why = "computed, not proven: jitter has no witness: the bound without timing.jitter may have one"
    rests = "reflected_inertia, viscous, coulomb of the drives: assumed, without a published or measured source"
    summary = result.manifest.step("verdict").summary
    assert summary.endswith(f"; {why}; it rests on {rests} (arm.drives.toml)")
    assert document(tmp_path / "out", "verdict/verdict.json")["statements"][1] == why
    first = document(tmp_path / "out", "report.json")["decision"]
    assert why in json.dumps(first)
    assert f"drives, on whose numbers the result rests: {rests}" in json.dumps(first)
    words = [words for words, tone in notes(tmp_path / "out", "verdict") if tone == "warning"]
    assert f"It rests on {rests} (arm.drives.toml)." in words


def test_drives_that_no_file_states_are_named(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF.replace('mass value="1"', 'mass value="0.001"').replace("0.01", "0.00001"))
    friction, rotors = missing_drives(tq.load(path))
    assert friction == "friction of every joint: the files of the robot state none"
    assert rotors.startswith("rotor inertias: no rotor inertia is known")
    (tmp_path / "arm.drives.toml").write_text(tq.library_drives(tq.load(path), "assumed").text)
    assert missing_drives(tq.load(path)) == []


def document(folder, name):
    return json.loads((folder / name).read_text())


def test_a_run_states_the_guarantee_with_its_conditions_everywhere(finished):
    folder, result = finished
    guarantee = document(folder, "design/design.json")["guarantee"]
    assert guarantee["valid"]
    sentence = guarantee_sentence(guarantee)
    assert "without friction" in sentence
    assert document(folder, "verdict/verdict.json")["statements"][0] == sentence
    assert result.manifest.step("verdict").summary == sentence
    header = " ".join((folder / "design" / "arm_controller.h").read_text().replace("\n *", " ").split())
    shown = f"P{sentence[1:]}."
    assert shown in header
    texts = [text for section in ("verdict", "control") for text, _ in notes(folder, section)]
    assert texts.count(shown) == 2


def test_a_simulation_with_friction_makes_the_box_neutral_and_is_explained(finished):
    folder, result = finished
    bounds = document(folder, "design/design.json")["guarantee"]["bounds"]
    found = document(folder, "simulate/as_designed/simulation.json")
    (joint,) = bounds
    assert found["max_error"][joint] > 10.0 * bounds[joint]["value"]
    words = "the simulation includes friction, which the guarantee does not cover"
    assert words in result.manifest.step("simulate").summary
    tones = dict(notes(folder, "verdict"))
    assert "good" not in tones.values()
    assert any(words in text and tone == "warning" for text, tone in tones.items())


def notes(folder, name):
    """The paragraphs of a section of the report with their tones."""
    twin = document(folder, "report.json")
    blocks = next(section["blocks"] for section in twin["sections"] if section["name"] == name)
    for block in blocks:
        if block["block"] == "paragraph":
            parts = (part if isinstance(part, str) else part.get("text", "") for part in block["parts"])
            yield "".join(parts), block["tone"]
