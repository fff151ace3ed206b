"""`FileMeter`: how far a task in another process of this machine is, by a file that whoever waits looks at."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from torquec.foundation.budget import Budget

LOOK_EVERY = 0.25
"""Seconds between looks at tasks that run elsewhere: quick for an eye, nothing for a processor."""


@dataclass
class FileMeter:
    """A meter in another process: it writes its share into a file of its own, which `Work.map` looks at."""

    path: str
    budget: Budget
    last: float = 0.0

    def __call__(self, done: float, whole: float, note: str = "") -> None:  # noqa: ARG002 - a note goes no further
        """Write the share, from time to time."""
        self.budget.check()
        now = time.monotonic()
        if now - self.last < LOOK_EVERY or not whole:
            return
        self.last = now
        try:
            Path(f"{self.path}.new").write_text(repr(min(done / whole, 1.0)), encoding="ascii")
            Path(f"{self.path}.new").replace(self.path)
        except OSError:
            return  # another machine, or a folder that is gone: the bar moves with the tasks only

    def share(self) -> float:
        """What was written last."""
        try:
            return float(Path(self.path).read_text(encoding="ascii"))
        except (OSError, ValueError):
            return 0.0
