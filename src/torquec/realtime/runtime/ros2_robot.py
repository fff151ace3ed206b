"""ROS 2 robot driver: joint states in, efforts out, behind the loop's guards (extra `ros2`, or a ROS installation).

    result = tq.realtime.run(model, law, motion, robot=Ros2Robot())

(1)  in:   `sensor_msgs/JointState` with positions and velocities; joints in any order, others are ignored
(2)  out:  `std_msgs/Float64MultiArray`, torques in the model's joint order, as `JointGroupEffortController` takes them
(3)  out:  `diagnostic_msgs/DiagnosticArray` on /diagnostics, once a second: age of the states, messages in and out
(4)  the parameter `enabled`: false withholds joint states from the loop, whose guards then take the torques to zero

The loop stays a C thread: this module moves samples and torques between its shared memory and the topics. If joint
states stop, the loop's guards ramp the torques to zero. Discovery stays on this machine unless the environment
variable ROS_AUTOMATIC_DISCOVERY_RANGE says otherwise.

`record` writes the joint states of a topic as a bag (MCAP), undecoded.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import math
import os
import queue
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torquec.errors import ArgumentError, MissingExtraError
from torquec.foundation.reading import to_path
from torquec.foundation.writing import check_output_folder
from torquec.model.model import Model
from torquec.realtime.runtime.drivers import SharedMemoryRobot, SharedRobot, native_plant
from torquec.realtime.runtime.library import DriverStruct
from torquec.realtime.tuning import TUNING
from torquec.simulation.plant import Plant
from torquec.trajectory.trajectory import Trajectory

_TYPE = "sensor_msgs/msg/JointState"
_METADATA = "metadata.yaml"
_BAG_VERSION = 9
"""Version of the bag's metadata, as written by recent releases of `ros2 bag`."""
STATES = "joint_states"
EFFORTS = "effort_controller/commands"
_DIAGNOSTIC, _ENABLED = "diagnostic_msgs.msg", "enabled"
_DISCOVERY = ("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
DIAGNOSTICS = "/diagnostics"


@dataclass(frozen=True)
class Ros2Robot:
    """A robot that publishes joint states (1) and takes efforts (2) on topics of these names."""

    states: str = STATES
    efforts: str = EFFORTS

    is_virtual = False
    patience = TUNING.message_timeout

    @contextlib.contextmanager
    def opened(self, library: ctypes.CDLL, model: Model, motion: Trajectory, period: float) -> Iterator[DriverStruct]:
        """As `RobotDriver`; raises `ArgumentError` where no joint states of the model's joints arrive."""
        memory = SharedMemoryRobot(f"torquec_ros2_{os.getpid()}")
        with memory.opened(library, model, motion, period) as driver, ros2_node("torquec") as node:
            joints = model.robot.joint_names
            with SharedRobot(memory.name, len(joints)) as robot, _Bridge(node, self, joints, robot) as bridge:
                bridge.await_states()
                yield driver


class _Bridge:
    """Moves joint states into the loop's memory and its torques onto the topic, in a thread for each direction."""

    def __init__(self, node: Any, topics: Ros2Robot, joints: Sequence[str], robot: SharedRobot) -> None:
        self._node, self._topics, self._joints, self._robot = node, topics, joints, robot
        self._problem = ""
        self._seen = threading.Event()
        self._ended = threading.Event()
        self._memory_in_use = threading.Lock()
        self._efforts = ros2_message("std_msgs.msg", "Float64MultiArray")
        self._publisher = node.create_publisher(self._efforts, topics.efforts, TUNING.subscriber_queue)
        node.create_subscription(
            ros2_message("sensor_msgs.msg", "JointState"), topics.states, self._measured, TUNING.subscriber_queue
        )
        self._received, self._sent, self._last, self._enabled = 0, 0, -math.inf, True
        self._statuses = node.create_publisher(
            ros2_message(_DIAGNOSTIC, "DiagnosticArray"), DIAGNOSTICS, TUNING.subscriber_queue
        )
        node.declare_parameter(_ENABLED, value=True)
        node.add_on_set_parameters_callback(self._changed)
        self._sender = threading.Thread(target=self._send, name="torquec ROS 2 efforts", daemon=True)

    def __enter__(self) -> _Bridge:
        self._sender.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._memory_in_use:  # which is closed next, while messages still arrive
            self._ended.set()
        self._sender.join()
        self._publish([0.0] * len(self._joints))

    def await_states(self) -> None:
        """Wait for the first state of all joints; raise `ArgumentError` on timeout."""
        if not self._seen.wait(TUNING.first_message_timeout):
            raise ArgumentError(
                self._problem or f"no joint states within {TUNING.first_message_timeout:g} s",
                where=self._topics.states,
                remedy="start the robot's driver (torquec ros2 plant simulates one), or name its topic with --states",
            )

    def _measured(self, message: Any) -> None:
        """(1); a message without some joints, or without speeds, is not a state."""
        places = {name: k for k, name in enumerate(message.name)}
        missing = [name for name in self._joints if name not in places]
        if missing or len(message.velocity) != len(message.name) or len(message.position) != len(message.name):
            what = f"joint '{missing[0]}'" if missing else "velocities"
            self._problem = f"joint states without {what}"
            return
        self._received, self._last, self._problem = self._received + 1, time.monotonic(), ""
        if not self._enabled:
            return
        order = [places[name] for name in self._joints]
        with self._memory_in_use:
            if not self._ended.is_set():
                self._robot.publish([message.position[k] for k in order], [message.velocity[k] for k in order])
        self._seen.set()

    def _changed(self, parameters: Sequence[Any]) -> Any:
        """(4); a value that is not a truth value is refused."""
        result = ros2_message("rcl_interfaces.msg", "SetParametersResult")()
        values = [parameter.value for parameter in parameters if parameter.name == _ENABLED]
        result.successful = all(isinstance(value, bool) for value in values)
        if result.successful and values:
            self._enabled = values[-1]
        return result

    def _send(self) -> None:
        due = time.monotonic()
        while not self._ended.is_set():
            torque = self._robot.take()
            if torque is not None:
                self._publish(torque.tolist())
                self._sent += 1
            if time.monotonic() >= due:
                due += TUNING.diagnostics_interval
                self._diagnose()
            time.sleep(TUNING.torque_poll)

    def _diagnose(self) -> None:
        """(3)."""
        age = time.monotonic() - self._last
        problem = (
            self._problem
            or ("" if age < TUNING.message_timeout else "no joint states")
            or ("" if self._enabled else "disabled")
        )
        status = ros2_message(_DIAGNOSTIC, "DiagnosticStatus")()
        status.level = b"\x01" if problem else b"\x00"  # WARN and OK
        status.name, status.message = "torquec: joint states and efforts", problem or "running"
        rows: dict[str, object] = {"joint states received": self._received, "efforts sent": self._sent}
        rows["age of the joint states [ms]"] = f"{1e3 * age:.1f}" if math.isfinite(age) else "none"
        status.values = [_key_value(key, value) for key, value in rows.items()]
        message = ros2_message(_DIAGNOSTIC, "DiagnosticArray")()
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.status = [status]
        self._statuses.publish(message)

    def _publish(self, torque: list[float]) -> None:
        message = self._efforts()
        message.data = torque
        self._publisher.publish(message)


def _key_value(key: str, value: object) -> Any:
    found = ros2_message(_DIAGNOSTIC, "KeyValue")()
    found.key, found.value = key, str(value)
    return found


def run_plant(plant: Plant, start: Sequence[float], *, period: float, duration: float, robot: Ros2Robot) -> int:
    """Simulate a plant as a ROS 2 robot for `duration` [s], publishing its state every `period` [s]; returns the steps.

    Brakes hold it until the first efforts arrive. Efforts older than a tenth of a second count as zero, as with a
    drive watchdog.
    """
    step = native_plant(plant, period)
    joints = plant.robot.joint_names
    motion = plant.first_motion(list(start), [0.0] * plant.n)
    given: dict[str, Any] = {"tau": [0.0] * plant.n, "at": -math.inf}

    def commanded(message: Any) -> None:
        if len(message.data) == plant.n:
            given.update(tau=list(message.data), at=time.monotonic())

    with ros2_node("torquec_plant") as node:
        state = ros2_message("sensor_msgs.msg", "JointState")
        publisher = node.create_publisher(state, robot.states, TUNING.subscriber_queue)
        node.create_subscription(
            ros2_message("std_msgs.msg", "Float64MultiArray"), robot.efforts, commanded, TUNING.subscriber_queue
        )
        begin = time.monotonic()
        steps = round(duration / period)
        for k in range(steps):
            time.sleep(max(0.0, begin + k * period - time.monotonic()))
            braked = given["at"] == -math.inf
            tau = given["tau"] if time.monotonic() - given["at"] < TUNING.message_timeout else [0.0] * plant.n
            message = state()
            message.header.stamp = node.get_clock().now().to_msg()
            message.name = list(joints)
            message.position = [float(value) for value in motion[: plant.n]]
            message.velocity = [float(value) for value in motion[plant.n : 2 * plant.n]]
            message.effort = [float(value) for value in tau]
            publisher.publish(message)
            if not braked:
                motion = step.call(motion, tau).tolist()
    return steps


@contextlib.contextmanager
def ros2_node(name: str) -> Iterator[Any]:
    """A node, spun in its own thread; raises `MissingExtraError` without rclpy."""
    os.environ.setdefault(*_DISCOVERY)
    try:
        rclpy = importlib.import_module("rclpy")
        executors = importlib.import_module("rclpy.executors")
    except ImportError:
        raise MissingExtraError("rclpy", "ros2", "a ROS 2 node") from None
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node(name, context=context)
    executor = executors.SingleThreadedExecutor(context=context)
    executor.add_node(node)
    spinning = threading.Thread(target=_spun, args=(executor,), name=f"{name} ROS 2", daemon=True)
    spinning.start()
    try:
        yield node
    finally:
        rclpy.shutdown(context=context)  # wakes the spinning thread, which uses the executor until it is joined
        spinning.join()
        executor.shutdown()
        node.destroy_node()


def _spun(executor: Any) -> None:
    with contextlib.suppress(Exception):  # shutting down ends the wait with an error of the middleware
        executor.spin()


def ros2_message(module: str, name: str) -> Any:
    """The class of a message; raises `MissingExtraError` where its package is missing."""
    try:
        return getattr(importlib.import_module(module), name)
    except ImportError:
        raise MissingExtraError(module.split(".", maxsplit=1)[0], "ros2", "a ROS 2 message") from None


def ros2_record_states(
    folder: str | os.PathLike[str], topic: str = STATES, *, duration: float, force: bool = False
) -> int:
    """Record a topic for `duration` [s], or until interrupted (Ctrl-C), into a new folder; the number of messages.

    Raises `ArgumentError`, and leaves no folder, where no message arrived; `MissingExtraError` without rclpy or
    rosbags.
    """
    try:
        writing = importlib.import_module("rosbags.rosbag2")
        types = importlib.import_module("rosbags.typesys")
    except ImportError:
        raise MissingExtraError("rosbags", "rosbags", "writing a bag") from None
    target = to_path(folder)
    check_output_folder(target, force=force)
    if target.exists() and any(target.iterdir()) and not (target / _METADATA).exists():
        raise ArgumentError("this folder holds no bag", where=str(target), remedy="name another one")
    arrived: queue.SimpleQueue[tuple[int, bytes]] = queue.SimpleQueue()
    with ros2_node("torquec_record") as node:
        node.create_subscription(
            ros2_message("sensor_msgs.msg", "JointState"),
            topic,
            lambda data: arrived.put((time.time_ns(), bytes(data))),
            1000,  # messages that may wait while the disk is slow
            raw=True,
        )
        with contextlib.suppress(KeyboardInterrupt):
            time.sleep(duration)
    if arrived.empty():
        raise ArgumentError(
            f"no joint states within {duration:g} s", where=topic, remedy="start the robot's driver, or name its topic"
        )
    with tempfile.TemporaryDirectory(prefix=".torquec", dir=target.parent) as beside:
        bag = Path(beside) / "bag"
        count = _write(writing, types, bag, topic, arrived)
        if target.exists():
            shutil.rmtree(target)
        bag.replace(target)
    return count


def _write(writing: Any, types: Any, bag: Path, topic: str, arrived: queue.SimpleQueue[tuple[int, bytes]]) -> int:
    """Write all received messages as one bag; returns their number."""
    store = types.get_typestore(types.Stores.LATEST)
    with writing.Writer(bag, version=_BAG_VERSION, storage_plugin=writing.StoragePlugin.MCAP) as writer:
        connection = writer.add_connection(f"/{topic.lstrip('/')}", _TYPE, typestore=store)
        count = 0
        while not arrived.empty():
            writer.write(connection, *arrived.get())
            count += 1
    return count
