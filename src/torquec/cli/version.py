"""`torquec version`: which version this is, and of what it is made."""

from __future__ import annotations

import importlib.metadata
import platform
from dataclasses import dataclass

import torquec
from torquec.cli.command import CommandOptions, Outcome, command

_PACKAGES = (
    "numpy",
    "llvmlite",
    "python-flint",
    "typer",
    "scipy",
    "clarabel",
    "matplotlib",
    "mujoco",
    "casadi",
    "rosbags",
    "pyarrow",
    "xacro",
)
"""What Torquec needs, then what its extras bring."""


@dataclass(frozen=True, kw_only=True)
class VersionOptions(CommandOptions):
    """None of its own."""


@command("version", VersionOptions, example="torquec version", without_model=True)
def version(_options: VersionOptions) -> Outcome:
    """Show the versions of Torquec, Python and the packages that it can use: what a bug report needs."""
    found: dict[str, str | None] = {}
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = None
    document = {
        "torquec": torquec.__version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "packages": found,
    }
    lines = [f"torquec {torquec.__version__}", f"python {document['python']}, {document['system']}"]
    lines += [f"{name} {number or 'is not installed'}" for name, number in found.items()]
    return Outcome(document, "\n".join(lines))
