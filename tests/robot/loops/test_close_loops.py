"""Closing loops: choice of joints, parallelograms, redundant equations, singular configurations, misuse."""

from __future__ import annotations

import dataclasses
import shutil

import numpy as np
import pytest
from tests.dynamics.loop_oracle import EXAMPLES
from tests.dynamics.test_closed_loops import mechanism

import torquec as tq
from torquec.model.accepting_rooms import accepted_by
from torquec.robot.loops.assembly import assembled_position
from torquec.robot.loops.batch import loop_batch
from torquec.robot.loops.close_loops import check_redundant, close_loops
from torquec.robot.loops.closed_loops import Coupling, LoopConstraint, LoopFile, LoopKind
from torquec.robot.loops.predictions import Tracked
from torquec.robot.robot_document import robot_from_dict, robot_to_dict
from torquec.robot.urdf import read_urdf


def changed(tmp_path, name, toml):
    """An example with another side file."""
    path = tmp_path / f"{name}.urdf"
    shutil.copy(EXAMPLES / path.name, path)
    (tmp_path / f"{name}.loops.toml").write_text(toml)
    return path


def test_state_holds_the_independent_joints_and_the_tree_all_of_them():
    robot = mechanism("delta")
    assert robot.joint_names == ("motor1", "motor2", "motor3")
    assert len(robot.dependent) == 9
    assert robot.tree.n == 12
    assert tq.neutral(robot) == pytest.approx([0.4] * 3)  # named as independent: they stay where [start] has them


def test_a_delta_robot_is_where_three_spheres_meet():
    """Known answer: the platform is at the rods' length from three elbows, shifted by its own radius."""
    robot = mechanism("delta")
    q = [0.2, 0.5, 0.35]
    centre = np.array(tq.compile(robot).frame_pose("platform")(q)[1])
    for k, angle in enumerate(q):
        turn = 2 * np.pi * k / 3
        out = np.array([np.cos(turn), np.sin(turn), 0.0])
        elbow = (0.2 + 0.3 * np.cos(angle) - 0.05) * out - np.array([0, 0, 0.3 * np.sin(angle)])
        assert np.linalg.norm(centre - elbow) == pytest.approx(0.6, abs=1e-12)


def test_parallelograms_become_mimic_joints():
    robot = mechanism("palletizer")
    mimics = {body.joint.name: body.joint.mimic for body in robot.bodies if body.joint.mimic}
    assert mimics["triangle_joint"].joint == "shoulder"
    assert mimics["triangle_joint"].multiplier == -1.0
    assert mimics["triangle_joint"].offset == 0.0
    assert mimics["lower_rod_joint"].multiplier == 1.0
    assert robot.loops.newton_steps == 0  # what is left is linear in two joints
    assert len(robot.loops.redundant) == 3
    rotation = np.array(tq.compile(robot).frame_pose("flange")([0.0, 0.7, 0.0, -0.4])[0])
    assert np.abs(rotation - np.eye(3)).max() < 1e-12  # the flange stays level


def test_a_robot_of_parallelograms_alone_is_a_tree_for_every_room(tmp_path):
    solid = '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    text = f"""<robot name="p"><link name="base"/>
      <link name="a"><inertial><origin xyz="0.2 0 0"/><mass value="2"/>{solid}
      <joint name="crank" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
        <limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
      <link name="b"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>{solid}
      <joint name="coupler" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0 0.5 0"/>
        <axis xyz="0 0 1"/></joint>
      <link name="c"><inertial><origin xyz="0 0.2 0"/><mass value="1"/>{solid}
      <joint name="rocker" type="continuous"><parent link="base"/><child link="c"/><origin xyz="0.4 0 0"/>
        <axis xyz="0 0 1"/></joint>
      <link name="be"/><joint name="be" type="fixed"><parent link="b"/><child link="be"/><origin xyz="0.4 0 0"/></joint>
      <link name="ce"/><joint name="ce" type="fixed"><parent link="c"/><child link="ce"/><origin xyz="0 0.5 0"/></joint>
    </robot>"""
    path = tmp_path / "p.urdf"
    path.write_text(text)
    (tmp_path / "p.loops.toml").write_text('[[loop]]\nframe_a = "be"\nframe_b = "ce"\nkind = "axis"\n')
    robot = tq.load(path)
    assert not robot.dependent
    assert robot.joint_names == ("crank",)
    assert robot.loops.file.loops[0].kind is LoopKind.AXIS
    assert accepted_by(robot)["proof"] is None
    assert accepted_by(robot)["closedform"] is None


def test_redundant_equations_are_named():
    loops = mechanism("five_bar").loops
    names = [loops.file.equation_names[k] for k in loops.redundant]
    assert names == ["z of loop 'tool pin'", "about x of loop 'tool pin'", "about y of loop 'tool pin'"]


def test_a_weld_that_stops_every_joint_is_refused():
    tree = read_urdf(EXAMPLES / "slider_crank.urdf")
    pin = LoopConstraint("pin", "rod_end", "slider", LoopKind.POINT)
    assert close_loops(tree, LoopFile((pin,), start=(("rod_joint", 0.1),))).n == 1
    with pytest.raises(tq.RobotFileError, match="leave no joint to move"):
        close_loops(tree, LoopFile((dataclasses.replace(pin, kind=LoopKind.WELD),)))


def test_loops_that_cannot_close_name_the_gap(tmp_path):
    tree = read_urdf(EXAMPLES / "four_bar.urdf")
    short = dataclasses.replace(
        tree,
        frames=tuple(
            dataclasses.replace(frame, pose=dataclasses.replace(frame.pose, origin=(0.05, 0.0, 0.0)))
            if frame.name in ("coupler_end", "rocker_end")
            else frame
            for frame in tree.frames
        ),
    )
    file = LoopFile((LoopConstraint("pin", "coupler_end", "rocker_end"),))
    with pytest.raises(tq.RobotFileError, match=r"do not close: a gap of 0\.5.* m remains at loop 'pin'"):
        close_loops(short, file)


def test_links_in_one_line_at_the_start_are_a_singular_position(tmp_path):
    """A rhombus, drawn flat: it may open as a parallelogram or fold about its middle."""
    link = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    names = {"base": "", "crank": link, "coupler": link, "rocker": link, "end": "", "pin": ""}
    joints = (
        ("q1", "base", "crank", 0.0, "continuous"),
        ("q2", "crank", "coupler", 1.0, "continuous"),
        ("q3", "base", "rocker", 1.0, "continuous"),
        ("coupler_tip", "coupler", "end", 1.0, "fixed"),
        ("rocker_tip", "rocker", "pin", 1.0, "fixed"),
    )
    text = "".join(f'<link name="{name}">{inertia}</link>' for name, inertia in names.items()) + "".join(
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{x} 0 0"/><axis xyz="0 0 1"/></joint>'
        for name, parent, child, x, kind in joints
    )
    path, loop = tmp_path / "rhombus.urdf", '[[loop]]\nframe_a = "end"\nframe_b = "pin"\nkind = "point"\n'
    path.write_text(f'<robot name="rhombus">{text}</robot>')
    (tmp_path / "rhombus.loops.toml").write_text(loop)
    with pytest.raises(tq.RobotFileError, match=r"singular position \(q1 0, q2 0, q3 0\).*several ways") as refused:
        tq.load(path)
    assert "[start]" in str(refused.value)
    (tmp_path / "rhombus.loops.toml").write_text(f"{loop}[start]\nq1 = 1.0\nq3 = 1.0\n")
    assert [joint.name for joint in tq.load(path).joints] == ["q1"]


def test_other_start_positions_converge_where_the_first_one_ends_outside_of_the_limits():
    tree = read_urdf(EXAMPLES / "four_bar.urdf")
    file = LoopFile((LoopConstraint("pin", "coupler_end", "rocker_end"),))
    assert assembled_position(tree, file)[2] < 0.0  # the coupler, from the neutral position
    limited = dataclasses.replace(
        tree.joints[2], limits=dataclasses.replace(tree.joints[2].limits, lower=0.05, upper=1.0)
    )
    bodies = (
        dataclasses.replace(body, joint=limited) if body.joint.name == limited.name else body for body in tree.bodies
    )
    tree = dataclasses.replace(tree, bodies=tuple(bodies))
    q = assembled_position(tree, file)
    assert 0.05 <= q[2] <= 1.0
    assert np.abs(loop_batch(tree, file, q[None]).gaps).max() < 1e-14


def test_an_over_constrained_mechanism_with_wrong_lengths_is_refused():
    """Two pins between coupler and rocker hold them together: what is closed at one position opens in motion."""
    tree = read_urdf(EXAMPLES / "four_bar.urdf")
    frames = (*tree.frames, dataclasses.replace(tree.frame("coupler_end"), name="second"))
    beside = dataclasses.replace(frames[-1], pose=dataclasses.replace(frames[-1].pose, origin=(0.85, 0.0, 0.0)))
    on_rocker = dataclasses.replace(tree.frame("rocker_end"), name="third")
    wide = dataclasses.replace(tree, frames=(*tree.frames, beside, on_rocker))
    file = LoopFile((LoopConstraint("pin", "coupler_end", "rocker_end"), LoopConstraint("extra", "second", "third")))
    with pytest.raises(tq.RobotFileError, match="do not close"):
        close_loops(wide, file)


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ('[[loop]]\nframe_a = "tooth"\nframe_b = "rocker_end"\n', "there is no frame 'tooth'"),
        ('[[loop]]\nframe_a = "rocker"\nframe_b = "rocker_end"\n', "are on one body"),
        ('[[loop]]\nframe_a = "coupler_end"\nframe_b = "rocker_end"\nkind = "glue"\n', "glue"),
        ('[[loop]]\nframe_a = "coupler_end"\nframe_c = "rocker_end"\n', "frame_b"),
        ('independent = ["elbow"]\n[[loop]]\nframe_a = "coupler_end"\nframe_b = "rocker_end"\n', "no joint 'elbow'"),
        (
            'independent = ["crank_joint", "rocker_joint"]\n[[loop]]\nframe_a="coupler_end"\nframe_b="rocker_end"\n',
            "cannot be independent of each other",
        ),
        ('[[coupling]]\njoint = "crank_joint"\nof = "crank_joint"\npolynomial = [0, 1]\n', "coupled to itself"),
        ('[[coupling]]\njoint = "crank_joint"\nof = "rocker_joint"\npolynomial = [[0], [1]]\n', "short list"),
        ("independent = []\n", "no loop and no coupling"),
        ('[[loop]]\nname="a"\nframe_a="crank"\nframe_b="rocker"\n' * 2, "two loops are called 'a'"),
    ],
)
def test_faults_of_side_files_are_named(tmp_path, toml, message):
    with pytest.raises(tq.RobotFileError, match=message):
        tq.load(changed(tmp_path, "four_bar", toml))


def test_named_joints_become_independent(tmp_path):
    text = (EXAMPLES / "four_bar.loops.toml").read_text()
    robot = tq.load(changed(tmp_path, "four_bar", 'independent = ["rocker_joint"]\n' + text))
    assert robot.joint_names == ("rocker_joint",)


def test_side_files_are_no_robots():
    with pytest.raises(tq.RobotFileError, match="this is a loops file"):
        tq.load(EXAMPLES / "four_bar.loops.toml")


def test_robots_with_loops_are_saved_and_read_back(tmp_path):
    robot = mechanism("five_bar")
    document = robot_to_dict(robot)
    assert robot_from_dict(document) == robot
    assert robot_from_dict(document).content_hash == robot.content_hash
    damaged = {**document, "loops": {**document["loops"], "pivots": [[0, 99], [1, 1]]}}
    with pytest.raises(tq.ModelFileError, match="do not fit"):
        robot_from_dict(damaged)
    tree = robot_to_dict(robot.tree)
    assert "loops" not in tree  # files of trees are as they were
    path = tmp_path / "five_bar.tq.json"
    tq.save(tq.compile(robot), path)
    loaded = tq.load_model(path)
    q = tq.neutral(robot)
    assert np.array_equal(loaded.gravity_torque(q), tq.compile(robot).gravity_torque(q))


def test_redundant_equations_that_open_in_motion_are_refused():
    """Numbers with few digits may make an equation redundant at one position and wrong at others."""
    robot = mechanism("four_bar")
    positions = np.array([[0.0, 0.0, 0.0]])
    tracked = Tracked(np.array(robot.loops.start), positions, np.zeros((1, 3)), (), 1.0)
    with pytest.raises(tq.RobotFileError, match="in motion, at loop 'pin'"):
        check_redundant(robot.tree, robot.loops.file, tracked)


def test_locked_joints_close_the_loops_again():
    robot = mechanism("five_bar")
    held = tq.lock_joints(robot, {"right_joint": 1.1})
    assert held.joint_names == ("left_joint",)
    both = tq.compile(robot).frame_pose("tool")([2.0, 1.1])[1]
    assert tq.compile(held).frame_pose("tool")([2.0])[1] == pytest.approx(both, abs=1e-12)


def test_payloads_keep_the_loops():
    robot = tq.attach_payload(mechanism("delta"), "platform", mass=2.0)
    assert tq.compile(robot).gravity_torque([0.4] * 3) != pytest.approx(
        tq.compile(mechanism("delta")).gravity_torque([0.4] * 3)
    )


def test_coupling_of_unknown_or_wide_joints_is_refused():
    tree = read_urdf(EXAMPLES / "four_bar.urdf")
    with pytest.raises(tq.RobotFileError, match="no joint 'x'"):
        close_loops(tree, LoopFile(couplings=(Coupling("x", "crank_joint", (0.0, 1.0)),)))


def test_files_without_words_for_loops_refuse_them(tmp_path):
    with pytest.raises(tq.RobotError, match="closed loops"):
        tq.write_urdf(mechanism("four_bar"), tmp_path / "a.urdf")
