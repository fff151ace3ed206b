"""A `Function` as a `casadi.Function` over SX scalars, for optimal control and for CasADi's own code generation.

Needs the extra `casadi`. CasADi stores matrices column by column; entry (i, j) stays entry (i, j).
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.codegen.identifiers import c_identifier, check_names, prefix_identifier
from torquec.errors import ExpressionError, MissingExtraError
from torquec.expr import Function, Op, Port, check_function, count_operations

if TYPE_CHECKING:
    import casadi

_USE = """\
Functions for CasADi: casadi.Function.load("{prefix}_NAME.casadi"). Units are SI and radians unless a function says \
otherwise; vectors are columns."""


def casadi_function(function: Function, *, name: str | None = None) -> casadi.Function:
    """The function in CasADi: same inputs and outputs by name; vectors are columns, scalars 1 x 1.

    `name` replaces the function's name; names that CasADi does not allow are escaped. Raises `MissingExtraError`
    without CasADi, `ExpressionError` for an array of more than two axes.
    """
    check_function(function)
    ca = _casadi()
    apply = _operations(ca)
    inputs = {port.name: ca.SX.sym(c_identifier(port.name), *_size(port)) for port in function.inputs}
    columns = {port.name: port.shape[1] if len(port.shape) == 2 else 1 for port in function.inputs}
    values: list[Any] = []
    for step in function.operations:
        if step.op is Op.CONST:
            values.append(ca.SX(step.value))
        elif step.op is Op.INPUT:
            row, column = divmod(step.element, columns[step.port])
            values.append(inputs[step.port][row, column])
        else:
            values.append(apply[step.op](*(values[arg] for arg in step.args)))
    outputs = []
    for port, result in zip(function.outputs, function.results, strict=True):
        rows, width = _size(port)
        # `reshape` fills columns, and a Function's matrices go row by row.
        outputs.append(ca.reshape(ca.vertcat(*(values[k] for k in result)), width, rows).T if result else ca.SX(0, 1))
    built: casadi.Function = ca.Function(
        _identifier(name or function.name),
        list(inputs.values()),
        outputs,
        [c_identifier(port.name) for port in function.inputs],
        [c_identifier(port.name) for port in function.outputs],
    )
    return built


def casadi_package(
    functions: Sequence[Function], *, prefix: str, description: str = "", notes: Mapping[str, str] | None = None
) -> dict[str, str | bytes]:
    """One file `<prefix>_<name>.casadi` per function, for `casadi.Function.load`, by file name.

    These files have no room for a comment: `description` and `notes` (by function) go to `<prefix>.casadi.txt`.
    """
    check_names(functions)
    contents: dict[str, str | bytes] = {}
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "function"
        for function in functions:
            name = f"{prefix_identifier(prefix)}_{c_identifier(function.name)}"
            casadi_function(function, name=name).save(str(path))
            contents[f"{name}.casadi"] = path.read_bytes()
    contents[f"{prefix_identifier(prefix)}.casadi.txt"] = _description(functions, prefix, description, notes or {})
    return contents


def _description(functions: Sequence[Function], prefix: str, description: str, notes: Mapping[str, str]) -> str:
    """The text of `<prefix>.casadi.txt`: description, and notes and ports of the functions."""
    begin = prefix_identifier(prefix)
    lines = [*f"{prefix}: written by torquec.\n{description}".rstrip().splitlines(), "", _USE.format(prefix=begin)]
    for function in functions:
        name = f"{begin}_{c_identifier(function.name)}"
        lines += ["", f"{name}: {count_operations(function)}"]
        lines += [f"  {notes[function.name]}"] if function.name in notes else []
        for kind, ports in (("in ", function.inputs), ("out", function.outputs)):
            lines += [
                f"  {kind}  {c_identifier(port.name)}: {rows} x {width}"
                for port in ports
                for rows, width in (_size(port),)
            ]
    plain = "\n".join(lines).encode("ascii", "backslashreplace").decode()
    return "".join(c if c == "\n" or c.isprintable() else " " for c in plain) + "\n"


def _operations(ca: Any) -> dict[Op, Callable[..., Any]]:
    """The CasADi function of each operation. Unlike in `torquec.expr`, its min and max ignore a NaN operand."""
    return {
        Op.ADD: lambda a, b: a + b,
        Op.SUB: lambda a, b: a - b,
        Op.MUL: lambda a, b: a * b,
        Op.DIV: lambda a, b: a / b,
        Op.NEG: lambda a: -a,
        Op.SIN: ca.sin,
        Op.COS: ca.cos,
        Op.SQRT: ca.sqrt,
        Op.EXP: ca.exp,
        Op.ATAN2: ca.atan2,
        Op.ABS: ca.fabs,
        Op.MIN: ca.fmin,
        Op.MAX: ca.fmax,
        Op.SELECT: lambda a, b, c: ca.if_else(a >= 0.0, b, c),
    }


def _size(port: Port) -> tuple[int, int]:
    if len(port.shape) > 2:
        raise ExpressionError(
            f"'{port.name}' has {len(port.shape)} axes, CasADi knows two", remedy="leave this function out"
        )
    rows = port.shape[0] if port.shape else 1
    return rows, port.shape[1] if len(port.shape) == 2 else 1


def _identifier(name: str) -> str:
    """A function name that CasADi accepts: no double underscores, no reserved words."""
    spelled = re.sub("_(?=_)", "_x5f", c_identifier(name))
    return f"{spelled}_x0_" if spelled in ("null", "jac", "hess") else spelled


def _casadi() -> Any:
    try:
        import casadi
    except ImportError as error:
        raise MissingExtraError("casadi", "casadi", "a CasADi function") from error
    return casadi
