"""Default classes of MJCF, and what else holds for a whole document.

(1)  an element's attributes are its own, over those of its class, over those of the classes around that one; its class
     is its `class`, or the nearest `childclass` around it, or the outermost default
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from torquec.robot.robot import FileWarning
from torquec.robot.xml import Element

OUTERMOST = "main"
"""The class of elements that no other class is named for."""

FILE_SHAPES = ("mesh", "hfield", "sdf")
"""Types of geoms whose form stands in a file."""


@dataclass
class MjcfContext:
    """What holds for the whole document: attributes by class and tag (1), compiler settings, and what was warned of."""

    defaults: dict[str, dict[str, dict[str, str]]]
    compiler: dict[str, str]
    warnings: list[FileWarning] = field(default_factory=list)

    def attributes(self, element: Element, childclass: str, tag: str) -> dict[str, str]:
        """The attributes of an element after (1)."""
        chosen = element.attributes.get("class") or childclass
        inherited = self.defaults.get(chosen, self.defaults[OUTERMOST])
        return inherited.get(tag, {}) | element.attributes


def mjcf_context(root: Element) -> MjcfContext:
    """What holds for the whole of a document."""
    defaults: dict[str, dict[str, dict[str, str]]] = {OUTERMOST: {}}
    for element in root.all("default"):
        _collect_defaults(element, {}, defaults, outermost=True)
    compiler: dict[str, str] = {}
    for element in root.all("compiler"):
        compiler |= element.attributes
    return MjcfContext(defaults, compiler)


def _collect_defaults(
    element: Element,
    inherited: Mapping[str, dict[str, str]],
    into: dict[str, dict[str, dict[str, str]]],
    *,
    outermost: bool,
) -> None:
    """Resolve the classes inside one <default>, each over those around it (1)."""
    name = OUTERMOST if outermost else element.attributes.get("class", "")
    own = dict(inherited) | into.get(name, {})
    for child in element.children:
        if child.tag != "default":
            own[child.tag] = own.get(child.tag, {}) | child.attributes
    into[name] = own
    if outermost and "class" in element.attributes:
        into[element.attributes["class"]] = own
    for child in element.all("default"):
        _collect_defaults(child, own, into, outermost=False)
