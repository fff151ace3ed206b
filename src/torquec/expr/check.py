"""Well-formedness of a `Function`: checked after tracing and before any back end."""

from __future__ import annotations

from torquec.errors import ExpressionError
from torquec.expr.function import Function
from torquec.expr.ops import SEMANTICS, Op


def check_function(function: Function) -> None:
    """Raise `ExpressionError` unless every argument is defined before use, arities fit and ports are consistent."""
    names = [port.name for port in (*function.inputs, *function.outputs)]
    if len(set(names)) != len(names):
        raise ExpressionError(f"function '{function.name}': an input or output name occurs twice: {names}")
    sizes = {port.name: port.size for port in function.inputs}
    for k, step in enumerate(function.operations):
        if step.op is Op.INPUT:
            if not 0 <= step.element < sizes.get(step.port, 0):
                raise ExpressionError(f"function '{function.name}': step {k} reads {step.port}[{step.element}]")
        elif step.op is not Op.CONST:
            if len(step.args) != SEMANTICS[step.op].arity:
                raise ExpressionError(f"function '{function.name}': step {k}, {step.op} has {len(step.args)} arguments")
            if any(not 0 <= a < k for a in step.args):
                raise ExpressionError(f"function '{function.name}': step {k} uses a value that is not yet defined")
    if len(function.results) != len(function.outputs):
        raise ExpressionError(f"function '{function.name}': outputs and results differ in number")
    for port, values in zip(function.outputs, function.results, strict=True):
        if len(values) != port.size or any(not 0 <= v < len(function.operations) for v in values):
            raise ExpressionError(f"function '{function.name}': output '{port.name}' does not fit its shape")
