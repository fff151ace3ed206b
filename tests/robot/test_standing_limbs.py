"""Legs are told from arms and hands: what stands on them has no fixed base, and its user is warned."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import torquec as tq
from torquec.errors import FixedBaseWarning, RobotFileError
from torquec.robot.standing_limbs import standing_limbs

MODELS = Path(__file__).resolve().parents[3] / "shared" / "data" / "models"

LINK = (
    '<link name="{name}"><inertial><origin xyz="0 0 -0.1"/><mass value="1"/>'
    '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
JOINT = (
    '<joint name="j_{name}" type="revolute"><parent link="{parent}"/><child link="{name}"/><origin xyz="{at}"/>'
    '<axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="1" effort="5"/></joint>'
)
FIXED = (
    '<joint name="f_{name}" type="fixed"><parent link="{parent}"/><child link="{name}"/><origin xyz="{at}"/></joint>'
)


def limb(name, at, step):
    """Hip, knee and foot in a line: rows of (name, parent, origin, joint)."""
    return [
        (f"{name}_upper", "trunk", at, JOINT),
        (f"{name}_lower", f"{name}_upper", step, JOINT),
        (f"{name}_foot", f"{name}_lower", step, FIXED),
    ]


LEGS = [*limb("left", "0 0.1 0", "0 0 -0.3"), *limb("right", "0 -0.1 0", "0 0 -0.3")]
ARMS = [*limb("left", "0 0.2 0.5", "0.3 0 0"), *limb("right", "0 -0.2 0.5", "0.3 0 0")]


def written(tmp_path, rows, root=""):
    links = ["trunk", *(name for name, *_ in rows)]
    parts = [LINK.format(name=name) for name in links]
    parts += [form.format(name=name, parent=parent, at=at) for name, parent, at, form in rows]
    path = tmp_path / "tree.urdf"
    path.write_text(f'<robot name="walker">{root}{"".join(parts)}</robot>')
    return path


def test_a_biped_is_warned_of_with_the_remedy(tmp_path):
    path = written(tmp_path, LEGS)
    with pytest.warns(FixedBaseWarning, match="seems to stand on legs") as caught:
        robot = tq.load(path)
    assert standing_limbs(robot) == ("j_left_upper", "j_right_upper")
    (warning,) = (warning for warning in robot.warnings if warning.about_base)
    for part in ("walker", "j_left_upper, j_right_upper", "base 'trunk' is treated as fixed", "a link 'world'"):
        assert part in warning.text
    assert str(path) in str(caught[0].message)
    with pytest.raises(RobotFileError, match="stand on legs"):
        tq.load(path, strict=True)


def test_a_link_world_says_that_the_base_is_bolted_down(tmp_path):
    """The remedy that the warning names."""
    bolted = '<link name="world"/>' + FIXED.format(name="trunk", parent="world", at="0 0 1")
    with warnings.catch_warnings():
        warnings.simplefilter("error", FixedBaseWarning)
        robot = tq.load(written(tmp_path, LEGS, bolted))
    assert not any(warning.about_base for warning in robot.warnings)


@pytest.mark.parametrize(
    "rows",
    [
        ARMS,  # of a torso that stands on its base
        LEGS[:3],  # one limb that hangs: a pendulum, an arm below a ceiling
        [*LEGS[:3], *limb("up", "0 0 0", "0 0 0.3")],
        [row for row in LEGS if "upper" in row[0]],  # wheels
        [*LEGS, ("stand", "trunk", "0 0 -1", FIXED)],  # a base that reaches as far down
    ],
)
def test_arms_wheels_and_pendulums_are_not_legs(tmp_path, rows):
    assert standing_limbs(tq.load(written(tmp_path, rows))) == ()


def test_hands_that_hang_are_no_legs(tmp_path):
    hands = [*limb("lefthand", "0 0.2 0.3", "0 0 -0.35"), *limb("righthand", "0 -0.2 0.3", "0 0 -0.35")]
    legs = [(name, parent, at.replace("-0.3", "-0.6"), form) for name, parent, at, form in LEGS]
    with pytest.warns(FixedBaseWarning):
        robot = tq.load(written(tmp_path, [*hands, *legs]))
    assert standing_limbs(robot) == ("j_left_upper", "j_right_upper")


@pytest.mark.skipif(not MODELS.is_dir(), reason="published robots are not here")
def test_of_published_robots_those_with_legs_are_warned_of():
    found = set()
    for path in sorted(MODELS.rglob("*.urdf")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                robot = tq.load(path)
            except RobotFileError:  # odd files
                continue
        if any(warning.about_base for warning in robot.warnings):
            found.add(path.name)
    assert found == {"anymal_b.urdf", "go2.urdf", "talos_reduced.urdf"}
