"""The words of URDF: what an element may hold, so that a misspelt one does not pass in silence.

Only elements that say something about dynamics are looked into; what is known and not read (pictures, sensors, what
belongs to a simulator) is passed over. Words of another namespace are not URDF's and are passed over too.
"""

from __future__ import annotations

from dataclasses import dataclass

from torquec.robot.robot import FileWarning
from torquec.robot.xml import Element


@dataclass(frozen=True)
class _Word:
    """An element: the attributes and elements that it may have."""

    attributes: frozenset[str] = frozenset()
    children: frozenset[str] = frozenset()


def _word(attributes: str = "", children: str = "") -> _Word:
    return _Word(frozenset(attributes.split()), frozenset(children.split()))


_ORIGIN = _word("xyz rpy quat_xyzw")
_NAMED = _word("link")

_WORDS: dict[str, _Word] = {
    "robot": _word(
        "name version",
        "link joint transmission material gazebo sensor ros2_control mujoco plugin group group_state chain end_effector"
        " disable_collisions virtual_joint passive_joint loop_joint frame",
    ),
    "robot/link": _word(
        "name type",
        "inertial visual collision sensor contact self_collision_checking self_collide gravity kinematic"
        " must_be_base_link velocity_decay capsule material verbose",
    ),
    "robot/link/inertial": _word("name", "origin mass inertia"),
    "robot/link/inertial/origin": _ORIGIN,
    "robot/link/inertial/mass": _word("value"),
    "robot/link/inertial/inertia": _word("ixx ixy ixz iyy iyz izz"),
    "robot/joint": _word(
        "name type", "origin parent child axis limit dynamics mimic calibration safety_controller hardwareInterface"
    ),
    "robot/joint/origin": _ORIGIN,
    "robot/joint/parent": _NAMED,
    "robot/joint/child": _NAMED,
    "robot/joint/axis": _word("xyz"),
    "robot/joint/limit": _word("lower upper effort velocity acceleration deceleration jerk"),
    "robot/joint/dynamics": _word("damping friction"),
    "robot/joint/mimic": _word("joint multiplier offset"),
}


def unknown_words(root: Element) -> list[FileWarning]:
    """A warning for every word that URDF does not know, inside elements that count for dynamics.

    An attribute or element that occurs often is one warning: that of the first, with the count.
    """
    found: dict[tuple[str, str], list[FileWarning]] = {}
    waiting = [("robot", root)]
    while waiting:
        path, element = waiting.pop()
        word = _WORDS[path]
        if not word.attributes >= element.attributes.keys():
            for name in element.attributes:
                if name not in word.attributes and " " not in name:
                    text = f"{element} has an attribute '{name}' that URDF does not know: not read"
                    found.setdefault((path, name), []).append(FileWarning(element.where, text))
        for child in element.children:
            inner = f"{path}/{child.tag}"
            if inner not in _WORDS and child.tag not in word.children and not child.tag.startswith("{"):
                text = f"{child} in {element} is not known to URDF: it is not read"
                found.setdefault((inner, ""), []).append(FileWarning(child.where, text))
        known = ((f"{path}/{child.tag}", child) for child in reversed(element.children))
        waiting += [(inner, child) for inner, child in known if inner in _WORDS]
    return [_summary(alike) for alike in found.values()]


def _summary(alike: list[FileWarning]) -> FileWarning:
    """The first of several warnings about one word, and how many more there are."""
    first, last = alike[0], alike[-1]
    if len(alike) == 1:
        return first
    more = f"; {len(alike)} times, the last in line {last.where.rpartition(':')[2]}"
    return FileWarning(first.where, first.text + more)
