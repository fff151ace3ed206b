"""`kill -9` at any moment of a command that writes a folder: afterwards the old files are there or the new ones.

Half of the kills come at random moments of the run, the other half just after the command has begun to write: the
moment that matters is a few milliseconds of many seconds.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.cli.identify_logs import QUICK, write_arm
from tests.patience import HANGS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="folders cannot be exchanged in one step everywhere")

ROOT = Path(__file__).resolve().parents[2]
MINE = "notes.txt"
GRAVITIES = ("0,-9.81,0", "0,-1.62,0")
"""The old files and the new ones are of two worlds."""


def command(name: str, world: int, arm: Path) -> list[str]:
    """The arguments of a run, but for the folder."""
    gravity = ["--gravity", GRAVITIES[world]]
    specification = str(ROOT / "examples" / "specifications" / "planar2r.toml")
    return {
        "generate": ["generate", "planar2r", *gravity, "--force"],
        "design": ["design", "planar2r", "--controller", "computed-torque", *gravity, "--force"],
        "simplify": ["simplify", "planar2r", "--spec", specification, "--no-check", "--jobs", "1", *gravity, "--force"],
        "identify": ["identify", str(arm), str(arm.with_name("bare.csv")), *map(str, QUICK), *gravity, "--force"],
    }[name]


def begun(name: str, world: int, arm: Path, out: Path) -> subprocess.Popen[bytes]:
    arguments = [sys.executable, "-m", "torquec", *command(name, world, arm), "-o", str(out)]
    return subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


def listing(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@dataclass
class Command:
    """A command with what it writes in either world, as far as that is the same in every run, and its time [s]."""

    name: str
    arm: Path
    worlds: tuple[dict[str, bytes], dict[str, bytes]]
    seconds: float

    @classmethod
    def of(cls, name: str, folder: Path, *, arm: Path, runs: int) -> Command:
        """Run it so often in either world."""
        worlds, began = [], time.monotonic()
        for world in (0, 1):
            found = []
            for run in range(runs):
                out = folder / f"{world}{run}"
                assert begun(name, world, arm, out).wait(HANGS) == 0
                found.append(listing(out))
            same = {file: data for file, data in found[0].items() if all(other.get(file) == data for other in found)}
            worlds.append(same)
        return cls(name, arm, (worlds[0], worlds[1]), (time.monotonic() - began) / (2.0 * runs))

    def world_of(self, out: Path) -> int:
        """The world that a folder is from; fails where it is of both, or incomplete."""
        found = listing(out)
        assert found.pop(MINE, b"") == b"mine", "a file of the user was changed"
        fitting = [
            world
            for world, files in enumerate(self.worlds)
            if all(found.get(file) == data for file, data in files.items())
        ]
        differing = [sorted(f for f, data in files.items() if found.get(f) != data) for files in self.worlds]
        assert len(fitting) == 1, f"{self.name}: of {sorted(found)} these differ from either world: {differing}"
        return fitting[0]

    def killed(self, out: Path, rng: random.Random, *, while_writing: bool) -> None:
        """A run in the world that the folder is not of, killed."""
        process = begun(self.name, 1 - self.world_of(out), self.arm, out)
        end = time.monotonic() + (10.0 * self.seconds if while_writing else rng.uniform(0.0, 1.2 * self.seconds))
        before = set(out.parent.iterdir())
        while time.monotonic() < end and process.poll() is None:
            if while_writing and set(out.parent.iterdir()) - before:
                time.sleep(rng.uniform(0.0, 0.03))
                break
            time.sleep(0.0005)
        with contextlib.suppress(ProcessLookupError):  # it was faster
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self.world_of(out)


def survives(name: str, folder: Path, kills: int, *, runs: int = 2) -> None:
    """Kill a command so often; then it runs to its end, whatever was left behind."""
    (folder / "logs").mkdir()
    arm = write_arm(folder / "logs")[0]
    (folder / "references").mkdir()
    tried = Command.of(name, folder / "references", arm=arm, runs=runs)
    place = folder / "place"
    out = place / "out"
    shutil.copytree(folder / "references" / "00", out)
    (out / MINE).write_bytes(b"mine")
    rng = random.Random(name)
    for k in range(kills):
        tried.killed(out, rng, while_writing=k % 2 == 1)
    world = tried.world_of(out)
    assert begun(name, 1 - world, arm, out).wait(HANGS) == 0
    assert tried.world_of(out) == 1 - world
    left = {path.name for path in place.iterdir()} - {"out", "out.partial"}
    assert all(name.startswith(".") for name in left), left


def test_generate_survives_a_few_kills(tmp_path):
    survives("generate", tmp_path, 2, runs=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["generate", "design", "simplify", "identify"])
def test_a_hundred_kills(tmp_path, name):
    survives(name, tmp_path, 25)
