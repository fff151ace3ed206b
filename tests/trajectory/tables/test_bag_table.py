"""Joint states from rosbag2 folders, .db3 and .mcap files, written here with the library itself."""

from __future__ import annotations

import dataclasses
import sys

import numpy as np
import pytest

from torquec.errors import ArgumentError, MissingExtraError
from torquec.robot import classics
from torquec.trajectory.log import Pathology
from torquec.trajectory.log_map import LogMap
from torquec.trajectory.read_log import read_log

rosbag2 = pytest.importorskip("rosbags.rosbag2")
typesys = pytest.importorskip("rosbags.typesys")

ROBOT = classics.planar2r()
A, B = ROBOT.joint_names
STORE = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
JOINT_STATE = "sensor_msgs/msg/JointState"
START = 1_700_000_000_000_000_000


def message(stamp, names, position, velocity, effort):
    types = STORE.types
    header = types["std_msgs/msg/Header"](
        stamp=types["builtin_interfaces/msg/Time"](sec=stamp // 10**9, nanosec=stamp % 10**9), frame_id=""
    )
    arrays = [np.asarray(values, dtype=np.float64) for values in (position, velocity, effort)]
    return types[JOINT_STATE](header, list(names), *arrays)


def write_bag(path, topics, plugin):
    """`topics` maps names to lists of (recorded time in ns, message)."""
    with rosbag2.Writer(path, version=9, storage_plugin=plugin) as writer:
        for topic, messages in topics.items():
            connection = writer.add_connection(topic, JOINT_STATE, typestore=STORE)
            for recorded, content in messages:
                writer.write(connection, recorded, STORE.serialize_cdr(content, JOINT_STATE))
    return path


def states(count=20, names=(B, "gripper", A), effort=True, velocity=True, stamped=True):
    """Joint k moves at (k + 1) rad/s from k; the effort is ten times the position. Names are in another order."""
    rows = []
    for k in range(count):
        t = 0.01 * k
        value = {A: t, B: 1.0 + 2.0 * t, "gripper": 7.0}
        speed = {A: 1.0, B: 2.0, "gripper": 0.0}
        stamp = START + round(t * 1e9) if stamped else 0
        rows.append(
            (
                START + round(t * 1e9) + 500_000,
                message(
                    stamp,
                    names,
                    [value[name] for name in names],
                    [speed[name] for name in names] if velocity else [],
                    [10.0 * value[name] for name in names] if effort else [],
                ),
            )
        )
    return rows


@pytest.fixture(params=["SQLITE3", "MCAP"])
def plugin(request):
    return rosbag2.StoragePlugin[request.param]


def test_a_bag_is_read_by_joint_names(tmp_path, plugin):
    log = read_log(write_bag(tmp_path / "bag", {"/joint_states": states()}, plugin), ROBOT)
    assert log.joints == (A, B)
    assert np.allclose(log.t, 0.01 * np.arange(20), atol=1e-9)
    assert np.allclose(log.q[3], [0.03, 1.06])
    assert np.allclose(log.qd[3], [1.0, 2.0])
    assert np.allclose(log.tau[3], [0.3, 10.6])


def test_the_file_inside_a_bag_is_read_as_well(tmp_path, plugin):
    folder = write_bag(tmp_path / "bag", {"/joint_states": states()}, plugin)
    suffix = ".mcap" if plugin is rosbag2.StoragePlugin.MCAP else ".db3"
    file = next(folder.glob(f"*{suffix}"))
    assert np.allclose(read_log(file, ROBOT).q, read_log(folder, ROBOT).q)


def test_messages_may_hold_a_part_of_the_joints(tmp_path, plugin):
    mixed = sorted(states(names=(A,)) + [(t + 5_000_000, m) for t, m in states(19, names=(B, "gripper"))])
    for k, (_, content) in enumerate(states(19, names=(B, "gripper"))):  # stamped in the middle between those of A
        content.header.stamp.nanosec = (5 + 10 * k) * 1_000_000
        content.header.stamp.sec = START // 10**9
        content.position[0] = 1.0 + 2.0 * (0.005 + 0.01 * k)
        content.effort[0] = 10.0 * content.position[0]
        mixed[2 * k + 1] = (mixed[2 * k + 1][0], content)
    log = read_log(write_bag(tmp_path / "bag", {"/joint_states": mixed}, plugin), ROBOT)
    assert Pathology.MERGED in {finding.kind for finding in log.findings}
    inside = slice(1, 19)
    assert np.allclose(log.q[inside, 1], 1.0 + 2.0 * log.t[inside])
    assert np.allclose(log.tau[inside, 1], 10.0 * log.q[inside, 1])
    assert np.isnan(log.q[0, 1])  # no message of the second joint had come


def test_unstamped_messages_take_the_time_of_recording(tmp_path, plugin):
    log = read_log(write_bag(tmp_path / "bag", {"/joint_states": states(stamped=False)}, plugin), ROBOT)
    assert np.allclose(np.diff(log.t), 0.01)
    assert any("recorded" in finding.text for finding in log.findings)


def test_several_topics_need_a_choice(tmp_path, plugin):
    bag = write_bag(tmp_path / "bag", {"/a/joint_states": states(), "/b/joint_states": states(10)}, plugin)
    with pytest.raises(ArgumentError, match=r"/a/joint_states \(20 messages\), /b/joint_states \(10 messages\)"):
        read_log(bag, ROBOT)
    names = tuple(f"position_{joint}" for joint in (A, B)), tuple(f"effort_{joint}" for joint in (A, B))
    log = read_log(bag, ROBOT, log_map=LogMap(topic="/b/joint_states", position=names[0], torque=names[1]))
    assert len(log) == 10
    with pytest.raises(ArgumentError, match="there are no joint states on topic '/c'"):
        read_log(bag, ROBOT, log_map=LogMap(topic="/c"))


def test_a_map_that_only_names_the_topic_is_enough(tmp_path, plugin):
    bag = write_bag(tmp_path / "bag", {"/a": states(), "/b": states(10)}, plugin)
    log = read_log(bag, ROBOT, log_map=LogMap(topic="/b"))
    assert len(log) == 10
    assert log.qd is not None


@pytest.mark.parametrize(("options", "said"), [({"effort": False}, "efforts"), ({"names": ()}, "no joint states")])
def test_what_a_bag_lacks_is_said(tmp_path, plugin, options, said):
    bag = write_bag(tmp_path / "bag", {"/joint_states": states(**options)}, plugin)
    with pytest.raises(ArgumentError, match=said):
        read_log(bag, ROBOT)


def test_a_bag_without_speeds(tmp_path, plugin):
    bag = write_bag(tmp_path / "bag", {"/joint_states": states(velocity=False)}, plugin)
    assert read_log(bag, ROBOT).qd is None


def test_no_bag_at_all(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.mcap").write_bytes(b"nothing")
    for path in (tmp_path / "empty", tmp_path / "bad.mcap"):
        with pytest.raises(ArgumentError, match="cannot be read"):
            read_log(path, ROBOT)


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    (tmp_path / "bag").mkdir()
    monkeypatch.setitem(sys.modules, "rosbags.rosbag2", None)
    with pytest.raises(MissingExtraError, match=r"torquec\[rosbags\]"):
        read_log(tmp_path / "bag", ROBOT)


@pytest.mark.parametrize(
    "given", [LogMap(position="q{}"), LogMap(torque="tau_{}"), LogMap(position=("position_x", "position_y"))]
)
def test_a_map_that_does_not_fit_is_told_what_the_bag_holds(tmp_path, given):
    topics = {"/joint_states": states(), "/commands": states(3)}
    bag = write_bag(tmp_path / "bag", topics, rosbag2.StoragePlugin.SQLITE3)
    with pytest.raises(ArgumentError) as refused:
        read_log(bag, ROBOT, log_map=dataclasses.replace(given, topic="/joint_states"))
    assert f"topic /joint_states holds position, velocity, effort of {B}, gripper, {A}" in str(refused.value)
    assert f"further topics: /commands ({JOINT_STATE})" in str(refused.value)


def test_joints_that_the_robot_does_not_have_are_listed(tmp_path):
    others = [(time, message(START + time, ["left", "right"], [0.0, 1.0], [], [2.0, 3.0])) for time in (0, 10**7)]
    bag = write_bag(tmp_path / "bag", {"/joint_states": others}, rosbag2.StoragePlugin.SQLITE3)
    with pytest.raises(ArgumentError, match="topic /joint_states holds position, effort of left, right"):
        read_log(bag, ROBOT)
