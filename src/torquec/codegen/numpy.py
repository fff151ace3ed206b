"""The NumPy module: one Python file with plain functions, which needs nothing but NumPy.

Each function takes one state or a batch of N, like `torquec.expr.evaluate`, and gives its outputs in order.
"""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from torquec.codegen.identifiers import c_identifier, check_names, prefix_identifier
from torquec.codegen.statements import Angles, Dialect, to_program
from torquec.expr import Function, Op, Port, check_function, count_operations

_CLASH = re.compile(r"v[0-9]+|np")
_WIDTH = 100  # of lines, which Python projects often limit to 100

_HEAD = '''\
"""{heading}

Every function takes one state or a batch of N states (an array with one more axis in front) and gives its
outputs likewise, in order. Units are SI and radians unless a function says otherwise. Needs only NumPy.
"""

import numpy as np


def _columns(*given):
    """The leading shape, () or (N,), and for each (name, value, shape) its elements along the first axis."""
    batch, columns = set(), []
    for name, value, shape in given:
        array = np.asarray(value, dtype=float)
        if array.shape == shape:
            columns.append(array.reshape(-1))
        elif array.shape[1:] == shape and array.ndim == len(shape) + 1:
            batch.add(len(array))
            columns.append(array.reshape(len(array), int(np.prod(shape))).T)
        else:
            raise ValueError(f"{{name}} has shape {{array.shape}}, expected {{shape}} or (N, ...)")
    if len(batch) > 1:
        raise ValueError(f"batches of different lengths: {{sorted(batch)}}")
    return tuple(batch), columns


def _rows(lead, shape, values):
    """An array of the leading shape and `shape` from its elements."""
    flat = np.empty((*lead, len(values)))
    for k, value in enumerate(values):
        flat[..., k] = value
    return flat.reshape((*lead, *shape))
'''

_CALLS = {
    Op.SIN: "np.sin({})",
    Op.COS: "np.cos({})",
    Op.SQRT: "np.sqrt({})",
    Op.EXP: "np.exp({})",
    Op.ATAN2: "np.arctan2({}, {})",
    Op.ABS: "np.abs({})",
    Op.MIN: "np.minimum({}, {})",
    Op.MAX: "np.maximum({}, {})",
    Op.SELECT: "np.where({} {order} 0.0, {}, {})",
}


def numpy_package(functions: Sequence[Function], *, prefix: str, **texts: Any) -> dict[str, str]:
    """The module `<prefix>.py` of `numpy_module` by its file name."""
    name = python_identifier(prefix_identifier(prefix))
    return {f"{name}.py": numpy_module(functions, prefix=prefix, **texts)}


def numpy_module(
    functions: Sequence[Function], *, prefix: str, description: str = "", notes: Mapping[str, str] | None = None
) -> str:
    """The text of the module.

    Names that Python does not allow are escaped. `description` goes to the module's docstring, `notes[name]` to a
    function's. Raises `ArgumentError` when two functions have the same name.
    """
    check_names(functions)
    heading = _docstring(f"{prefix}: written by torquec.\n{description}".rstrip())
    parts = [_HEAD.format(heading=heading)]
    for function in functions:
        check_function(function)
        parts.append(_definition(function, (notes or {}).get(function.name, "")))
    return "\n\n".join(parts)


def python_identifier(name: str) -> str:
    """The Python identifier of a name: its C identifier, changed where it is a keyword or one of the module's names.

    >>> python_identifier("mass_matrix"), python_identifier("lambda"), python_identifier("np")
    ('mass_matrix', 'lambda_', 'np_')
    """
    spelled = c_identifier(name)
    return f"{spelled}_" if keyword.iskeyword(spelled) or _CLASH.fullmatch(spelled) else spelled


def _definition(function: Function, note: str) -> str:
    ports: dict[str, str] = {}
    for port in (*function.inputs, *function.outputs):
        name = python_identifier(port.name)
        while name in ports.values():
            name += "_"
        ports[port.name] = name
    dialect = Dialect(
        number=_number,
        element=lambda port, element: f"{ports[port]}[{element}]",
        calls=_CALLS,
        gathers_angles=False,
        width=_WIDTH - 16,
    )
    program = to_program(function, dialect)
    names = [ports[port.name] for port in function.inputs]
    lines = ['@np.errstate(all="ignore")', f"def {python_identifier(function.name)}({', '.join(names)}):"]
    lines += _documentation(function, ports, note)
    given = [f'("{ports[port.name]}", {ports[port.name]}, {port.shape})' for port in function.inputs]
    target = "_lead, [" + ", ".join(names) + "]" if names else "_lead, _"
    lines += _call(f"    {target} = _columns(", given, ")")
    for statement in program.statements:
        assert not isinstance(statement, Angles)
        lines.append(f"    {statement.name} = {statement.text}")
    results = []
    for port, texts in zip(function.outputs, program.results, strict=True):
        lines += _call(f"    {ports[port.name]} = _rows(_lead, {port.shape}, [", list(texts), "])")
        results.append(ports[port.name])
    return "\n".join([*lines, f"    return {', '.join(results)}", ""])


def _documentation(function: Function, ports: Mapping[str, str], note: str) -> list[str]:
    def row(kind: str, port: Port) -> str:
        return f"    {kind:<4} {ports[port.name]}: {port.shape} or {('N', *port.shape)}".replace("'", "")

    lines = [f'    """{_docstring(function.name)}: {count_operations(function)}.', ""]
    if note:
        lines += ["    " + _docstring(note), ""]
    lines += [row("in", port) for port in function.inputs]
    lines += [row("out", port) for port in function.outputs]
    return [*lines, '    """']


def _call(head: str, arguments: list[str], tail: str) -> list[str]:
    """A call on one line, or with one argument per line where that would be too long."""
    line = head + ", ".join(arguments) + tail
    if len(line) <= _WIDTH:
        return [line]
    return [head, *(f"        {argument}," for argument in arguments), f"    {tail}"]


def _number(value: float) -> str:
    if math.isnan(value):
        return "np.nan"
    if math.isinf(value):
        return "np.inf" if value > 0.0 else "-np.inf"
    return repr(float(value))


def _docstring(text: str) -> str:
    """Any text as part of a docstring: ASCII, unable to end it."""
    plain = text.encode("ascii", "backslashreplace").decode().replace("\\", "/").replace('"', "'")
    return "".join(c if c == "\n" or c.isprintable() else " " for c in plain)
