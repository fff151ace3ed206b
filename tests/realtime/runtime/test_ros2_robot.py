"""A robot behind ROS 2: what becomes of messages (a stub of rclpy), and whole loops over real middleware (slow)."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import math
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from tests.patience import HANGS

import torquec as tq
from torquec.control.controller_file import write_controller
from torquec.realtime.runtime import ros2_robot
from torquec.realtime.runtime.ros2_robot import Ros2Robot, ros2_node, run_plant
from torquec.realtime.tuning import TUNING
from torquec.robot import classics
from torquec.simulation.plant import as_plant

needs_ros = pytest.mark.skipif(
    importlib.util.find_spec("rclpy") is None, reason="needs the extra ros2 or a ROS installation"
)
START = "0,-0.5,1,0,0.3,0"
END = "0.3,-0.2,0.7,0.2,0.1,0.2"


class Bus:
    """Topics in memory: what is published on one is handed to its subscribers at once."""

    def __init__(self):
        self.subscribers = {}
        self.published = []
        self.parameters = {}
        self.changing = None
        self.ended = []

    def create_publisher(self, _kind, topic, _queue):
        def publish(message):
            self.published.append((topic, message))
            for told in self.subscribers.get(topic, ()):
                told(message)

        return SimpleNamespace(publish=publish)

    def create_subscription(self, _kind, topic, told, _queue):
        self.subscribers.setdefault(topic, []).append(told)

    def declare_parameter(self, name, value):
        self.parameters[name] = value

    def add_on_set_parameters_callback(self, changing):
        self.changing = changing

    def get_clock(self):
        return SimpleNamespace(now=lambda: SimpleNamespace(to_msg=lambda: 0))

    def destroy_node(self):
        self.ended.append("node")


class Message(SimpleNamespace):
    def __init__(self, **fields):
        super().__init__(**({"header": SimpleNamespace(stamp=0), "data": [], "name": []} | fields))


@pytest.fixture
def bus(monkeypatch):
    """rclpy and its messages, with all nodes on one bus."""
    bus = Bus()
    ended = threading.Event()
    rclpy, executors = ModuleType("rclpy"), ModuleType("rclpy.executors")

    def spin():
        ended.wait()
        bus.ended.append("thread")

    def shutdown(context):
        bus.ended.append("context")
        ended.set()

    def end_executor():
        bus.ended.append("executor")
        ended.set()

    rclpy.Context, rclpy.init, rclpy.shutdown = SimpleNamespace, lambda context: None, shutdown
    rclpy.create_node = lambda _name, context: bus
    executors.SingleThreadedExecutor = lambda context: SimpleNamespace(
        add_node=lambda node: None, spin=spin, shutdown=end_executor
    )
    for name, module in (("rclpy", rclpy), ("rclpy.executors", executors)):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(ros2_robot, "ros2_message", lambda _package, _name: Message)
    return bus


class Memory:
    """The loop's side of shared memory."""

    def __init__(self):
        self.states = []
        self.torques = []

    def publish(self, q, qd):
        self.states.append((list(q), list(qd)))

    def take(self):
        return np.array(self.torques.pop()) if self.torques else None


@contextlib.contextmanager
def bridged(bus, memory):
    with ros2_robot._Bridge(bus, Ros2Robot(), ("a", "b"), memory) as bridge:
        yield bridge


def state(names, position, velocity):
    return Message(name=names, position=position, velocity=velocity)


def test_joints_are_matched_by_name_and_others_ignored(bus):
    memory = Memory()
    with bridged(bus, memory) as bridge:
        bus.create_publisher(None, "joint_states", 10).publish(
            state(["hand", "b", "a"], [9.0, 2.0, 1.0], [90.0, 20.0, 10.0])
        )
        bridge.await_states()
    assert memory.states == [([1.0, 2.0], [10.0, 20.0])]


def test_states_that_arrive_after_the_loop_leave_its_memory_alone(bus):
    memory = Memory()
    with bridged(bus, memory):
        pass
    bus.create_publisher(None, "joint_states", 10).publish(state(["a", "b"], [1.0, 2.0], [0.0, 0.0]))
    assert memory.states == []


def test_the_thread_of_a_node_ends_before_its_executor(bus):
    """An executor that is shut down while its thread waits is a segmentation fault of the middleware."""
    with ros2_node("arm"):
        assert bus.ended == []
    assert bus.ended == ["context", "thread", "executor", "node"]


def test_numbers_that_are_not_finite_reach_the_guards(bus):
    memory = Memory()
    with bridged(bus, memory):
        bus.create_publisher(None, "joint_states", 10).publish(state(["a", "b"], [math.nan, 0.0], [0.0, 0.0]))
    assert math.isnan(memory.states[0][0][0])


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        (state(["a"], [0.0], [0.0]), "joint states without joint 'b'"),
        (state(["a", "b"], [0.0, 0.0], []), "joint states without velocities"),
        (None, "no joint states within"),
    ],
)
def test_states_that_are_none_are_named(bus, monkeypatch, message, problem):
    monkeypatch.setattr(ros2_robot, "TUNING", replace(TUNING, first_message_timeout=0.01))
    with bridged(bus, Memory()) as bridge:
        if message is not None:
            bus.create_publisher(None, "joint_states", 10).publish(message)
        with pytest.raises(tq.ArgumentError, match=problem) as caught:
            bridge.await_states()
    assert "torquec ros2 plant" in caught.value.remedy


def test_torques_are_sent_and_end_with_zero(bus):
    memory = Memory()
    memory.torques.append([3.0, 4.0])
    with bridged(bus, memory):
        latest = time.monotonic() + HANGS
        while not bus.published and time.monotonic() < latest:
            time.sleep(1e-3)
    sent = [message.data for topic, message in bus.published if topic == "effort_controller/commands"]
    assert sent[0] == [3.0, 4.0]
    assert sent[-1] == [0.0, 0.0]


def test_diagnostics_and_the_parameter_that_withholds_joint_states(bus, monkeypatch):
    """Withheld states are as good as none: the loop's guards take the torques to zero."""
    monkeypatch.setattr(ros2_robot, "TUNING", replace(TUNING, diagnostics_interval=0.01))
    memory, sending = Memory(), bus.create_publisher(None, "joint_states", 10)

    def latest(message):
        end = time.monotonic() + HANGS
        while time.monotonic() < end:
            found = [sent.status[0] for topic, sent in bus.published if topic == "/diagnostics"]
            if found and found[-1].message == message:
                return found[-1]
            time.sleep(1e-3)
        raise AssertionError(message)

    with bridged(bus, memory):
        assert latest("no joint states").level == b"\x01"
        sending.publish(state(["a"], [0.0], [0.0]))
        latest("joint states without joint 'b'")
        assert bus.parameters == {"enabled": True}
        assert not bus.changing([SimpleNamespace(name="enabled", value="no")]).successful
        assert bus.changing([SimpleNamespace(name="enabled", value=False)]).successful
        for _ in range(3):
            sending.publish(state(["a", "b"], [0.0, 0.0], [0.0, 0.0]))
        assert memory.states == []
        assert bus.changing([SimpleNamespace(name="enabled", value=True)]).successful
        sending.publish(state(["a", "b"], [0.0, 0.0], [0.0, 0.0]))
        assert len(memory.states) == 1


def test_the_simulated_robot_waits_for_its_first_efforts(bus):
    """Held by its brakes it publishes its start; with the first efforts it moves as the model says."""
    robot = classics.planar2r()
    seen = []

    def measured(message):
        seen.append(message.position)
        if len(seen) == 3:
            bus.create_publisher(None, "effort_controller/commands", 10).publish(Message(data=[30.0, 5.0]))

    bus.create_subscription(None, "joint_states", measured, 10)
    assert run_plant(as_plant(robot), [0.1, 0.2], period=1e-3, duration=0.006, robot=Ros2Robot()) == 6
    assert seen[:4] == [[0.1, 0.2]] * 4  # the state of a step is published before it
    assert seen[4] != [0.1, 0.2]


def test_without_rclpy_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "rclpy", None)
    with pytest.raises(tq.MissingExtraError, match=r"torquec\[ros2\]"), ros2_node("arm"):
        pass


@contextlib.contextmanager
def simulated_robot(seconds):
    """The simulated PUMA 560 as a process of its own."""
    words = ["ros2", "plant", "puma560", "--q", START, "--rate", "500", "--seconds", str(seconds)]
    process = subprocess.Popen([sys.executable, "-m", "torquec", *words])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def run_law(seconds, *further):
    words = [
        *("ros2", "run", "puma560", "--from", START, "--to", END, "--rate", "200", "--json"),
        *("--duration", str(seconds), "--no-lock-memory", "--priority", "0", *further),
    ]
    done = subprocess.run([sys.executable, "-m", "torquec", *words], capture_output=True, text=True, check=False)
    return done, json.loads(done.stdout) if done.stdout else {}


@needs_ros
@pytest.mark.slow
def test_a_law_tracks_over_real_middleware_as_simulated(tmp_path):
    """30 s at 200 Hz against another process: errors as `simulate` says within a fifth."""
    model, period = tq.compile(classics.puma560()), 0.005
    law = tq.computed_torque(model, -10.0, period=period)  # slow beside the middleware's delay of about a cycle
    write_controller(law, tmp_path)
    with simulated_robot(45):
        done, document = run_law(3, "--seconds", "30", "--law", str(tmp_path / "controller.json"))
    assert done.returncode == 0, done.stderr
    assert document["cycles"] >= 6000
    start, end = ([float(word) for word in text.split(",")] for text in (START, END))
    motion = tq.minimum_jerk(start, end, 3.0, joints=model.robot.joint_names, period=period)
    expected = tq.simulate(model, law, motion).max_error
    for joint, error in expected.items():
        assert document["max_error"][joint] == pytest.approx(error, rel=0.2)


@contextlib.contextmanager
def once_running(act):
    """Another process, which sees the node run by its diagnostics, and then acts, with its own node."""
    from diagnostic_msgs.msg import DiagnosticArray

    seen = []
    with ros2_node("watcher") as node:

        def diagnosed(message):
            if message.status[0].message == "running" and not seen:
                seen.append(message)
                threading.Thread(target=act, args=(node,), daemon=True).start()

        node.create_subscription(DiagnosticArray, "/diagnostics", diagnosed, 10)
        yield


@needs_ros
@pytest.mark.slow
def test_a_killed_robot_stops_the_law():
    with simulated_robot(60) as process, once_running(lambda _: process.kill()):
        done, document = run_law(20)
    assert done.returncode == 1, done.stderr
    assert document["faults"]


@needs_ros
@pytest.mark.slow
def test_the_parameter_stops_the_law():
    from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
    from rcl_interfaces.srv import SetParameters

    def stop(node):
        client = node.create_client(SetParameters, "/torquec/set_parameters")
        off = ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=False)
        assert client.wait_for_service(HANGS)
        client.call_async(SetParameters.Request(parameters=[Parameter(name="enabled", value=off)]))

    with simulated_robot(60), once_running(stop):
        done, document = run_law(30)
    assert done.returncode == 1, done.stderr
    assert document["faults"]
    assert document["cycles"] < 30 * 200


@needs_ros
@pytest.mark.slow
def test_a_recorded_bag_is_read_as_a_log(tmp_path):
    bag = tmp_path / "bag"
    recorder = [sys.executable, "-m", "torquec", "ros2", "record", "-o", str(bag), "--seconds", "300"]
    with simulated_robot(60):
        recording = subprocess.Popen(recorder)
        done, _ = run_law(4)
        recording.send_signal(signal.SIGINT)
        assert recording.wait(HANGS) == 0
    assert done.returncode == 0, done.stdout + done.stderr
    log = tq.read_log(bag, classics.puma560())
    assert log.q.shape[1] == 6
    assert len(log.t) > 500
    assert np.ptp(log.q[:, 0]) > 0.1
