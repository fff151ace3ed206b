"""Rooms that accept some robots: the table in the documentation, and that what is accepted is also served."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.dynamics.random_robots import random_robot
from tests.proof.walkers import walker

from torquec.closedform.closed_form import closed_form
from torquec.errors import RobotError
from torquec.model.accepting_rooms import ACCEPTING_ROOMS, accepted_by
from torquec.parameters.minimal_combinations import minimal_combinations
from torquec.robot import classics
from torquec.robot.joints import JointType
from torquec.robot.robot import Drives, Mimic, Robot
from torquec.spatial import Inertia

LIMITS = Path(__file__).resolve().parents[2] / "docs" / "limits.md"


def test_documentation_has_the_table():
    rows = [f"| `{room.name}` | {room.gives} | {room.refuses} |" for room in ACCEPTING_ROOMS]
    table = "\n".join(["| part | gives | refused |", "|---|---|---|", *rows])
    assert f"{table}\n\n" in LIMITS.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["puma560", "stanford", "scara"])
def test_every_room_accepts_the_classic_arms(name):
    assert accepted_by(getattr(classics, name)()) == dict.fromkeys(room.name for room in ACCEPTING_ROOMS)


def test_rooms_for_dynamics_refuse_a_robot_without_inertias():
    robot = classics.planar2r()
    bare = replace(robot, bodies=tuple(replace(b, inertia=Inertia(), lacking_inertia=(b.name,)) for b in robot.bodies))
    found = accepted_by(bare)
    assert {room for room, reason in found.items() if reason and "no inertia" in reason} == {
        "closedform",
        "proof",
        "simplification",
    }
    with pytest.raises(RobotError, match="no inertia"):
        closed_form(bare)


@pytest.mark.parametrize("seed", range(12))
def test_reasons_are_the_messages_of_entry_points(seed):
    robot = random_robot(seed)
    found = accepted_by(robot)
    if found["parameters"] is None:
        assert minimal_combinations(robot)
    else:
        with pytest.raises(RobotError) as raised:
            minimal_combinations(robot)
        assert raised.value.found.endswith(found["parameters"])


def test_a_geared_follower_is_refused_by_name():
    robot: Robot = classics.planar3r()
    first, second, third = robot.bodies
    geared = replace(third, joint=replace(third.joint, mimic=Mimic(second.joint.name, 7.0)))
    found = accepted_by(replace(robot, bodies=(first, second, geared)))
    assert found["proof"] == found["simplification"]
    assert found["proof"] is not None
    assert f"'{third.joint.name}' with a multiplier of 7" in found["proof"]
    assert found["closedform"] is None


def test_long_chains_are_refused_where_their_tables_end():
    kinds = {"types": (JointType.REVOLUTE,), "placements": ("generic",), "mimic": False}
    robots = {n: [random_robot(seed, bodies=n, **kinds) for seed in range(20)] for n in (10, 11)}
    chains = {n: next(robot for robot in found if _is_serial(robot)) for n, found in robots.items()}
    assert "depends on 10 joints: too many" in str(accepted_by(chains[11])["closedform"])
    assert accepted_by(chains[10])["closedform"] is None  # M does not depend on the first joint
    assert "depend on 10 joint positions, too many" in str(accepted_by(chains[10])["proof"])


@pytest.mark.parametrize(("limbs", "accepted"), [((1,), True), ((4, 2), True), ((5, 1), False)])
def test_limbs_on_a_free_base_are_accepted_up_to_four_joints(limbs, accepted):
    found = accepted_by(walker(0, limbs, mimic=False))["proof"]
    assert (found is None) == accepted
    assert accepted or "has 5 joints (joint00, joint01, joint02, joint03, joint04 ..)" in str(found)


def test_limbs_that_a_mimic_joint_couples_and_high_degrees_are_refused():
    robot = walker(0, (1, 1), mimic=False, slides=False)
    trunk, first, second = robot.bodies
    coupled, geared = (
        replace(robot, bodies=(trunk, first, *rest), drives=Drives())
        for rest in (
            (replace(second, joint=replace(second.joint, mimic=Mimic(first.joint.name))),),
            (second, replace(second, name="c", parent=2, joint=replace(second.joint, name="c", mimic=_half(second)))),
        )
    )
    assert "follows a joint of another limb" in str(accepted_by(coupled)["proof"])
    assert "with a multiplier of 0.5" in str(accepted_by(geared)["proof"])


def _half(body):
    return Mimic(body.joint.name, 0.5)


def _is_serial(robot):
    return all(body.parent == i - 1 for i, body in enumerate(robot.bodies))
