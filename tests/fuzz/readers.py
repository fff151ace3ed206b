"""The doors: every reader, the documents that its mutations start from, and how often it is tried."""

from __future__ import annotations

import functools
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from tests.corpus import good
from tests.fuzz.mutations import mutated_bytes, mutated_csv, mutated_json, mutated_npz, mutated_toml, mutated_xml

from torquec.control.controller_file import read_controller
from torquec.identification.result.comparison import read_combinations
from torquec.identification.torque.torque_columns import read_columns
from torquec.identification.torque.torque_model import TorqueModel, torque_model
from torquec.model.save import load_model
from torquec.proof.torque.certificate import load_certificate
from torquec.robot.classics import load_classic
from torquec.robot.drives import read_drives
from torquec.robot.load import load
from torquec.robot.robot import Robot
from torquec.robot.robot_document import robot_from_dict
from torquec.robot.urdf import parse_urdf
from torquec.simplification.specification import load_specification
from torquec.trajectory.csv_file import read_trajectory
from torquec.trajectory.log_map import read_log_map
from torquec.trajectory.read_log import read_log


@dataclass(frozen=True)
class Door:
    """A reader: the name of its file, how to make one, how to read it; `share` of a thousand inputs."""

    file: str
    made: Callable[[Random], bytes]
    read: Callable[[Path], object]
    share: int


@functools.cache
def _arm() -> Robot:
    return load_classic("planar2r")


@functools.cache
def _driven() -> Robot:
    return parse_urdf(good.URDF.encode(), "robot.urdf")


@functools.cache
def _torques() -> TorqueModel:
    return torque_model(_arm())


@functools.cache
def _stored(name: str) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((Path(good.__file__).parent / "documents" / f"{name}.json").read_text())
    return values


@functools.cache
def _recorded() -> dict[str, np.ndarray]:
    t = np.arange(12) / 100.0
    return {"t": t, "q": np.column_stack([t, -t]), "tau": np.column_stack([np.cos(t), np.sin(9 * t)])}


@functools.cache
def _parquet() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {
        "t": _recorded()["t"],
        "q1": np.arange(12.0),
        "q2": np.ones(12),
        "tau1": np.zeros(12),
        "tau2": np.ones(12),
    }
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream)
    return stream.getvalue()


def _robot_document(path: Path) -> Robot:
    return robot_from_dict(json.loads(path.read_bytes()), where=str(path))


def _robot_values(rng: Random) -> bytes:
    data = mutated_json(rng, _stored("model")["robot"])
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return b"{}"  # what is no JSON is the business of the other documents
    return data


def _json(name: str) -> Callable[[Random], bytes]:
    return lambda rng: mutated_json(rng, _stored(name))


DOORS = (
    Door("robot.urdf", lambda rng: mutated_xml(rng, good.URDF), load, 120),
    Door("robot.urdf.xacro", lambda rng: mutated_xml(rng, good.XACRO), load, 80),
    Door("robot.xml", lambda rng: mutated_xml(rng, good.MJCF), load, 50),
    Door("robot.toml", lambda rng: mutated_toml(rng, good.DH), load, 110),
    Door("document.json", _robot_values, _robot_document, 50),
    Door("a.drives.toml", lambda rng: mutated_toml(rng, good.DRIVES), lambda path: read_drives(path, _driven()), 80),
    Door(
        "specification.toml",
        lambda rng: mutated_toml(rng, rng.choice((good.SPECIFICATION, good.CONTROL_SPECIFICATION))),
        lambda path: load_specification(path, _arm()),
        100,
    ),
    Door("map.toml", lambda rng: mutated_toml(rng, good.LOG_MAP), lambda path: read_log_map(path).check(2), 70),
    Door("columns.toml", lambda rng: mutated_toml(rng, good.COLUMNS), read_columns, 80),
    Door(
        "parameters.csv", lambda rng: mutated_csv(rng, good.PARAMETERS), lambda p: read_combinations(p, _torques()), 50
    ),
    Door("log.csv", lambda rng: mutated_csv(rng, good.LOG), lambda path: read_log(path, _arm()), 50),
    Door("log.npz", lambda rng: mutated_npz(rng, _recorded()), lambda path: read_log(path, _arm()), 30),
    Door("log.parquet", lambda rng: mutated_bytes(rng, _parquet()), lambda path: read_log(path, _arm()), 10),
    Door(
        "trajectory.csv",
        lambda rng: mutated_csv(rng, rng.choice((good.TRAJECTORY, good.WAY_POINTS))),
        lambda path: read_trajectory(path, joints=_stated_joints(path)),
        80,
    ),
    Door("controller.json", _json("controller"), read_controller, 20),
    Door("certificate.json", _json("certificate"), load_certificate, 15),
    Door("model.json", lambda rng: mutated_json(rng, _stored(rng.choice(("model", "certified")))), load_model, 5),
)
"""Every kind of file; the shares add up to a thousand."""


def _stated_joints(path: Path) -> tuple[str, ...] | None:
    """Joints are stated for every second file."""
    return _arm().joint_names if path.is_file() and path.stat().st_size % 2 else None


_BY_NUMBER = tuple(door for door in DOORS for _ in range(door.share))


def fuzzed(number: int) -> tuple[Door, bytes]:
    """The input of that number: always the same door and the same bytes."""
    rng = Random(number)
    door = _BY_NUMBER[rng.randrange(len(_BY_NUMBER))]
    return door, door.made(rng)
