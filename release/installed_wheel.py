"""The wheel alone in a clean environment: what it weighs, what it does, and what it says of every missing extra.

    python -m release.installed_wheel [WHEEL]

Without WHEEL one is built first. Needs a package index. The exit status is 1 where something does not hold.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from pathlib import Path

from release.build import build

MOST_MEGABYTES = 330
"""What a core installation may weigh unpacked, with everything that it depends on [10^6 bytes]."""

WORKS = (
    "version",
    "selftest planar2r",
    "info puma560",
    "eval puma560 --q 0,0.1,0.2,0.3,0.4,0.5",
    "generate puma560 --target c -o c",
    "generate scara --target wasm -o wasm",
    "equations planar2r",
    "params puma560",
    "design planar2r --poles -10 -o law",
    "simulate planar2r --controller computed-torque --poles -10 --to 0.5,0.4",
    "view puma560 -o puma560.html",
    "new planar2r -o planar2r.project.toml",
)
"""Commands of the core."""

MISSING = (
    ("simplify planar2r --spec spec.toml -o small", "optimize"),
    ("demo -o demo", "optimize"),
    ("identify planar2r log.csv", "identify"),
    ("excite planar2r -o excite.csv", "identify"),
    ("simulate planar2r --plot errors.png", "plot"),
    ("info arm.xml", "mujoco"),
    ("generate planar2r --target casadi -o out", "casadi"),
    ("check-log planar2r log.mcap", "rosbags"),
    ("check-log planar2r log.parquet", "parquet"),
)
"""A command of every extra, and the extra that it must name."""

COMPILED = """
import numpy as np, torquec as tq
arm = tq.compile(tq.classics.puma560())
q = np.full(6, 0.3)
tau = arm.inverse_dynamics(q, q, q)
assert np.allclose(arm.forward_dynamics(q, q, tau), q, atol=1e-9)
"""


@dataclass(frozen=True)
class Environment:
    """A virtual environment with the wheel in it, and the 10^6 bytes that installing it added."""

    python: Path
    megabytes: float


def install(wheel: Path, folder: Path) -> Environment:
    """Make an environment in `folder` and install the wheel; raises `CalledProcessError` where that fails."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    before = _bytes(folder)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel)]
    subprocess.run(command, check=True)
    return Environment(python, (_bytes(folder) - before) / 1e6)


def problems(environment: Environment, folder: Path) -> list[str]:
    """What does not hold of an installed wheel, in sentences; files go into `folder`."""
    for name in ("log.csv", "log.mcap", "log.parquet", "spec.toml", "arm.xml"):
        (folder / name).write_text("<mujoco/>" if name == "arm.xml" else "", encoding="ascii")
    found = []
    if environment.megabytes > MOST_MEGABYTES:
        found.append(f"the installation weighs {environment.megabytes:.0f} MB, more than {MOST_MEGABYTES}")
    found += _failure(environment, folder, ["-c", COMPILED])
    for words in WORKS:
        found += _failure(environment, folder, ["-m", "torquec", *words.split()])
    for words, extra in MISSING:
        done = _run(environment, folder, ["-m", "torquec", *words.split()])
        if done.returncode != 2 or f"pip install 'torquec[{extra}]'" not in done.stderr:
            found.append(f"'torquec {words}' does not name the extra {extra}: {done.stderr.strip()[-300:]}")
        if "Traceback" in done.stderr:
            found.append(f"'torquec {words}' ends in a traceback")
    return found


def _run(environment: Environment, folder: Path, words: list[str]) -> subprocess.CompletedProcess[str]:
    """Run Python there, without anything of ours on its path; `-P`: not even the working folder."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [str(environment.python), "-P", *words],
        cwd=folder,
        env=clean,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        encoding="utf-8",
    )


def _failure(environment: Environment, folder: Path, words: list[str]) -> list[str]:
    done = _run(environment, folder, words)
    name = " ".join(words[1:]) if words[0] == "-m" else "a compiled model"
    return [] if done.returncode == 0 else [f"'{name}' fails: {done.stderr.strip()[-300:]}"]


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def main() -> int:
    """Install, measure, try; gives the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", nargs="?", type=Path)
    wheel = parser.parse_args().wheel
    with tempfile.TemporaryDirectory(prefix="torquec-wheel-") as name:
        place = Path(name)
        if wheel is None:
            (place / "dist").mkdir()
            (wheel,) = (path for path in build(place / "dist") if path.suffix == ".whl")
        environment = install(wheel.resolve(), place / "environment")
        (place / "work").mkdir()
        found = problems(environment, place / "work")
    print(f"{wheel.name}: {environment.megabytes:.0f} MB installed (at most {MOST_MEGABYTES})")
    print(f"{1 + len(WORKS)} uses of the core, {len(MISSING)} that need an extra: {len(found)} problems")
    for problem in found:
        print(f"  {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
