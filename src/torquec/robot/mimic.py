"""Mimic joints that follow mimic joints: chains are resolved to the independent joint at their end.

(1)  q_a = m q_b + o  and  q_b = k q_c + p   give   q_a = (m k) q_c + (m p + o)
"""

from __future__ import annotations

from collections.abc import Mapping

from torquec.errors import RobotFileError
from torquec.robot.robot import Mimic

_SHOWN = 10
"""Joints of a circle that a message names."""


def resolve_mimics(mimics: Mapping[str, Mimic], places: Mapping[str, str] | None = None) -> dict[str, Mimic]:
    """What every mimic joint follows in the end, by (1); each chain is walked once.

    Raises `RobotFileError`, at the place of the joint ("file:line"), where a chain comes back to itself.

    >>> resolve_mimics({"a": Mimic("b", 2.0, 1.0), "b": Mimic("c", 3.0, 0.5)})["a"]
    Mimic(joint='c', multiplier=6.0, offset=2.0)
    """
    resolved: dict[str, Mimic] = {}
    for joint in mimics:
        chain: dict[str, None] = {}
        current = joint
        while current in mimics and current not in resolved:
            if current in chain:
                shown = [*list(chain)[:_SHOWN], *(["..."] if len(chain) > _SHOWN else []), current]
                raise RobotFileError(
                    f"the mimic joints {' -> '.join(shown)} follow each other in a circle",
                    where=(places or {}).get(joint, ""),
                    remedy="let one of them move on its own",
                )
            chain[current] = None
            current = mimics[current].joint
        for name in reversed(chain):
            own = mimics[name]
            inner = resolved.get(own.joint, Mimic(own.joint))
            resolved[name] = Mimic(
                inner.joint, own.multiplier * inner.multiplier, own.multiplier * inner.offset + own.offset
            )
    return resolved
