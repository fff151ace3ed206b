"""Record joint states of a ROS 2 topic as a bag (MCAP): messages are written undecoded."""

from __future__ import annotations

import importlib
import os
import queue
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from torquec.errors import ArgumentError, MissingExtraError
from torquec.foundation.reading import to_path
from torquec.foundation.writing import check_output_folder
from torquec.realtime.runtime.ros2_robot import STATES, ros2_message, ros2_node

_TYPE = "sensor_msgs/msg/JointState"
_METADATA = "metadata.yaml"
_BAG_VERSION = 9
"""Version of the bag's metadata, as written by recent releases of `ros2 bag`."""


def ros2_record_states(
    folder: str | os.PathLike[str], topic: str = STATES, *, duration: float, force: bool = False
) -> int:
    """Record a topic for `duration` [s] into a new folder; returns the number of messages.

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
