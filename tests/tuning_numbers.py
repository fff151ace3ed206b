"""Tuning constants of the package: module-level numbers that were chosen by judgement; a house rule counts them.

A number is not counted where one of these rules explains it:

(1)  it is a field of a tuning record (`tuning.py`), which gives its name, unit and reason
(2)  its file writes or reads a format, makes code or a page, or has a paper's printed numbers (`OF_FORMATS`)
(3)  its name says that it is for readers (`_DIGITS`, `_WIDTH`, `_COLUMNS`)
(4)  it is a whole number up to three, a power of two, a half, or zeros and ones
(5)  it is below 1e-8: an allowance for the rounding of doubles
(6)  it is 1e9 or more: a sentinel, or nanoseconds of a second
(7)  it is written as a quotient or a power, such as 1/6 or 2^53
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "torquec"
OF_FORMATS = (
    "cli/",
    "codegen/",
    "page/",
    "papers/",
    "realtime/runtime/",
    "report/",
    "robot/classics/",
    "closedform/html.py",
    "closedform/latex.py",
    "closedform/symbolic_latex.py",
    "closedform/text.py",
    "foundation/writing.py",
)
FOR_READERS = re.compile(r"_?(\w+_)?(DIGITS|WIDTH|COLUMNS|NAMED|SHOWN)$")
LARGEST_ROUNDING = 1e-8
SMALLEST_SENTINEL = 1e9


def tuning_numbers(path: Path) -> Iterator[tuple[int, str]]:
    """Line and name of every tuning constant of a source file."""
    name = path.relative_to(PACKAGE).as_posix()
    if path.name == "tuning.py" or name.startswith(OF_FORMATS):
        return
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        pairs = [(target, node.value)]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(target.elts, node.value.elts, strict=True))
        for each, value in pairs:
            numbers = list(numbers_of(value))
            if numbers and not FOR_READERS.match(ast.unparse(each)) and not all(map(is_explained, numbers)):
                yield node.lineno, ast.unparse(each)


def numbers_of(value: ast.expr) -> Iterator[ast.expr]:
    """The numbers of a literal, those of a tuple one by one; nothing for what is computed by calls or from names."""
    if isinstance(value, ast.Tuple):
        parts = [list(numbers_of(part)) for part in value.elts]
        yield from (each for part in parts for each in part) if all(parts) else ()
    elif all(is_arithmetic(part) for part in ast.walk(value)):
        yield value


def is_arithmetic(node: ast.AST) -> bool:
    """A number, or an operation of numbers."""
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    return isinstance(node, ast.BinOp | ast.UnaryOp | ast.operator | ast.unaryop)


def is_explained(number: ast.expr) -> bool:
    """(4) to (7)."""
    if any(isinstance(part, ast.Div | ast.Pow) for part in ast.walk(number)):
        return True
    value = abs(eval(ast.unparse(number), {"__builtins__": {}}))  # an expression of numbers alone
    whole = float(value).is_integer() and (value <= 3 or int(value) & (int(value) - 1) == 0)
    return whole or value == 0.5 or value < LARGEST_ROUNDING or value >= SMALLEST_SENTINEL
