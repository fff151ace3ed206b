"""MJCF text before MuJoCo sees it: included files put in place, and paths kept inside the robot's folder.

`<include file="..."/>` is replaced by the children of that file's root, as MuJoCo does, and only from the folder of the
robot file or below it. Assets are never opened; a name that points out of the folder is refused all the same.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath

from torquec.errors import RobotFileError
from torquec.foundation.reading import FileKind, read_bytes
from torquec.robot.xml import Element, parse_xml

_FOLDERS = {"mesh": "meshdir", "skin": "meshdir", "hfield": "assetdir", "texture": "texturedir", "model": "assetdir"}


def read_mjcf_tree(path: Path) -> Element:
    """The root element of an MJCF file, with everything that it includes.

    Raises `RobotFileError` for what is not MJCF, for a file that is included twice and for paths that leave the folder.
    """
    root = parse_xml(read_bytes(path, FileKind.ROBOT), str(path))
    if root.tag != "mujoco":
        raise RobotFileError(
            f"the document is <{root.tag}>, not <mujoco>",
            where=root.where,
            remedy="give an MJCF file, URDF, or a DH table",
        )
    whole = _with_includes(root, path.parent, {path.resolve()})
    _check_assets(whole)
    return whole


def _with_includes(element: Element, folder: Path, seen: set[Path]) -> Element:
    """The element with its <include> children replaced by what they name."""
    children: list[Element] = []
    for child in element.children:
        if child.tag == "include":
            children += _included(child, folder, seen)
        else:
            children.append(_with_includes(child, folder, seen))
    return replace(element, children=tuple(children))


def _included(include: Element, folder: Path, seen: set[Path]) -> tuple[Element, ...]:
    name = include.attribute("file")
    if _leaves(name):
        raise _outside(name, include)
    path = (folder / name).resolve()
    # A symbolic link may still lead out of the folder.
    if not path.is_relative_to(folder.resolve()):
        raise _outside(name, include)
    if path in seen:
        raise RobotFileError(f'"{name}" is included twice', where=include.where, remedy="include each file once")
    seen.add(path)
    root = parse_xml(read_bytes(path, FileKind.ROBOT), str(folder / name))
    return _with_includes(root, folder, seen).children


def _check_assets(root: Element) -> None:
    compiler: dict[str, str] = {}
    for element in root.all("compiler"):
        compiler |= element.attributes
    for asset in (asset for section in root.all("asset") for asset in section.children):
        name = asset.attributes.get("file", "")
        folder = compiler.get(_FOLDERS.get(asset.tag, ""), compiler.get("assetdir", ""))
        if name and (_leaves(name) or _leaves(f"{folder}/{name}" if folder else name)):
            raise _outside(f"{folder}/{name}" if folder else name, asset)


def _leaves(name: str) -> bool:
    """Does a relative path climb above where it starts, or is it not relative at all?"""
    if name.startswith(("/", "\\")) or PureWindowsPath(name).drive:
        return True
    depth = 0
    for step in PurePosixPath(name.replace("\\", "/")).parts:
        depth += -1 if step == ".." else 1
        if depth < 0:
            return True
    return False


def _outside(name: str, element: Element) -> RobotFileError:
    return RobotFileError(
        f'the path "{name}" of {element} leaves the robot\'s folder',
        where=element.where,
        remedy="use a path inside the folder of the robot file; dynamics opens no assets: they can go",
    )
