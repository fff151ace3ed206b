"""Mimic joints that follow mimic joints: chains are resolved to the independent joint at their end.

(1)  q_a = m q_b + o  and  q_b = k q_c + p   give   q_a = (m k) q_c + (m p + o)
"""

from __future__ import annotations

from collections.abc import Mapping

from torquec.errors import RobotFileError
from torquec.robot.robot import Mimic


def resolve_mimic(joint: str, mimics: Mapping[str, Mimic], *, where: str = "") -> Mimic:
    """What `joint` follows in the end, by (1); `mimics` holds the mimic joints by name.

    Raises `RobotFileError` at `where` when the chain comes back to itself.

    >>> resolve_mimic("a", {"a": Mimic("b", 2.0, 1.0), "b": Mimic("c", 3.0, 0.5)})
    Mimic(joint='c', multiplier=6.0, offset=2.0)
    """
    resolved = mimics[joint]
    chain = [joint]
    while resolved.joint in mimics:
        if resolved.joint in chain:
            raise RobotFileError(
                f"the mimic joints {' -> '.join([*chain, resolved.joint])} follow each other in a circle",
                where=where,
                remedy="let one of them move on its own",
            )
        chain.append(resolved.joint)
        inner = mimics[resolved.joint]
        resolved = Mimic(
            inner.joint,
            resolved.multiplier * inner.multiplier,
            resolved.multiplier * inner.offset + resolved.offset,
        )
    return resolved
