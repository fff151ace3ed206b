"""MJCF stripped to its dynamics: bodies, joints, inertias, sites, joint couplings and the forces of actuators.

Assets, geoms without effect on inertias, cameras, lights, sensors, contacts and keyframes are removed. MuJoCo gets a
mesh only if inertias may come from meshes (`mesh_files`); otherwise an inertia that needs a mesh is refused. Tendons
that no motor can express, deformable and attached parts are refused by name. A default class may state that a joint is
a ball, or a geom a mesh (`mjcf_file`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from xml.sax.saxutils import quoteattr

from torquec.errors import RobotFileError
from torquec.robot.mjcf_file import FILE_SHAPES, OUTERMOST, MeshFiles, MjcfContext, mjcf_context
from torquec.robot.robot import FileWarning
from torquec.robot.tuning import TUNING
from torquec.robot.xml import Element

_SECTIONS = ("compiler", "option", "default", "worldbody", "equality", "actuator")
_SECTIONS_GONE = (
    *("asset", "contact", "custom", "deformable", "extension", "keyframe", "sensor", "size", "statistic", "tendon"),
    *("visual", "skin", "flex"),
)
_GONE = ("camera", "light")
_FAR_ENDS = ("tendon", "site", "body", "cranksite", "slidersite")
"""Targets of actuators that act on no joint."""
_RANGES = ("range", "actuatorfrcrange", "forcerange", "ctrlrange")
_REFUSED = {
    "composite": "write its bodies out",
    "flexcomp": "remove it: deformable bodies have no joint coordinates",
    "flex": "remove it: deformable bodies have no joint coordinates",
    "attach": "write the attached bodies into this file",
    "plugin": "remove it: the effect of a plugin is unknown",
}
_NAMES = ("name", "class", "childclass", "joint", "joint1", "joint2", "model", "file", "prefix", "user")
_OPEN_FILES = ("mesh", "hfield", "material")
_FOLDER_SETTINGS = ("meshdir", "texturedir", "assetdir")

_TENDON_FORCES = ("stiffness", "damping", "frictionloss", "armature")
"""Attributes that give a tendon forces of its own; its limits, like those of joints, do not act inside the range."""

_SHAFT_WORDS = ("damping", "frictionloss", "armature")
"""Attributes of a tendon that a motor on several joints can express."""


def strip_mjcf(root: Element, *, meshes: MeshFiles | None = None) -> tuple[Element, list[FileWarning]]:
    """The document stripped to the dynamics, and warnings about what was left out.

    With `meshes`, inertias may come from these; afterwards it holds the bytes of the meshes in use.
    Raises `RobotFileError`, by name and line, for what a tree of joints cannot represent.
    """
    context = mjcf_context(root)
    context.meshes = meshes
    _check_copies(root)
    for section in root.all("deformable"):
        _refuse_section(section)
    coupled = _coupled_tendons(root, context)
    sections: dict[str, Callable[[Element], Element]] = {
        "compiler": _stripped_compiler,
        "default": _without_assets,
        "actuator": partial(_stripped_actuators, context=context),
    }
    children: list[Element] = []
    for section in root.children:
        if section.tag == "worldbody":
            children.append(_stripped_body(section, context, OUTERMOST, moving=False))
        elif section.tag == "equality":
            children.append(_stripped_equality(section, context, coupled))
        elif section.tag == "tendon":
            children.append(_stripped_tendons(section, context, coupled))
        elif section.tag in _SECTIONS:
            children.append(sections.get(section.tag, _as_it_is)(section))
        elif section.tag not in _SECTIONS_GONE:
            raise RobotFileError(
                f"{section} in {root} is not known to MJCF",
                where=section.where,
                remedy=f"its sections are {', '.join(sorted((*_SECTIONS, *_SECTIONS_GONE)))}",
            )
    assets = None if meshes is None else meshes.section()
    stripped = replace(root, children=(*children, *(() if assets is None else (assets,))))
    _check_finite(stripped)
    return stripped, context.warnings


def to_xml(root: Element, *, keep_lines: bool) -> str:
    """The document as text; with `keep_lines` every element stands on the line that it came from."""
    parts: list[str] = []
    line = 1

    def write(element: Element) -> None:
        nonlocal line
        if keep_lines:
            target = int(element.where.rpartition(":")[2])
            parts.append("\n" * max(0, target - line))
            line = max(line, target)
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in element.attributes.items())
        parts.append(f"<{element.tag}{attributes}>")
        for child in element.children:
            write(child)
        parts.append(f"</{element.tag}>")

    write(root)
    return "".join(parts)


def _stripped_body(body: Element, context: MjcfContext, childclass: str, *, moving: bool) -> Element:
    """A body, or a <frame> or <replicate> in one, with geoms only where its inertia comes from them."""
    childclass = body.attributes.get("childclass", childclass)
    moving = moving or any(element.tag in ("joint", "freejoint") for element in _own_parts(body))
    from_geoms = body.tag != "worldbody" and _takes_geoms(body, context)
    return replace(body, children=_stripped_parts(body, context, childclass, body, moving=moving, geoms=from_geoms))


def _stripped_parts(
    holder: Element, context: MjcfContext, childclass: str, body: Element, *, moving: bool, geoms: bool
) -> tuple[Element, ...]:
    kept: list[Element] = []
    for child in holder.children:
        if child.tag == "body":
            kept.append(_stripped_body(child, context, childclass, moving=moving))
        elif child.tag in ("frame", "replicate"):
            inner = child.attributes.get("childclass", childclass)
            parts = _stripped_parts(child, context, inner, body, moving=moving, geoms=geoms)
            kept.append(replace(child, children=parts))
        elif child.tag in _REFUSED:
            raise RobotFileError(f"{child} in {body} has no model here", where=child.where, remedy=_REFUSED[child.tag])
        elif child.tag in ("joint", "freejoint"):
            _check_joint(child, context, childclass)
            kept.append(child)
        elif child.tag == "geom":
            if geoms and _counts(child, body, context, childclass, moving=moving):
                kept.append(_weighed(child, context, childclass))
        elif child.tag == "site":
            kept.append(_without_assets(child))
        elif child.tag not in _GONE:
            kept.append(child)
    return tuple(kept)


def _weighed(geom: Element, context: MjcfContext, childclass: str) -> Element:
    """A geom that contributes inertia; its mesh, if any, is referred to by name."""
    bare = _without_assets(replace(geom, children=()))
    mesh = context.attributes(geom, childclass, "geom").get("mesh")
    return (
        bare if context.meshes is None or mesh is None else replace(bare, attributes=bare.attributes | {"mesh": mesh})
    )


def _own_parts(holder: Element) -> list[Element]:
    """The elements of a body itself, including those inside its <frame>s, without those of its child bodies."""
    parts: list[Element] = []
    for child in holder.children:
        if child.tag in ("frame", "replicate"):
            parts += _own_parts(child)
        elif child.tag != "body":
            parts.append(child)
    return parts


def _takes_geoms(body: Element, context: MjcfContext) -> bool:
    setting = context.compiler.get("inertiafromgeom", "auto")
    return setting == "true" or (setting == "auto" and not body.all("inertial"))


def _counts(geom: Element, body: Element, context: MjcfContext, childclass: str, *, moving: bool) -> bool:
    """Whether the body's inertia comes from this geom; refused where only a mesh file could give that inertia."""
    attributes = context.attributes(geom, childclass, "geom")
    if not (attributes.get("type") in FILE_SHAPES or "mesh" in attributes or "hfield" in attributes):
        return True
    if attributes.get("mass", "").strip() in ("0", "0.0") or not _in_group(attributes, context):
        return False
    if not moving and "settotalmass" not in context.compiler:
        context.warnings.append(
            FileWarning(geom.where, f"{body} takes inertia from a mesh: left out, as it does not move")
        )
        return False
    if context.meshes is not None and "mesh" in attributes:
        context.meshes.use(attributes["mesh"], geom)
        text = f"the inertia of {body} comes from the mesh '{attributes['mesh']}', by MuJoCo's compiler"
        context.warnings.append(FileWarning(geom.where, text, about=body.attributes.get("name", "")))
        return True
    raise RobotFileError(
        f"{body} takes its inertia from a mesh, {geom}",
        where=geom.where,
        remedy="give the body an <inertial> with mass, pos and fullinertia; or let MuJoCo compute it from meshes below "
        "the robot's folder: --mesh-inertia, load(path, mesh_inertia=True)",
    )


def _in_group(attributes: Mapping[str, str], context: MjcfContext) -> bool:
    try:
        low, high = (int(word) for word in context.compiler.get("inertiagrouprange", "0 5").split())
        return low <= int(attributes.get("group", "0")) <= high
    except ValueError:
        return True  # MuJoCo reports the fault


def _check_joint(joint: Element, context: MjcfContext, childclass: str) -> None:
    attributes = context.attributes(joint, childclass, "joint")
    if attributes.get("armature", "").strip().startswith("-"):  # MuJoCo accepts it, with a warning in a log file
        raise RobotFileError(
            f"the rotor inertia (armature) of {joint} is negative: {attributes['armature']}",
            where=joint.where,
            remedy="a moment of inertia is not negative",
        )
    _check_ranges(joint, attributes)


def _check_ranges(element: Element, attributes: Mapping[str, str]) -> None:
    """Refuse exchanged limits, which MuJoCo ignores."""
    for name in _RANGES:
        try:
            low, high = map(float, attributes.get(name, "0 0").split())
        except ValueError:
            continue  # MuJoCo reports the fault
        if low > high:
            raise RobotFileError(
                f"{name} of {element} goes from {low:g} to {high:g}",
                where=element.where,
                remedy="exchange the two limits",
            )


def _refuse_section(section: Element) -> None:
    for child in section.children:
        if child.tag == "skin":
            continue
        raise _no_model("deformable parts", child)


def _coupled_tendons(root: Element, context: MjcfContext) -> frozenset[str]:
    """Names of the fixed tendons (linear in joint positions) to which an active equality constraint refers."""
    fixed = {each.attributes.get("name", "") for section in root.all("tendon") for each in section.all("fixed")}
    named = {
        child.attributes.get(end, "")
        for section in root.all("equality")
        for child in section.all("tendon")
        for end in ("tendon1", "tendon2")
        if context.attributes(child, OUTERMOST, "equality").get("active") != "false"
    }
    return frozenset(fixed & named)


def _stripped_tendons(section: Element, context: MjcfContext, coupled: frozenset[str]) -> Element:
    """The tendons to keep: fixed tendons in equality constraints, and shafts, with inertia or friction of their own.

    Tendons that only pass on the forces of actuators are left out; all others are refused.
    """
    kept: list[Element] = []
    for tendon in section.children:
        attributes = context.attributes(tendon, OUTERMOST, "tendon")
        acting = {name for name in _TENDON_FORCES if name in attributes and _is_not_zero(attributes[name])}
        if acting - set(_SHAFT_WORDS) or (acting and tendon.tag != "fixed"):
            raise _no_model("tendons", tendon)
        limits = ", its limits" if attributes.get("limited", "auto") != "false" and "range" in attributes else ""
        if acting or tendon.attributes.get("name") in coupled:
            kept.append(tendon)
            if limits:
                context.warnings.append(FileWarning(tendon.where, f"the limits of {tendon} are left out"))
            continue
        text = f"{tendon} is left out{limits} and the actuators that pull it: it has no force of its own"
        context.warnings.append(FileWarning(tendon.where, text))
    return replace(section, children=tuple(kept))


def _is_not_zero(written: str) -> bool:
    try:
        return any(float(word) != 0.0 for word in written.split())
    except ValueError:
        return True


def _no_model(what: str, element: Element) -> RobotFileError:
    return RobotFileError(
        f"{what} have no model here: {element}",
        where=element.where,
        remedy="remove it and what refers to it; hinge, slide, ball and free joints between rigid bodies are read",
    )


def _stripped_equality(section: Element, context: MjcfContext, coupled: frozenset[str]) -> Element:
    """Active couplings of joints and fixed tendons, connects and welds; other constraints are refused."""
    kept: list[Element] = []
    for child in section.children:
        if context.attributes(child, OUTERMOST, "equality").get("active") == "false":
            continue
        if child.tag not in ("joint", "connect", "weld") and not _is_linear_sum(child, coupled):
            raise RobotFileError(
                f"this equality constraint has no model here: {_described(child)}",
                where=child.where,
                remedy="remove it: <connect>, <weld>, <joint joint1=... joint2=...> and sums of fixed tendons have one",
            )
        kept.append(child)
    return replace(section, children=tuple(kept))


def _is_linear_sum(constraint: Element, coupled: frozenset[str]) -> bool:
    """Whether an equality constraint is linear in fixed tendons."""
    ends = {constraint.attributes[end] for end in ("tendon1", "tendon2") if end in constraint.attributes}
    bends = constraint.attributes.get("polycoef", "").split()[2:]
    return constraint.tag == "tendon" and ends <= coupled and not any(map(_is_not_zero, bends))


def _described(element: Element) -> str:
    ends = [f'{key}="{value}"' for key, value in element.attributes.items() if key in ("name", "body1", "body2")]
    return f"<{' '.join([element.tag, *ends])}>"


def _stripped_actuators(section: Element, context: MjcfContext) -> Element:
    """Actuators on joints: their force limits, gears and rotors. Muscles act through their length, and are removed."""
    kept = [
        child
        for child in section.children
        if child.tag not in ("muscle", "plugin") and not any(end in child.attributes for end in _FAR_ENDS)
    ]
    for actuator in kept:
        _check_ranges(actuator, context.attributes(actuator, OUTERMOST, actuator.tag))
    return replace(section, children=tuple(kept))


def _stripped_compiler(element: Element) -> Element:
    # With fusestatic, MuJoCo would forget the frames of welded bodies.
    gone = (*_FOLDER_SETTINGS, "fusestatic")
    return replace(element, attributes={name: value for name, value in element.attributes.items() if name not in gone})


def _without_assets(element: Element) -> Element:
    """The element and all in it without references to assets."""
    attributes = {name: value for name, value in element.attributes.items() if name not in _OPEN_FILES}
    return replace(element, attributes=attributes, children=tuple(_without_assets(child) for child in element.children))


def _as_it_is(element: Element) -> Element:
    return element


def _check_copies(element: Element) -> float:
    """How many elements MuJoCo will make of one; raises `RobotFileError` where nested <replicate>s make too many."""
    total = 1.0 + sum(_check_copies(child) for child in element.children)
    if element.tag == "replicate":
        written = element.attributes.get("count", "1").strip()
        total *= int(written) if written.isascii() and written.isdecimal() and len(written) < 10 else 1.0
        if total > TUNING.replicated_elements:
            raise RobotFileError(
                f"{element} gives more than {TUNING.replicated_elements} elements",
                where=element.where,
                remedy="make fewer copies",
            )
    return total


def _check_finite(root: Element) -> None:
    """Refuse NaN, infinity and hexadecimal numbers, which MuJoCo accepts, and an eulerseq with unknown axes."""
    for compiler in root.all("compiler"):
        sequence = compiler.attributes.get("eulerseq", "xyz")
        if len(sequence) != 3 or not set(sequence) <= set("xyzXYZ"):
            raise RobotFileError(
                f'eulerseq is "{sequence}"', where=compiler.where, remedy="give three of x, y, z, X, Y, Z"
            )
    for element in root.walk():
        for name, value in element.attributes.items():
            if name not in _NAMES and any(_is_not_finite(word) for word in value.split()):
                raise RobotFileError(
                    f'{name} of {element} is "{value}"', where=element.where, remedy="write finite decimal numbers"
                )


def _is_not_finite(word: str) -> bool:
    if word.lstrip("+-")[:2] in ("0x", "0X"):
        return True
    try:
        return not math.isfinite(float(word))
    except ValueError:
        return False  # a keyword; or a number that MuJoCo will refuse with its line
