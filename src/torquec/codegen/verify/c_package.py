"""A generated C package read back: its functions, their arrays, and their statements evaluated by Python.

Only what Torquec writes is read; anything else in a body is refused with its text. Arithmetic is NumPy's in the
package's own type, operation by operation in the order of the text, which rounds as C does without contraction. Sine
and cosine are those of :mod:`torquec.codegen.sincos`. Python's parser reads the expressions, whose grammar is the
same; only the few constructs that Torquec writes are evaluated.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from torquec.codegen.sincos import sincos_reference, single_sincos_reference
from torquec.errors import ArgumentError
from torquec.foundation.arrays import AnyArray
from torquec.foundation.reading import FileKind, is_folder, read_text

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_PROTOTYPE = re.compile(r"^void (\w+)\(([^)]*)\);", re.MULTILINE)
_PARAMETER = re.compile(r"(const )?(double|float) (?:\*(\w+)|(\w+)\[(\d+)\])")
_OURS = "written by torquec"


@dataclass(frozen=True)
class CArray:
    """A parameter: its name and its length."""

    name: str
    size: int


@dataclass(frozen=True)
class CFunction:
    """A function of a package: inputs, outputs, and the statements of its body in order, without semicolons."""

    name: str
    inputs: tuple[CArray, ...]
    outputs: tuple[CArray, ...]
    statements: tuple[str, ...]


@dataclass(frozen=True)
class CPackageText:
    """A package on disk: its folder, the prefix of its names, `double` or `float`, and its functions."""

    directory: Path
    prefix: str
    real: str
    functions: tuple[CFunction, ...]

    @property
    def source(self) -> Path:
        """The file with the functions."""
        return self.directory / f"{self.prefix}.c"


def read_c_package(directory: Path) -> CPackageText:
    """The C package in a folder. Raises `ArgumentError` where there is none, or more than one."""
    where = str(directory)
    if not is_folder(directory):
        raise ArgumentError("there is no such folder", where=where, remedy="name the folder that `generate -o` wrote")
    found = [path.stem for path in sorted(directory.glob("*.c")) if path.with_suffix(".h").is_file()]
    found = [stem for stem in found if _OURS in _plain(directory / f"{stem}.h")[:400]]
    if len(found) != 1:
        what = "no C package of Torquec" if not found else f"more than one C package: {', '.join(found)}"
        raise ArgumentError(what, where=where, remedy="name a folder that `torquec generate -o` wrote")
    prefix = found[0]
    header = _COMMENT.sub(" ", _plain(directory / f"{prefix}.h"))
    source = _COMMENT.sub(" ", _plain(directory / f"{prefix}.c"))
    functions = tuple(_function(name, listed, source, where) for name, listed in _PROTOTYPE.findall(header))
    if not functions:
        raise ArgumentError("the header declares no function", where=where, remedy="generate the package again")
    real = "float" if re.search(r"^void \w+\([^)]*\bfloat\b", header, re.MULTILINE) else "double"
    return CPackageText(directory, prefix, real, functions)


def _plain(path: Path) -> str:
    return read_text(path, FileKind.PACKAGE)


def _function(name: str, listed: str, source: str, where: str) -> CFunction:
    inputs: list[CArray] = []
    outputs: list[CArray] = []
    for part in listed.split(","):
        words = " ".join(part.split())
        if words == "void":
            continue
        match = _PARAMETER.fullmatch(words)
        if match is None:
            raise ArgumentError(
                f"'{name}' has the parameter '{words}'", where=where, remedy="generate the package again"
            )
        constant, _, pointer, array, size = match.groups()
        (inputs if constant else outputs).append(CArray(array or pointer, int(size or 0)))
    body = re.search(rf"^void {re.escape(name)}\([^)]*\)\s*\{{(.*?)^\}}", source, re.MULTILINE | re.DOTALL)
    if body is None:
        raise ArgumentError(f"'{name}' is declared and not defined", where=where, remedy="generate the package again")
    statements = tuple(" ".join(part.split()) for part in body.group(1).split(";") if part.strip())
    return CFunction(name, tuple(inputs), tuple(outputs), statements)


_NAMED = re.compile(r"const (?:double|float) (v\d+) = (.*)")
_ANGLES = re.compile(r"const (?:double|float) x(\d+)\[4\] = \{(.*)\}")
_PLACES = re.compile(r"(?:double|float) [sc]\d+\[[1-4]\]|\(void\)\w+")
_SINCOS = re.compile(r"\w+_sincos4_*\(x(\d+), s\1, c\1\)")
_SINCOS_OF_ONE = re.compile(r"\w+_sincos1_*\((.*), &s(\d+)\[(\d)\], &c\2\[\3\]\)")
_RESULT = re.compile(r"(\w+)\[(\d+)\] = (.*)")
_CHOICE = re.compile(r"\((.*) (>=|<=) (-?0\.0f?)\) \? (.*) : (.*)")
_SUFFIX = re.compile(r"(?<=[0-9.])f\b")
_CAST_NAN = re.compile(r"\((?:double|float)\)NAN")

_OPERATORS: Mapping[type, Any] = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide}
_CALLS: Mapping[str, Any] = {
    "sqrt": np.sqrt,
    "exp": np.exp,
    "atan2": np.arctan2,
    "fabs": np.abs,
    "smaller": lambda a, b: np.where((a < b) | np.isnan(a), a, b),
    "larger": lambda a, b: np.where((a > b) | np.isnan(a), a, b),
}
_NUMBERS = {"HUGE_VAL": math.inf, "HUGE_VALF": math.inf, "NAN": math.nan}


def evaluate_c(function: CFunction, inputs: Mapping[str, AnyArray], real: str) -> dict[str, AnyArray]:
    """Outputs (N, size) by name for inputs (N, size) by name.

    Raises `ArgumentError` for a statement that Torquec does not write.
    """
    return _Evaluation(function, inputs, np.float32 if real == "float" else np.float64).outputs()


class _Evaluation:
    """Walks over the statements and keeps the value of every name."""

    def __init__(self, function: CFunction, inputs: Mapping[str, AnyArray], kind: Any) -> None:
        self._function, self._kind = function, kind
        self._arrays: dict[str, list[Any]] = {
            array.name: [inputs[array.name][:, k].astype(kind) for k in range(array.size)] for array in function.inputs
        }
        self._states = next((len(inputs[array.name]) for array in function.inputs if array.size), 1)
        self._values: dict[str, Any] = {}
        self._results: dict[str, dict[int, Any]] = {array.name: {} for array in function.outputs}

    def outputs(self) -> dict[str, AnyArray]:
        with np.errstate(all="ignore"):
            for statement in self._function.statements:
                self._execute(statement)
        return {
            array.name: np.stack(
                [np.broadcast_to(self._results[array.name][k], self._states) for k in range(array.size)], axis=1
            ).astype(self._kind)
            if array.size
            else np.zeros((self._states, 0), self._kind)
            for array in self._function.outputs
        }

    def _execute(self, statement: str) -> None:
        if match := _NAMED.fullmatch(statement):
            self._values[match.group(1)] = self._text(match.group(2))
        elif match := _ANGLES.fullmatch(statement):
            self._arrays[f"x{match.group(1)}"] = [self._text(part) for part in match.group(2).split(",")]
        elif match := _SINCOS.fullmatch(statement):
            number = match.group(1)
            given = self._arrays[f"x{number}"]
            pairs = [
                (single_sincos_reference if self._kind is np.float32 else sincos_reference)(angle) for angle in given
            ]
            self._arrays[f"s{number}"], self._arrays[f"c{number}"] = ([pair[k] for pair in pairs] for k in (0, 1))
        elif match := _SINCOS_OF_ONE.fullmatch(statement):
            angle, number, place = match.groups()
            pair = (single_sincos_reference if self._kind is np.float32 else sincos_reference)(self._text(angle))
            for letter, value in zip("sc", pair, strict=True):
                known = self._arrays.setdefault(f"{letter}{number}", [])
                if len(known) != int(place):
                    raise self._refused(statement)
                known.append(value)
        elif (match := _RESULT.fullmatch(statement)) and match.group(1) in self._results:
            self._results[match.group(1)][int(match.group(2))] = self._text(match.group(3))
        elif not _PLACES.fullmatch(statement):
            raise self._refused(statement)

    def _text(self, text: str) -> Any:
        plain = text.strip()
        if match := _CHOICE.fullmatch(plain):
            condition, order, zero, yes, no = match.groups()
            sides = self._text(condition), self._text(zero)
            holds = sides[0] >= sides[1] if order == ">=" else sides[0] <= sides[1]
            return np.where(holds, self._text(yes), self._text(no))
        try:
            tree = ast.parse(_SUFFIX.sub("", _CAST_NAN.sub("NAN", plain)), mode="eval")
        except (SyntaxError, ValueError, RecursionError):
            raise self._refused(text) from None
        return self._node(tree.body, text)

    def _node(self, node: ast.expr, text: str) -> Any:
        match node:
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](self._node(left, text), self._node(right, text))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return np.negative(self._node(operand, text))
            case ast.Constant(value=float() as value):
                return self._kind(value)
            case ast.Name(id=name) if name in self._values:
                return self._values[name]
            case ast.Name(id=name) if name in _NUMBERS:
                return self._kind(_NUMBERS[name])
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=int() as k)) if name in self._arrays:
                return self._arrays[name][k]
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                word = name.rstrip("_").rpartition("_")[2].removesuffix("f") or name
                if word in _CALLS:
                    return self._kind_of(_CALLS[word](*(self._node(argument, text) for argument in args)))
        raise self._refused(text)

    def _kind_of(self, value: Any) -> Any:
        return np.asarray(value, self._kind)

    def _refused(self, statement: str) -> ArgumentError:
        return ArgumentError(
            f"'{self._function.name}' holds '{statement[:80]}', which Torquec does not write",
            remedy="generate the package again",
        )
