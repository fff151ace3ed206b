"""The package of a certified two-joint arm, made once.

Its program has another second link, so that M, c and g all have errors; nothing is searched.
"""

from __future__ import annotations

import functools
import hashlib
import json
import tempfile
from dataclasses import replace
from pathlib import Path

import torquec as tq
from torquec.foundation.json_text import document_text
from torquec.model.quantities import trace_quantity
from torquec.model.simplified import simplified_model
from torquec.proof.torque.certify import certify
from torquec.robot.robot_document import robot_from_dict, robot_to_dict
from torquec.simplification.problem import Simplified
from torquec.simplification.specification import load_specification
from torquec.simplification.specification_text import specification_text

SPECIFICATION = Path(__file__).resolve().parents[2] / "examples" / "specifications" / "planar2r.toml"
NAME = "planar2r_simplified"


@functools.cache
def certified_model(robot=None):
    """The two-joint arm, or the same arm with other frames, simplified and certified."""
    robot = robot or tq.classics.planar2r()
    other = robot_to_dict(robot)
    other["bodies"][1]["inertia"] |= {"zz": 0.32, "mx": 0.45}
    exact, simpler = (trace_quantity(each, "inverse_dynamics") for each in (robot, robot_from_dict(other)))
    specification = load_specification(SPECIFICATION, robot)
    proven = certify(robot, exact, simpler, specification.motions, limits=[2.0, 2.0])
    return simplified_model(robot, Simplified(replace(proven, specification=specification_text(robot, specification))))


@functools.cache
def _files() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        tq.generate(certified_model(), Path(folder) / "c", quantities=["inverse_dynamics", "mass_matrix"])
        return {path.name: path.read_bytes() for path in (Path(folder) / "c").iterdir()}


def c_package(folder: Path) -> Path:
    """Its C package in a new folder."""
    folder.mkdir()
    for name, content in _files().items():
        (folder / name).write_bytes(content)
    return folder


def resealed(folder: Path) -> None:
    """Make the hashes of the manifest fit the files again."""
    path = folder / f"{NAME}.package.json"
    manifest = json.loads(path.read_text())
    manifest["files"] = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in manifest["files"]
        if (folder / name).exists()
    }
    path.write_text(document_text(manifest))
