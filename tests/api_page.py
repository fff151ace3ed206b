"""Public names: `python -m tests.api_page` writes docs/api.md, and the imports that type checkers read, from one table.

The table is `API` in `torquec/__init__.py`: names by task and by the module that holds them.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import torquec

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "api.md"
INIT = ROOT / "src" / "torquec" / "__init__.py"
_BLOCK = re.compile(r"(?<=^if TYPE_CHECKING:\n).*?(?=^\S)", flags=re.MULTILINE | re.DOTALL)

HEAD = """# Python API

Everything that `import torquec as tq` offers, by task. Each name is imported when it is first used. The links lead to
the source, where arguments, shapes and errors are described; `help(tq.load)` shows the same. This page is made from the
table in `torquec/__init__.py`.
"""


def true_page() -> str:
    """The page: one table per task, one line and link per name."""
    parts = [HEAD]
    for task, homes in torquec.API.items():
        rows = [
            f"| [`{name}`](../src/{_source(name)}) | {_summary(name)} |" for names in homes.values() for name in names
        ]
        parts.append("\n".join([f"## {task}", "", "| name | what it is |", "|---|---|", *rows, ""]))
    return "\n".join(parts)


def true_init(text: str) -> str:
    """The package's source with the imports that the table asks for."""
    homes: dict[str, list[str]] = {}
    for modules in torquec.API.values():
        for home, names in modules.items():
            homes.setdefault(home, []).extend(names)
    lines = []
    for home in sorted(homes):
        lines += [f"    from {home} import {name} as {name}\n" for name in sorted(homes[home])]
    return _BLOCK.sub("".join(lines) + "\n", text, count=1)


def _source(name: str) -> str:
    """The file that defines a name, from the folder `src`."""
    found = getattr(torquec, name)
    module = inspect.getmodule(found)
    path = Path(inspect.getfile(found if module is None else module))
    return path.relative_to(ROOT / "src").as_posix()


def _summary(name: str) -> str:
    """The first sentence of its docstring, on one line."""
    text = inspect.getdoc(getattr(torquec, name)) or ""
    first = re.split(r"\n\n|(?<=\.)\s", text, maxsplit=1)[0]
    return " ".join(first.split()).rstrip(".").replace("|", r"\|")


if __name__ == "__main__":
    INIT.write_text(true_init(INIT.read_text(encoding="utf-8")), encoding="utf-8")
    PAGE.write_text(true_page(), encoding="utf-8")
