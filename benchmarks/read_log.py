"""Time to read a log of a 6-joint arm in every format, against numpy.loadtxt.

python -m benchmarks.read_log [--rows 200000]

Processor time, the best of three; the bag has a tenth of the rows.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from torquec.identification.logs.stream_log import stream_log
from torquec.robot import classics
from torquec.robot.robot import Robot
from torquec.trajectory.read_log import read_log, read_log_chunks

ROBOT = classics.puma560()
KINDS = ("q", "dq", "tau")


def table(rows: int) -> dict[str, Any]:
    """t, q, dq and tau of a smooth motion at 1 kHz, as columns."""
    t = 1e-3 * np.arange(rows)
    columns: dict[str, Any] = {"t": t}
    for kind in KINDS:
        for k in range(ROBOT.n):
            columns[f"{kind}{k + 1}"] = np.sin((0.5 + 0.1 * k) * t)
    return columns


def write_bag(path: Path, columns: dict[str, Any]) -> None:
    """The same as an MCAP bag of joint states."""
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    kind = "sensor_msgs/msg/JointState"
    values = [np.stack([columns[f"{word}{k + 1}"] for k in range(ROBOT.n)], axis=1) for word in KINDS]
    with Writer(path, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connection = writer.add_connection("/joint_states", kind, typestore=store)
        for row, t in enumerate(columns["t"]):
            stamp = round(t * 1e9)
            clock = store.types["builtin_interfaces/msg/Time"](stamp // 10**9, stamp % 10**9)
            header = store.types["std_msgs/msg/Header"](clock, "")
            message = store.types[kind](header, list(ROBOT.joint_names), *(value[row] for value in values))
            writer.write(connection, stamp, store.serialize_cdr(message, kind))


def timed(call: Callable[[], object]) -> float:
    """Processor seconds, the best of three."""
    best = np.inf
    for _ in range(3):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return float(best)


def line(name: str, path: Path, rows: int, seconds: float) -> str:
    """A row of the table."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files) / 1e6
    return f"{name:34} {size:8.1f} MB {seconds:7.2f} s {size / seconds:8.1f} MB/s {rows / seconds / 1e6:7.2f} M rows/s"


def main() -> None:
    """Write the files, read them, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    rows = parser.parse_args().rows
    columns = table(rows)
    robot: Robot = ROBOT
    with tempfile.TemporaryDirectory() as folder:
        csv, npz, parquet, bag = (Path(folder) / name for name in ("log.csv", "log.npz", "log.parquet", "bag"))
        np.savetxt(csv, np.stack(list(columns.values()), 1), "%.6f", ",", header=",".join(columns), comments="")
        np.savez(npz, **columns)
        print(line("numpy.loadtxt, CSV", csv, rows, timed(lambda: np.loadtxt(csv, delimiter=",", skiprows=1))))
        print(line("read_log, CSV", csv, rows, timed(lambda: read_log(csv, robot))))
        print(line("read_log_chunks, CSV", csv, rows, timed(lambda: list(read_log_chunks(csv, robot)))))
        print(line("stream_log (prepared), CSV", csv, rows, timed(lambda: list(stream_log(csv, robot, cutoff=10.0)))))
        print(line("read_log, npz", npz, rows, timed(lambda: read_log(npz, robot))))
        try:
            import pyarrow as pa
            from pyarrow.parquet import write_table

            write_table(pa.table(columns), parquet)
            print(line("read_log, Parquet", parquet, rows, timed(lambda: read_log(parquet, robot))))
        except ImportError:
            print("read_log, Parquet: pyarrow is not installed")
        try:
            write_bag(bag, {name: values[: rows // 10] for name, values in columns.items()})
            print(line("read_log, MCAP bag", bag, rows // 10, timed(lambda: read_log(bag, robot))))
        except ImportError:
            print("read_log, MCAP bag: rosbags is not installed")


if __name__ == "__main__":
    main()
