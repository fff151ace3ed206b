"""Public names: `python -m tests.api_page` writes docs/api.md, and the imports that type checkers read, from one table.

The table is `API` in `torquec/__init__.py`: names by task and by the module that holds them.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import torquec
from torquec.model.quantities import QUANTITIES, Quantity

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "api.md"
TYPED = ROOT / "src" / "torquec" / "typed_names.pyi"
QUANTITY_STUB = ROOT / "src" / "torquec" / "model" / "typed_quantities.pyi"

HEAD = """# Python API

Everything that `import torquec as tq` offers, by task. Each name is imported when it is first used. In the site a name
leads to its reference (signature, arguments with shapes, errors, examples), in this file to its source; `help(tq.load)`
shows the same. This page is made from the table in `torquec/__init__.py`.
"""

TYPED_HEAD = '''"""The public names for type checkers, which do not follow names that are imported on their first use.

Made from the table `API` in `torquec/__init__.py` by `python -m tests.api_page`; nothing imports it when it runs.
"""

'''


def true_page() -> str:
    """The page: one table per task, one line and link per name."""
    parts = [HEAD]
    for task, homes in torquec.API.items():
        rows = [
            f"| [`{name}`](../src/{_source(name)}) | {_summary(name)} |" for names in homes.values() for name in names
        ]
        parts.append("\n".join([f"## {task}", "", "| name | what it is |", "|---|---|", *rows, ""]))
    return "\n".join(parts)


def true_typed_names() -> str:
    """The imports that the table asks for, as the module that type checkers read."""
    homes: dict[str, list[str]] = {}
    for modules in torquec.API.values():
        for home, names in modules.items():
            homes.setdefault(home, []).extend(names)
    homes["torquec"] = ["realtime"]
    lines = [TYPED_HEAD]
    for home in sorted(homes):
        lines += [_typed_import(home, name) for name in sorted(homes[home])]
    return "".join(lines)


QUANTITY_HEAD = '''"""Signatures of a model's quantities for type checkers and editors.

Made from the table `QUANTITIES` in `torquec/model/quantities.py` by `python -m tests.api_page`; nothing imports it when
it runs. Inputs are (n,) or, for a batch, (N, n); docstrings give the shapes of one result.
"""

from typing import Protocol

from numpy.typing import ArrayLike

from torquec.foundation.arrays import Array

class TypedQuantities:
'''


def true_quantity_stub() -> str:
    """A method for each quantity, and for those of a frame the type of the callable."""
    rows = QUANTITIES.items()
    methods = [_signature(name, row) for name, row in rows if not row.of_frame]
    calls = [
        f"class {''.join(map(str.capitalize, name.split('_')))}(Protocol):\n" + _signature("__call__", row)
        for name, row in rows
        if row.of_frame
    ]
    return QUANTITY_HEAD + "\n".join([*methods, *calls])


def _signature(name: str, row: Quantity) -> str:
    result = "Array" if len(row.outputs) == 1 else f"tuple[{', '.join(['Array'] * len(row.outputs))}]"
    inputs = ", ".join(f"{port}: ArrayLike" for port in row.inputs)
    line = f"    def {name}(self, {inputs}, *, out: {result} | None = None) -> {result}:"
    if len(line) > 120:
        parts = [f"        {port}: ArrayLike," for port in row.inputs]
        parts += ["        *,", f"        out: {result} | None = None,"]
        line = "\n".join([f"    def {name}(", "        self,", *parts, f"    ) -> {result}:"])
    return f'{line}\n        """{row.summary}"""\n'


def _typed_import(home: str, name: str) -> str:
    """One import, in parentheses where it is longer than a line of 120 characters, as ruff formats it."""
    line = f"from {home} import {name} as {name}\n"
    return line if len(line) <= 121 else f"from {home} import (\n    {name} as {name},\n)\n"


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
    TYPED.write_text(true_typed_names(), encoding="utf-8")
    QUANTITY_STUB.write_text(true_quantity_stub(), encoding="utf-8")
    PAGE.write_text(true_page(), encoding="utf-8")
