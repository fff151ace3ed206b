"""Optional packages that are not installed: whatever needs one names the extra that brings it, before any work."""

from __future__ import annotations

import re
import shlex
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import torquec as tq
from torquec.cli.app import COMMANDS, GROUPS
from torquec.cli.files import Writes
from torquec.cli.options import command_line_notes
from torquec.errors import MissingExtraError
from torquec.page.build_bundle import is_up_to_date

ROOT = Path(__file__).resolve().parents[2]

NEEDS = (
    ("scipy", "optimize", "simplify planar2r --spec {root}/examples/specifications/planar2r.toml -o small"),
    ("scipy", "optimize", "run {root}/examples/projects/planar2r.toml -o whole"),
    ("scipy", "optimize", "demo -o demo"),
    ("threadpoolctl", "optimize", "simplify planar2r --spec {root}/examples/specifications/planar2r.toml -o small"),
    ("scipy", "identify", "identify planar2r simulated --cutoff 10"),
    ("scipy", "identify", "excite planar2r -o excite.csv"),
    ("threadpoolctl", "identify", "identify planar2r simulated --cutoff 10"),
    ("clarabel", "identify", "identify planar2r simulated --cutoff 10 --urdf identified.urdf"),
    ("clarabel", "identify", "identify planar2r simulated --cutoff 10 --mjcf identified.xml"),
    ("clarabel", "identify", "identify planar2r simulated --cutoff 10 --method consistent"),
    ("clarabel", "identify", "identify planar2r simulated --cutoff 10 -o identified"),
    ("mujoco", "mujoco", "info arm.xml"),
    ("mujoco", "mujoco", "generate arm.xml -o out"),
    ("casadi", "casadi", "generate planar2r --target casadi -o out"),
    ("rosbags", "rosbags", "check-log planar2r log.mcap"),
    ("rosbags", "rosbags", "identify planar2r log.mcap"),
    ("pyarrow", "parquet", "check-log planar2r log.parquet"),
    ("pyarrow", "parquet", "identify planar2r log.parquet"),
    ("h5py", "hdf5", "check-log planar2r log.h5"),
    ("h5py", "hdf5", "identify planar2r log.h5"),
    ("matplotlib", "plot", "simulate planar2r --plot errors.png"),
    ("robot_descriptions", "robots", "info panda"),
    ("rclpy", "ros2", "ros2 plant planar2r --seconds 1"),
    ("rclpy", "ros2", "ros2 record -o bag --seconds 1"),
    ("rclpy", "ros2", "ros2 run planar2r"),
)
"""An optional package, the extra that brings it, and what cannot be done without it."""

PICTURES = [
    (" ".join(part for part in (group, command.name) if part), field, note.writes)
    for group, commands in (("", COMMANDS), *((name, found) for name, (_, found) in GROUPS.items()))
    for command in commands
    for field, note in command_line_notes(command.options).items()
    if note.writes in (Writes.PICTURE, Writes.PICTURES)
]
"""Every option of every command that draws."""


def users_packages() -> set[str]:
    """The packages of the extras that users ask for by name."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    wanted = {extra: rows for extra, rows in extras.items() if extra not in ("all", "bench", "docs", "test")}
    return {re.split(r"[<>=; \[]", row)[0] for rows in wanted.values() for row in rows}


@pytest.fixture
def without(monkeypatch):
    """Make packages look as if they were not installed, also where they are imported already."""

    def block(*packages: str) -> None:
        for name in [*packages, *sys.modules]:
            if name.split(".")[0] in packages:
                monkeypatch.setitem(sys.modules, name, None)

    return block


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with a robot and logs whose formats need packages; what is in them is never read."""
    monkeypatch.chdir(tmp_path)
    for name in ("log.parquet", "log.mcap", "log.h5"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "arm.xml").write_text("<mujoco><worldbody/></mujoco>")
    return tmp_path


def test_every_optional_package_is_in_the_table():
    live = {"jax", "torch"}  # of no command: tests/model/test_generate.py
    parts = ("rclpy", "rmw-fastrtps-cpp", "sensor-msgs", "diagnostic-msgs")  # imported as rclpy and its messages
    live |= {f"ros-kilted-{part}" for part in parts}
    assert {package for package, _, _ in NEEDS} - {"rclpy"} == users_packages() - live


@pytest.mark.parametrize(
    ("package", "extra", "words"), NEEDS, ids=[f"{row[0]}: {row[2].split(' -')[0]}" for row in NEEDS]
)
def test_what_needs_a_package_names_its_extra(torquec, folder, without, package, extra, words):
    before = sorted(folder.rglob("*"))
    without(package)
    outcome = torquec(*shlex.split(words.format(root=ROOT)))
    assert outcome.status == 2
    assert f"the package '{package}'" in outcome.err
    assert f"remedy: pip install 'torquec[{extra}]'" in outcome.err
    assert outcome.out == ""
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(("command", "field", "kind"), PICTURES, ids=lambda value: str(value))
def test_every_picture_asks_for_its_extra_first(folder, without, command, field, kind):
    from torquec.cli.files import check_target

    without("matplotlib")
    with pytest.raises(MissingExtraError, match=r"torquec\[plot\]"):
        check_target(folder / "picture.png", kind, force=False)
    assert not (folder / "picture.png").exists()


def test_there_are_pictures_to_ask_about():
    assert {command for command, _, _ in PICTURES} >= {
        "check-log",
        "compare",
        "design",
        "excite",
        "identify",
        "simulate",
    }


LONG = {"bench", "compare", "design", "equations", "haptic", "haptic-region", "selftest", "simulate", "run", "table"}
"""Commands whose examples take seconds."""

AFTER_OTHERS = {"check", "report", "verify-package", "verify-specification"}
"""Commands whose examples read what those of others wrote; none of them needs an extra for itself."""


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(command.example, marks=[pytest.mark.slow] if command.name in LONG else [])
        for command in (*COMMANDS, *GROUPS["realtime"][1])
        if command.name not in AFTER_OTHERS and (command.name != "view" or is_up_to_date())
    ],
    ids=lambda words: " ".join(words.split()[1:3]),
)
def test_with_the_core_alone_every_example_runs_or_names_an_extra(torquec, folder, without, example):
    without(*users_packages(), "pinocchio", "distributed", "roboticstoolbox")
    outcome = torquec(*shlex.split(example.replace("examples/", f"{ROOT}/examples/"))[1:])
    if outcome.status != 0:
        assert re.search(r"remedy: pip install 'torquec\[(optimize|identify)\]'", outcome.err), outcome.err


def short_log() -> tq.Log:
    """Two joints that move a little."""
    t = np.linspace(0.0, 2.0, 400)
    q = np.stack([np.sin(3.0 * t), np.cos(2.0 * t)], axis=1)
    return tq.Log(t=t, q=q, tau=9.81 * q, joints=("joint1", "joint2"))


@pytest.mark.parametrize(
    ("package", "extra", "call"),
    [
        ("casadi", "casadi", lambda arm: tq.generate(arm, "out", target="casadi")),
        ("scipy", "optimize", lambda arm: tq.simplify(arm.robot, str(ROOT / "examples/specifications/planar2r.toml"))),
        ("scipy", "identify", lambda arm: tq.identify(arm.robot, [short_log()])),
    ],
    ids=["generate", "simplify", "identify"],
)
def test_python_names_the_extra_too(folder, without, package, extra, call):
    arm = tq.compile(tq.classics.planar2r())
    without(package)
    with pytest.raises(MissingExtraError, match=rf"torquec\[{extra}\]"):
        call(arm)
