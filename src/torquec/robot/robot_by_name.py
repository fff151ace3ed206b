"""Robots by name: the classics, and the robots of the package `robot_descriptions` where it is installed.

`robot_descriptions` has a module for each description, `NAME_description` with `URDF_PATH` or `XACRO_PATH`, or
`NAME_mj_description` with `MJCF_PATH`; importing one clones its repository once, into the package's own cache.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import re
from pathlib import Path

from torquec.errors import ArgumentError, MissingExtraError
from torquec.robot.classics import names as classic_names

_PACKAGE = "robot_descriptions"
_NAME = re.compile(r"[A-Za-z0-9_]+")
_PATHS = ("URDF_PATH", "MJCF_PATH", "XACRO_PATH")
_SLIP = 0.8
"""Similarity from which on a name counts as a typo: one letter of puma560, not planar3r for panda."""


def is_robot_name(argument: str) -> bool:
    """Whether an argument is a name rather than a file: letters, digits, underscores, and no such file.

    >>> is_robot_name("ur5e"), is_robot_name("ur5e.urdf"), is_robot_name("arms/ur5e")
    (True, False, False)
    """
    return _NAME.fullmatch(argument) is not None and not Path(argument).exists()


def described_robot(name: str, files: str) -> Path:
    """The robot file of a name in `robot_descriptions`: "panda", or exactly "panda_mj_description".

    `files` names the formats of robot files, for messages.

    Raises `MissingExtraError` without the extra `robots`, `ArgumentError` for a name that the package does not have and
    for a description that cannot be fetched.
    """
    if importlib.util.find_spec(_PACKAGE) is None:
        near = difflib.get_close_matches(name, classic_names(), cutoff=_SLIP)
        if near:
            remedy = f"did you mean {near[0]}? Files are {files}"
            raise ArgumentError(f"'{name}' is neither a file nor a classic", remedy=remedy)
        purpose = f"'{name}' is neither a file nor a classic: finding a robot by its name"
        raise MissingExtraError(_PACKAGE, "robots", purpose)
    for module_name in (f"{name}_description", f"{name}_mj_description", name):
        if importlib.util.find_spec(f"{_PACKAGE}.{module_name}") is None:
            continue
        try:
            module = importlib.import_module(f"{_PACKAGE}.{module_name}")
        except Exception as error:  # git, the network and the disk have errors of their own
            raise ArgumentError(
                f"the description '{module_name}' could not be fetched: {error}",
                remedy="check the network connection, or give a robot file",
            ) from error
        for attribute in _PATHS:
            if isinstance(path := getattr(module, attribute, None), str):
                return Path(path)
        raise ArgumentError(f"the description '{module_name}' has no URDF, MJCF or xacro", remedy="give a robot file")
    known = [*classic_names(), *_described_names()]
    near = difflib.get_close_matches(name, known, cutoff=_SLIP)
    guess = f"did you mean {' or '.join(near)}?" if near else f"give one of {', '.join(known)}."
    remedy = f"{guess} Files are {files}"
    raise ArgumentError(f"'{name}' is neither a file nor the name of a robot", remedy=remedy)


def _described_names() -> list[str]:
    """Names of all descriptions, as users type them."""
    spec = importlib.util.find_spec(_PACKAGE)
    folders = () if spec is None else spec.submodule_search_locations or ()
    files = (file.stem for folder in folders for file in Path(folder).glob("[a-z]*_description.py"))
    return sorted({stem.removesuffix("_description").removesuffix("_mj") for stem in files})
