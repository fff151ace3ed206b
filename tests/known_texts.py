"""The table of fixed texts that `torquec_check` knows packages by, made from the writers of the packages.

python -m tests.known_texts           writes src/torquec_check/known_texts.json
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from torquec.codegen.c.names import SCALARS
from torquec.codegen.c.package import c_package
from torquec.expr import trace
from torquec.expr.math import maximum, minimum, sincos
from torquec.model.certified_package import SIMPLIFIED_NOTE
from torquec.model.quantities import QUANTITIES

TABLE = Path(__file__).parents[1] / "src" / "torquec_check" / "known_texts.json"

_PREFIX, _END = "qqPREFIXqq", "qqENDqq"
"""A package's name, and the end of its description: words that no text has otherwise."""

_COUNTS = r"(?:\d+ (?:mul|add|div|sincos|other)(?:, (?=\d))?)+"

_KERNELS = {
    "": lambda q: q[0] * q[0],
    "sincos": lambda q: sincos(q[0])[0],
    "smaller": lambda q: minimum(q[0], 2.0),
    "larger": lambda q: maximum(q[0], 2.0),
}


def known_texts_table() -> str:
    """The text of the table."""
    lines = [f" {json.dumps(name)}: {json.dumps(text.replace(_PREFIX, 'PREFIX'))}" for name, text in _texts()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _texts() -> Iterator[tuple[str, str]]:
    """Every text by its name, with the package's name as `_PREFIX`."""
    for precision, scalar in SCALARS.items():
        real = scalar.type
        head = ""
        for kernel, algorithm in _KERNELS.items():
            function = trace("f", lambda q, of=algorithm: {"y": of(q)}, {"q": (1,)})
            made = c_package([function], prefix=_PREFIX, description=_END, notes={"f": _END}, precision=precision)
            source, header = made[f"{_PREFIX}.c"], made[f"{_PREFIX}.h"]
            before = source[: source.index("/* f: ") - 1]
            if kernel:
                yield f"{kernel} {real}", before[len(head) :].lstrip()
            else:
                head = before
                if real == "double":
                    yield "includes", head[head.index("*/") + 2 :].lstrip()
                    yield "build", made["CMakeLists.txt"]
                yield f"usage {real}", _comment(header, 0).split(_END)[1].strip()
            if kernel == "sincos" and real == "float":
                _, _, cost = _comment(header, 1).split(_END)[0].partition("sincos ")
                yield "cost", re.sub(_COUNTS, "#", cost).strip()
    for name, quantity in QUANTITIES.items():
        yield f"note {name}", f"{quantity.summary} {SIMPLIFIED_NOTE}"


def _comment(text: str, number: int) -> str:
    """The words of a comment of C, in one line."""
    found = re.findall(r"/\*(.*?)\*/", text, re.DOTALL)[number]
    return " ".join(re.sub(r"^ \*", "", found, flags=re.MULTILINE).split())


if __name__ == "__main__":
    TABLE.write_text(known_texts_table(), encoding="ascii")
