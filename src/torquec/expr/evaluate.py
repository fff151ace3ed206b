"""Evaluating a `Function` with NumPy, one state or a batch: the reference that every back end is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError
from torquec.expr.function import Function
from torquec.expr.ops import SEMANTICS, Op


def evaluate(function: Function, inputs: Mapping[str, npt.ArrayLike]) -> dict[str, npt.NDArray[np.float64]]:
    """Outputs by name. Inputs have their port's shape, or (N, *shape) for a batch of N; so have the outputs.

    >>> from torquec.expr.trace import trace
    >>> f = trace("f", lambda x: {"y": [x[0] * x[1]]}, {"x": (2,)})
    >>> evaluate(f, {"x": [3.0, 4.0]})["y"].tolist()
    [12.0]
    """
    arrays: dict[str, npt.NDArray[np.float64]] = {}
    batch: set[int] = set()
    for port in function.inputs:
        array = np.asarray(inputs[port.name], dtype=np.float64)
        if array.shape == port.shape:
            arrays[port.name] = array.reshape(port.size)
        elif array.shape[1:] == port.shape and array.ndim == len(port.shape) + 1:
            arrays[port.name] = array.reshape(len(array), port.size).T
            batch.add(len(array))
        else:
            raise ArgumentError(f"input '{port.name}' has shape {array.shape}, expected {port.shape} or (N, ...)")
    if len(batch) > 1:
        raise ArgumentError(f"inputs have batches of different lengths: {sorted(batch)}")
    lead = tuple(batch)
    values: list[Any] = []
    with np.errstate(all="ignore"):
        for step in function.operations:
            if step.op is Op.CONST:
                values.append(step.value)
            elif step.op is Op.INPUT:
                values.append(arrays[step.port][step.element])
            else:
                values.append(SEMANTICS[step.op].on_arrays(*(values[a] for a in step.args)))
    outputs = {}
    for port, result in zip(function.outputs, function.results, strict=True):
        flat = np.empty((*lead, port.size))
        for k, index in enumerate(result):
            flat[..., k] = values[index]
        outputs[port.name] = flat.reshape((*lead, *port.shape))
    return outputs
