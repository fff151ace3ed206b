"""The package of a certified two-joint arm, made once."""

from __future__ import annotations

import functools
import hashlib
import json
import tempfile
from pathlib import Path

import torquec as tq
from torquec.foundation.json_text import document_text

SPECIFICATION = Path(__file__).resolve().parents[2] / "examples" / "specifications" / "planar2r.toml"
NAME = "planar2r_simplified"


@functools.cache
def certified_model():
    """The arm, simplified and certified."""
    return tq.simplify(tq.classics.planar2r(), SPECIFICATION)


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
