"""The development set-up, locked: `requirements/dev.lock` has every package with its version and hashes of its files.

    python -m release.lock              # after a change of pyproject.toml; needs uv (pip install uv)
    python -m release.lock --upgrade    # the newest versions of everything

The lock is for every platform and Python that Torquec runs on, and names no index: what counts is the hash of a file,
not where it came from. `./run test` installs from it.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements" / "dev.lock"
EXTRAS = ("all", "test")
_HEAD = "# Every package of the development set-up; made by `python -m release.lock`, installed by `./run test`.\n"
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)(?: ; ([^\\]+?))? *\\?$")


@dataclass(frozen=True)
class LockedPackage:
    """One row of the lock: a version for the environments of `marker`, hashes of its files, and who asks for it."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]
    needed_by: tuple[str, ...]


def plain_name(name: str) -> str:
    """The name of a package as indexes compare it.

    >>> plain_name("Ruamel.YAML")
    'ruamel-yaml'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def read_lock(path: Path = LOCK) -> list[LockedPackage]:
    """The rows of a lock, in its order; a package may have a row for each range of Python versions."""
    rows: list[LockedPackage] = []
    hashes: list[str] = []
    askers: list[str] = []
    head: tuple[str, str, str] | None = None

    def close() -> None:
        if head is not None:
            rows.append(LockedPackage(*head, tuple(hashes), tuple(askers)))
        hashes.clear()
        askers.clear()

    for line in path.read_text(encoding="utf-8").splitlines():
        pin = _PIN.match(line)
        if pin:
            close()
            head = plain_name(pin[1]), pin[2], pin[3] or ""
        elif "--hash=" in line:
            hashes.append(line.split("--hash=", 1)[1].rstrip(" \\"))
        elif line.startswith("    #") and line.strip() not in ("#", "# via"):
            askers.append(plain_name(line.strip("# ").removeprefix("via ").split(" (")[0]))
    close()
    return rows


def requirements(*extras: str) -> list[str]:
    """What pyproject.toml asks for, as written; with the extras, and what these refer to."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = list(project["dependencies"])
    waiting = list(extras)
    for extra in waiting:
        for requirement in project["optional-dependencies"][extra]:
            own = re.fullmatch(r"torquec\[([^\]]+)\]", requirement)
            if own:
                waiting += [name.strip() for name in own[1].split(",") if name.strip() not in waiting]
            else:
                found.append(requirement)
    return sorted(set(found))


def main() -> int:
    """Write the lock; gives the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions of everything")
    arguments = parser.parse_args()
    uv = shutil.which("uv")
    if uv is None:
        sys.stderr.write("release.lock: there is no uv\n  remedy: pip install uv\n")
        return 2
    command = [uv, "pip", "compile", "pyproject.toml", "--universal", "--generate-hashes", "--quiet", "--no-header"]
    command += ["--no-emit-index-url", "--no-emit-find-links", "--output-file", str(LOCK)]
    command += [word for extra in EXTRAS for word in ("--extra", extra)]
    status = subprocess.call([*command, "--upgrade"] if arguments.upgrade else command, cwd=ROOT)
    if status == 0:
        LOCK.write_text(_HEAD + LOCK.read_text(encoding="utf-8").removeprefix(_HEAD), encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
