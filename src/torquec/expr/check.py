"""Well-formedness of a `Function`: checked after tracing and before any back end."""

from __future__ import annotations

from torquec.errors import ExpressionError
from torquec.expr.function import Function
from torquec.expr.ops import SEMANTICS, Op

_ARITIES = {op: SEMANTICS[op].arity if op in SEMANTICS else 0 for op in Op}


def check_function(function: Function) -> None:
    """Raise `ExpressionError` unless every argument is defined before use, arities fit and ports are consistent."""
    problem = _ports_problem(function) or _operations_problem(function) or _results_problem(function)
    if problem:
        raise ExpressionError(
            f"function '{function.name}': {problem}", remedy="make functions with torquec.expr.trace, or save it again"
        )


def _ports_problem(function: Function) -> str:
    ports = (*function.inputs, *function.outputs)
    names = [port.name for port in ports]
    if len(set(names)) != len(names):
        return f"an input or output name occurs twice: {', '.join(names)}"
    for port in ports:
        if any(length < 0 for length in port.shape):
            return f"'{port.name}' has the negative shape {port.shape}"
    return ""


def _operations_problem(function: Function) -> str:
    sizes = {port.name: port.size for port in function.inputs}
    for k, step in enumerate(function.operations):
        arity = _ARITIES[step.op]
        if len(step.args) != arity:
            return f"step {k}, {step.op}, has {len(step.args)} arguments instead of {arity}"
        for arg in step.args:
            if not 0 <= arg < k:
                return f"step {k}, {step.op}, uses a value that is not yet defined"
        if step.op is Op.INPUT and not 0 <= step.element < sizes.get(step.port, 0):
            return f"step {k} reads {step.port}[{step.element}], which does not exist"
    return ""


def _results_problem(function: Function) -> str:
    if len(function.results) != len(function.outputs):
        return f"{len(function.outputs)} outputs have {len(function.results)} results"
    for port, values in zip(function.outputs, function.results, strict=True):
        if len(values) != port.size:
            return f"output '{port.name}' of shape {port.shape} has {len(values)} values"
        if any(not 0 <= value < len(function.operations) for value in values):
            return f"output '{port.name}' uses a value that is not defined"
    return ""
