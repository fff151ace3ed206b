"""Every fault of a TOML document at once, each with its line, from a reader that stops at the first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torquec.errors import TorquecError
from torquec.robot.toml import GONE, KeyFaultError, KeyPath, Table


def every_fault(document: Table, read: Callable[[Table], object]) -> list[TorquecError]:
    """All faults that `read` finds in a document, in the order of their lines; none if the document is valid.

    After each fault its key is left out, and the rest is read again; a required key gets a placeholder. Where `read`
    refuses the placeholder, its table is left out. Errors that only follow from these omissions are not reported.
    """
    values = document.plain
    left_out: set[KeyPath] = set()
    faults: list[TorquecError] = []
    while True:
        try:
            read(document.holding(values, gaps=left_out))
        except KeyFaultError as fault:
            known = any(path[: len(fault.path)] == fault.path for path in left_out)
            if not known:
                faults.append(fault)
            left_out.add(fault.path)
            gone = _left_out(values, fault.path)
            if known and not gone and not _left_out(values, fault.path[:-1]):
                break
        except TorquecError as fault:
            faults.append(fault)
            break
        else:
            break
    return sorted(faults, key=lambda fault: _line(fault.where))


def _left_out(values: dict[str, Any], path: KeyPath) -> bool:
    """Remove the value at a path; False if there is none, and for the path of the document itself."""
    holder: Any = values
    for part in path[:-1]:
        holder = holder[part]
    if not path or (isinstance(path[-1], str) and path[-1] not in holder):
        return False
    if isinstance(path[-1], int):  # the other elements keep their indices
        holder[path[-1]] = {GONE: True}
    else:
        del holder[path[-1]]
    return True


def _line(where: str) -> int:
    stated = where.rpartition(":")[2]
    return int(stated) if stated.isdecimal() else 0
