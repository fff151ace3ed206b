"""A `Function` as a PyTorch function on the CPU: native batches under autograd, `torch.func` and `torch.compile`.

An autograd function around the native batch call has these rules:

(1)  batch:     axes in front of a port's shape are batch axes; `torch.func.vmap` adds one
(2)  forward:   the function of the tangents of :mod:`torquec.codegen.native_live`
(3)  backward:  the function of its cotangents

Tangents and cotangents have the same rules, so that derivatives of any order exist. `torch.compile` does not trace such
a function; it calls a custom operator with the rule (3) instead. Needs the extra `torch`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torquec.codegen.native_live import LiveCall
from torquec.errors import ArgumentError, MissingExtraError
from torquec.expr import Function, check_function

_RULES: dict[str, Any] = {}
"""Autograd functions and custom operators by name; PyTorch keeps operators until the process ends."""


def torch_function(function: Function) -> Callable[..., Any]:
    """The function on tensors: (*batch, *shape) for every input, batch axes broadcast; one output, or a tuple.

    Raises `MissingExtraError` without PyTorch, `ArgumentError` for a tensor on another device and for a shape that does
    not fit. Results are doubles.
    """
    check_function(function)
    torch = _torch()
    call = LiveCall(function)
    rules, compiled = _rules(call), _compiled(call)

    def evaluate(*inputs: Any) -> Any:
        tensors = [torch.as_tensor(value, dtype=torch.float64) for value in inputs]
        for port, tensor in zip(function.inputs, tensors, strict=False):
            if tensor.device.type != "cpu":
                raise ArgumentError(
                    f"'{port.name}' is on {tensor.device}", where=function.name, remedy="move it to the CPU: x.cpu()"
                )
        lead = torch.broadcast_shapes(*call.lead([tuple(tensor.shape) for tensor in tensors]))
        ports = zip(tensors, function.inputs, strict=True)
        run = compiled if torch.compiler.is_compiling() else rules.apply
        outputs = run(*(tensor.expand((*lead, *port.shape)) for tensor, port in ports))
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    evaluate.__name__ = evaluate.__qualname__ = function.name
    return evaluate


def _run(call: LiveCall, tensors: Sequence[Any]) -> list[Any]:
    """The native batch call on tensors of one batch."""
    torch, ports = _torch(), call.function.inputs
    rows = [t.detach().reshape(-1, *port.shape).numpy() for t, port in zip(tensors, ports, strict=True)]
    found = call.native.call(*rows)
    arrays = found if len(call.function.outputs) > 1 else (found,)
    shapes = _shapes(call, tensors)
    return [torch.from_numpy(array).reshape(shape) for array, shape in zip(arrays, shapes, strict=True)]


def _compiled(call: LiveCall) -> Any:
    """The custom operator with the rule (3), for PyTorch's compiler, made once."""
    name, torch = f"torquec::{call.name}", _torch()
    if name not in _RULES:
        parameters = ", ".join(f"Tensor x{k}" for k in range(len(call.function.inputs)))
        operator = _RULES[name] = torch.library.custom_op(
            name, lambda *given: _run(call, given), mutates_args=(), schema=f"({parameters}) -> Tensor[]"
        )
        operator.register_fake(lambda *given: [torch.empty(s, dtype=torch.float64) for s in _shapes(call, given)])

        def keep(ctx: Any, inputs: Any, output: Any) -> None:  # noqa: ARG001 - PyTorch's signature
            ctx.save_for_backward(*inputs)

        def backward(ctx: Any, weights: Sequence[Any]) -> Any:
            shapes = _shapes(call, ctx.saved_tensors)
            whole = [
                torch.zeros(shape, dtype=torch.float64) if weight is None else weight
                for weight, shape in zip(weights, shapes, strict=True)
            ]
            return tuple(_compiled(call.cotangents)(*ctx.saved_tensors, *whole))

        operator.register_autograd(backward, setup_context=keep)
    return _RULES[name]


def _rules(call: LiveCall) -> Any:
    """The `torch.autograd.Function` of a function, made once; a function without inputs has no derivatives."""
    if call.name in _RULES:
        return _RULES[call.name]
    torch = _torch()

    def forward(*tensors: Any) -> Any:
        return tuple(_run(call, tensors))

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:  # noqa: ARG001 - PyTorch's signature
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    def jvp(ctx: Any, *tangents: Any) -> Any:
        given = ctx.saved_tensors
        whole = [torch.zeros_like(x) if dx is None else dx for x, dx in zip(given, tangents, strict=True)]
        return tuple(_rules(call.tangents).apply(*given, *whole))

    def backward(ctx: Any, *weights: Any) -> Any:
        return tuple(_rules(call.cotangents).apply(*ctx.saved_tensors, *weights))

    def vmap(info: Any, axes: Sequence[int | None], *tensors: Any) -> Any:
        moved = [
            t.expand((info.batch_size, *t.shape)) if axis is None else t.movedim(axis, 0)
            for t, axis in zip(tensors, axes, strict=True)
        ]
        return made.apply(*moved), (0,) * len(call.function.outputs)

    rules = (forward, setup_context, jvp, backward, vmap)
    methods = {rule.__name__: staticmethod(rule) for rule in rules}
    made: Any = type(call.name, (torch.autograd.Function,), methods)
    _RULES[call.name] = made
    return made


def _shapes(call: LiveCall, tensors: Sequence[Any]) -> list[tuple[int, ...]]:
    """The shapes of the outputs for inputs of one batch."""
    lead = call.lead([tuple(tensor.shape) for tensor in tensors])[0] if tensors else ()
    return [(*lead, *port.shape) for port in call.function.outputs]


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("torch", "torch", "a PyTorch function") from error
    return torch
