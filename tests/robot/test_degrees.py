"""Degrees where radians are meant: told with the remedy, an error with strict, and never of a published robot."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import pytest
from typer.testing import CliRunner

from torquec.cli.app import app
from torquec.errors import RobotFileError, TorquecError, UnitWarning
from torquec.robot import classics
from torquec.robot.degrees import is_limit_in_degrees, is_placement_in_degrees, is_position_in_degrees
from torquec.robot.load import load
from torquec.simplification.specification import parse_specification

MODELS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "models"

URDF = """<robot name="arm"><link name="base"/>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>
<origin rpy="0 0 {angle}"/><limit lower="-{limit}" upper="{limit}" velocity="2" effort="9"/></joint>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
</robot>
"""
DH = """name = "arm"
convention = "modified"
[[joint]]
name = "turn"
type = "continuous"
{alpha}
a = 0
d = 0
link = {{ mass = 1, com = [0.5, 0, 0], inertia = [0.1, 0.1, 0.1] }}
"""


@pytest.mark.parametrize(
    ("limit", "angle", "said"),
    [
        (160, 0, "the limit of joint 'turn' is 160 rad: radians are meant, and 160 degrees are 2.7925"),
        (2.8, 90, 'an angle of <origin> in <joint name="turn"> is 90 rad'),
    ],
)
def test_a_urdf_in_degrees(limit, angle, said, tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF.format(limit=limit, angle=angle))
    with pytest.warns(UnitWarning, match=r"arm\.urdf:[23]"):
        robot = load(path)
    assert any(said in warning.text and warning.about_units for warning in robot.warnings)
    with pytest.raises(RobotFileError, match="radians are meant"):
        load(path, strict=True)
    run = CliRunner().invoke(app, ["eval", str(path)])
    assert run.exit_code == 0
    assert f"torquec: warning: {path}:" in run.stderr
    assert run.stderr.count("radians are meant") == 1


def test_a_dh_table_in_degrees(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text(DH.format(alpha="alpha = 90"))
    with pytest.warns(UnitWarning, match=r"arm\.toml:6: alpha of joint 'turn' is 90 rad.*write alpha_deg"):
        load(path)
    path.write_text(DH.format(alpha="alpha_deg = 90"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnitWarning)
        load(path)


def test_published_robots_and_classics_give_no_alarm():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnitWarning)
        for path in sorted(MODELS.glob("*.urdf")) + sorted(MODELS.glob("*.xml")):
            try:
                robot = load(path)
            except TorquecError:
                continue  # refused for what it is
            assert not any(warning.about_units for warning in robot.warnings)
        for name in classics.names():
            assert not any(warning.about_units for warning in classics.load_classic(name).warnings)


def test_what_is_no_degree():
    assert not any(is_limit_in_degrees(value) for value in (9.42, 6.2832, 20 * math.pi, 1e5, math.inf))
    assert not is_position_in_degrees(4.0 * math.pi)
    assert not is_placement_in_degrees(-6.2832)


SPECIFICATION = "[every_joint]\n{range}\n{velocity}\nacceleration = 5\ntorque_error = 1\n"


def test_a_specification_in_degrees():
    robot = classics.planar2r()
    with pytest.warns(UnitWarning) as told:
        parse_specification(SPECIFICATION.format(range="range = [-160, 160]", velocity="velocity = 90"), robot)
    texts = [str(one.message) for one in told]
    assert [text.split(": ")[0] for text in texts] == ["specification:2", "specification:3"]
    assert "write range_deg" in texts[0]
    assert "write velocity_deg" in texts[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnitWarning)
        found = parse_specification(
            SPECIFICATION.format(range="range_deg = [-160, 160]", velocity="velocity_deg = 90"), robot
        )
    assert found.joints[0].velocity == pytest.approx(math.pi / 2)


@pytest.mark.parametrize("option", [("--q", "90,0"), ("--qd", "0,90"), ("--lock", "joint1=90")])
def test_a_state_in_degrees(option):
    state = ["eval", "planar2r", *option]
    run = CliRunner().invoke(app, state)
    assert run.exit_code == 0
    assert "torquec: warning: --" in run.stderr
    assert "--deg" in run.stderr
    refused = CliRunner().invoke(app, [*state, "--strict"])
    assert refused.exit_code == 2
    assert "radians are meant" in refused.stderr
    assert "warning" not in CliRunner().invoke(app, [*state, "--deg"]).stderr
