"""Inputs by their numbers, through the doors: `python -m tests.fuzz.run FIRST LAST [FOLDER]`.

What is not as it must be is printed with its number and, with FOLDER, kept there as a file. An input must be read or
refused by an error of `torquec.errors` within five seconds; the process must stay below one gigabyte.
"""

from __future__ import annotations

import contextlib
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.readers import DOORS, fuzzed

from torquec.errors import TorquecError

LONGEST = 5
"""Seconds of processor time for one input: a busy machine is no fault of a reader."""

MOST = 1_000_000
"""Kilobytes that the process may have taken."""

FASTER = Path("/dev/shm")


@dataclass(frozen=True)
class Fault:
    """An input that did not come to a proper end, and what happened instead."""

    number: int
    file: str
    what: str


class _TooLongError(BaseException):
    """Not to be caught by any reader."""


def _stop(*_: object) -> None:
    raise _TooLongError


def faults(numbers: range, counts: Counter[str] | None = None) -> Iterator[Fault]:
    """Every fault among the inputs of these numbers; `counts` says how often each door was read and refused."""
    counts = Counter() if counts is None else counts
    before = signal.signal(signal.SIGPROF, _stop)
    place = FASTER if FASTER.is_dir() else None
    with tempfile.TemporaryDirectory(dir=place) as folder, warnings.catch_warnings(), np_quiet():
        warnings.simplefilter("ignore")
        try:
            for number in numbers:
                door, data = fuzzed(number)
                path = Path(folder) / door.file
                path.write_bytes(data)
                found = _tried(number, door.file, lambda door=door, path=path: door.read(path), counts)
                path.unlink()
                if found is not None:
                    yield found
        finally:
            signal.signal(signal.SIGPROF, before)


def np_quiet() -> contextlib.AbstractContextManager[object]:
    """NumPy without warnings about overflow: what matters is what is made of the numbers."""
    import numpy as np

    return np.errstate(all="ignore")


def _tried(number: int, file: str, read: object, counts: Counter[str]) -> Fault | None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    outcome = "read"
    try:
        read()  # type: ignore[operator]
    except TorquecError as error:
        outcome = "refused"
        if not (error.found and str(error)):
            return Fault(number, file, "an error without words")
    except _TooLongError:
        return Fault(number, file, f"more than {LONGEST} s")
    except BaseException:  # noqa: BLE001 - that is the question
        return Fault(number, file, traceback.format_exc(limit=-4))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    counts[f"{file} {outcome}"] += 1
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before > MOST:
        return Fault(number, file, f"more than {MOST} kB")
    return None


def main(first: int, last: int, folder: str = "") -> int:
    """Run a range of numbers and report; the number of faults."""
    counts: Counter[str] = Counter()
    began, found = time.monotonic(), 0
    step = 10_000
    for start in range(first, last, step):
        for fault in faults(range(start, min(last, start + step)), counts):
            found += 1
            sys.stdout.write(f"{fault.number} {fault.file}: {fault.what}\n")
            if folder:
                Path(folder, f"{fault.number}.{fault.file}").write_bytes(fuzzed(fault.number)[1])
        sys.stdout.write(f"up to {min(last, start + step)}: {found} faults, {time.monotonic() - began:.0f} s\n")
        sys.stdout.flush()
    for door in DOORS:
        sys.stdout.write(f"{door.file}: {counts[f'{door.file} read']} read, {counts[f'{door.file} refused']} refused\n")
    return found


if __name__ == "__main__":
    sys.exit(min(1, main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])))
