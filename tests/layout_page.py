"""The page docs/source-files.md: `python -m tests.layout_page` rewrites its tables from the docstrings.

Text between the tables is written by hand and stays. Rows keep their order, rows of files that are gone disappear, new
files come last in the table of their room; move them to where data passes them. A room without a heading is refused:
what it takes and gives has to be said by hand. No row stands twice.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "torquec"
PAGE = ROOT / "docs" / "source-files.md"
MAP = ROOT / "docs" / "layout.md"
_ROW = re.compile(r"^\| `([^`]+\.py)` \|.*\n", flags=re.MULTILINE)
_ROOM = re.compile(r"^## `([a-z]+)/`$", flags=re.MULTILINE)


def first_line(path: Path) -> str:
    """The first line of a module's docstring, without its full stop."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n")[0].rstrip(".")


def sources() -> dict[str, Path]:
    """Every source file that the page lists, by its name on the page; an `__init__` only where it holds more."""
    found = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}
    return {name: path for name, path in found.items() if not name.endswith("__init__.py") or name in _LISTED_INITS}


_LISTED_INITS = ("__init__.py", "robot/classics/__init__.py")


def true_page(page: str) -> str:
    """The page with its tables brought up to date; raises `ValueError` for rooms that have no heading, or two."""
    files = sources()
    rooms, headings = {name.split("/")[0] for name in files if "/" in name}, _ROOM.findall(page)
    wrong = sorted(rooms ^ set(headings)) + [room for room in rooms if headings.count(room) > 1]
    if wrong:
        raise ValueError(f"docs/source-files.md: each room needs one heading, as in ## `{wrong[0]}/`, above a table")
    order = [name for name in dict.fromkeys(_ROW.findall(page)) if name in files]
    order += [name for name in files if name not in order]
    parts = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    return "".join(_true_part(part, order, files) for part in parts)


def _true_part(part: str, order: list[str], files: dict[str, Path]) -> str:
    room = _ROOM.search(part)
    if room is None and not part.startswith("## The package"):
        return part
    begin = f"{room[1]}/" if room else ""
    mine = [name for name in order if name.startswith(begin) and (room is not None or "/" not in name)]
    rows = "".join(f"| `{name}` | {first_line(files[name])} |\n" for name in mine)
    without = _ROW.sub("", part)
    return without.replace("|---|---|\n", f"|---|---|\n{rows}", 1)


if __name__ == "__main__":
    PAGE.write_text(true_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
