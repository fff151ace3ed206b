"""What a command will read, and whether it is there: checked before packages are asked for, and before the work."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

SIMULATED = "simulated"
"""In place of a log: one of the robot's own model."""


class Reads(StrEnum):
    """What an option or an argument of a command names."""

    LOGS = "logs"
    """Files, or folders of bags; or the word for a simulated one."""


def check_sources(paths: Sequence[Path]) -> None:
    """Raise `ArgumentError` for the first log that is not there."""
    from torquec.foundation.reading import FileKind, missing_file

    for path in paths:
        if str(path) != SIMULATED and not path.exists():
            raise missing_file(path, FileKind.LOG)
