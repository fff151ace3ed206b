"""Evaluating a `Function` with NumPy, one state or a batch: the reference that every back end is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError
from torquec.expr.function import Function
from torquec.expr.ops import SEMANTICS, Op
from torquec.foundation.arrays import Array


def evaluate(function: Function, inputs: Mapping[str, npt.ArrayLike]) -> dict[str, Array]:
    """Outputs by name. Inputs have their port's shape, or (N, *shape) for a batch of N; so have the outputs.

    Raises `ArgumentError` where an input is missing, not known, not real or of another shape.

    >>> from torquec.expr.trace import trace
    >>> f = trace("f", lambda x: {"y": [x[0] * x[1]]}, {"x": (2,)})
    >>> evaluate(f, {"x": [3.0, 4.0]})["y"].tolist()
    [12.0]
    """
    elements, lead = _elements(function, inputs)
    values: list[Any] = []
    with np.errstate(all="ignore"):
        for step in function.operations:
            if step.op is Op.CONST:
                values.append(step.value)
            elif step.op is Op.INPUT:
                values.append(elements[step.port][step.element])
            else:
                values.append(SEMANTICS[step.op].on_arrays(*(values[a] for a in step.args)))
    outputs = {}
    for port, result in zip(function.outputs, function.results, strict=True):
        flat = np.empty((*lead, port.size))
        for k, index in enumerate(result):
            flat[..., k] = values[index]
        outputs[port.name] = flat.reshape((*lead, *port.shape))
    return outputs


def _elements(function: Function, inputs: Mapping[str, npt.ArrayLike]) -> tuple[dict[str, Array], tuple[int, ...]]:
    """Every input as (size,) or (size, N), and (N,) where one of them is a batch, else ()."""
    expected = [port.name for port in function.inputs]
    if sorted(inputs) != sorted(expected):
        raise ArgumentError(
            f"inputs {', '.join(inputs) or 'none'} were given to '{function.name}'",
            remedy=f"give exactly {', '.join(expected) or 'none'}",
        )
    elements: dict[str, Array] = {}
    lengths: set[int] = set()
    for port in function.inputs:
        array = _real(port.name, inputs[port.name])
        if array.shape == port.shape:
            elements[port.name] = array.reshape(port.size)
        elif array.ndim == len(port.shape) + 1 and array.shape[1:] == port.shape:
            elements[port.name] = array.reshape(len(array), port.size).T
            lengths.add(len(array))
        else:
            batch = str(("N", *port.shape)).replace("'", "")
            raise ArgumentError(
                f"input '{port.name}' has shape {array.shape}", remedy=f"give {port.shape}, or {batch} for a batch"
            )
    if len(lengths) > 1:
        raise ArgumentError(
            f"the inputs are batches of different lengths: {sorted(lengths)}",
            remedy="give each N rows, or a single one",
        )
    return elements, tuple(lengths)


def _real(name: str, values: npt.ArrayLike) -> Array:
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biuf" and array.size:
            raise TypeError(array.dtype)
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"input '{name}' is not an array of real numbers ({error})", remedy="give floats"
        ) from error
