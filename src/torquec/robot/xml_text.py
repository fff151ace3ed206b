"""Names and numbers of a robot as XML text, for the writers of URDF and of MJCF."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from torquec.errors import ArgumentError
from torquec.robot.robot import BASE, Robot
from torquec.spatial import IDENTITY

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def check_xml_names(robot: Robot) -> None:
    """Raise `ArgumentError` for a name with characters that XML cannot hold."""
    for name in (robot.name, *_names(robot)):
        if _NOT_IN_XML.search(name):
            raise ArgumentError(f"the name {name!r} has characters that XML cannot hold", remedy="rename it")


def link_names(robot: Robot, *, reserved: Iterable[str] = ()) -> dict[int, str]:
    """A link name for the base and each body: that of the frame which coincides with it, where there is one.

    A body that is called by a `reserved` name gets another one.
    """
    kept = set(reserved)
    taken = {frame.name for frame in robot.frames} | kept
    names: dict[int, str] = {}
    own = {(frame.body, frame.name): frame for frame in robot.frames if frame.name not in kept}
    for index, body in enumerate(robot.bodies):
        frame = own.get((index, body.name))
        is_own = frame is not None and frame.pose == IDENTITY
        names[index] = body.name if is_own else unused_name(body.name, taken)
    at_base = [name for (body, name), frame in own.items() if body == BASE and frame.pose == IDENTITY]
    names[BASE] = at_base[0] if at_base else unused_name("base", taken)
    return names


def unused_name(name: str, taken: set[str]) -> str:
    """`name`, made unique by appended underscores; the result is added to `taken`.

    >>> unused_name("arm", {"arm", "arm_"})
    'arm__'
    """
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def number_list(values: Iterable[float]) -> str:
    """Numbers with all their digits, spaces between them.

    >>> number_list((1, 0.1))
    '1.0 0.1'
    """
    return " ".join(repr(float(value)) for value in values)


def xml_comment(text: str) -> str:
    """An XML comment, in which no two hyphens may stand together.

    >>> xml_comment("a--b")
    '<!-- a- -b -->'
    """
    while "--" in text:
        text = text.replace("--", "- -")
    return f"<!-- {_NOT_IN_XML.sub('?', text)} -->"


def _names(robot: Robot) -> Iterator[str]:
    for body in robot.bodies:
        yield body.name
        yield body.joint.name
    for frame in robot.frames:
        yield frame.name
