"""A `Function` as a JAX function on the CPU: native batches inside `jit`, `vmap`, `grad` and their combinations.

The function is a JAX primitive. XLA calls the batch kernel directly through its custom-call interface, on its own
buffers, without Python. The rules of the primitive:

(1)  batch:      axes in front of a port's shape are batch axes; `vmap` adds one
(2)  jvp:        the primitive of the tangents of :mod:`torquec.codegen.native_live`
(3)  transpose:  of (2), the primitive of the cotangents: reverse mode costs a few evaluations of the function

Tangents and cotangents are functions with the same rules: `jacfwd`, `jacrev` and `hessian` work. Needs the extra `jax`,
and 64-bit numbers: `jax.config.update("jax_enable_x64", True)`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from torquec.codegen.native_live import LiveCall
from torquec.errors import ArgumentError, MissingExtraError
from torquec.expr import Function, check_function
from torquec.foundation.template import filled_template

_HANDLERS: dict[str, tuple[object, ...]] = {}
"""Machine code of registered custom calls, kept until the process ends: XLA holds their bare addresses."""

_PRIMITIVES: dict[str, Any] = {}  # primitives by the name of their custom call


def jax_function(function: Function) -> Callable[..., Any]:
    """The function on JAX arrays: (*batch, *shape) for every input, batch axes broadcast; one output, or a tuple.

    Raises `MissingExtraError` without JAX, `ArgumentError` where JAX computes with 32 bits or a shape does not fit.
    """
    check_function(function)
    jax = _jax()
    call = LiveCall(function)
    primitive = _primitive(call)

    def evaluate(*inputs: Any) -> Any:
        if not jax.config.jax_enable_x64:
            raise ArgumentError(
                "JAX computes with 32 bits", where=function.name, remedy='jax.config.update("jax_enable_x64", True)'
            )
        arrays = [jax.numpy.asarray(value, dtype="float64") for value in inputs]
        lead = jax.numpy.broadcast_shapes(*call.lead([array.shape for array in arrays]))
        ports = zip(arrays, function.inputs, strict=True)
        outputs = primitive.bind(*(jax.numpy.broadcast_to(array, (*lead, *port.shape)) for array, port in ports))
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    evaluate.__name__ = evaluate.__qualname__ = function.name
    return evaluate


def _primitive(call: LiveCall) -> Any:
    """The primitive of a function with all its rules, made once."""
    if call.name in _PRIMITIVES:
        return _PRIMITIVES[call.name]
    jax = _jax()
    from jax.extend.core import Primitive
    from jax.interpreters import ad, batching, mlir

    primitive = Primitive(call.name)
    primitive.multiple_results = True
    _PRIMITIVES[call.name] = primitive
    outputs, inputs = call.function.outputs, call.function.inputs

    def results(shapes: Sequence[tuple[int, ...]]) -> list[Any]:
        lead = call.lead(shapes)[0] if shapes else ()
        return [jax.ShapeDtypeStruct((*lead, *port.shape), "float64") for port in outputs]

    def lowered(*arrays: Any) -> Any:
        _register(call)
        return jax.ffi.ffi_call(call.name, results([array.shape for array in arrays]))(*arrays)

    def abstract(*arrays: Any) -> list[Any]:
        return [jax.core.ShapedArray(one.shape, one.dtype) for one in results([array.shape for array in arrays])]

    def batch(arrays: Sequence[Any], axes: Sequence[int | None]) -> tuple[list[Any], list[int]]:
        """Batching rule (1)."""
        size = next(array.shape[axis] for array, axis in zip(arrays, axes, strict=True) if axis is not None)
        moved = [
            jax.numpy.broadcast_to(array, (size, *array.shape)) if axis is None else jax.numpy.moveaxis(array, axis, 0)
            for array, axis in zip(arrays, axes, strict=True)
        ]
        return primitive.bind(*moved), [0] * len(outputs)

    def jvp(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Forward-mode rule (2)."""
        linear = _primitive(call.tangents)
        ad.primitive_transposes[linear] = transpose
        return primitive.bind(*primals), linear.bind(*primals, *map(ad.instantiate_zeros, tangents))

    def transpose(cotangents: Sequence[Any], *arrays: Any) -> list[Any]:
        """Transposition rule (3)."""
        found = _primitive(call.cotangents).bind(*arrays[: len(inputs)], *map(ad.instantiate_zeros, cotangents))
        unknown = [ad.is_undefined_primal(array) for array in arrays[len(inputs) :]]
        return [None] * len(inputs) + [one if wanted else None for one, wanted in zip(found, unknown, strict=True)]

    primitive.def_impl(jax.jit(lowered))
    primitive.def_abstract_eval(abstract)
    mlir.register_lowering(primitive, mlir.lower_fun(lowered, multiple_results=True), platform="cpu")
    batching.primitive_batchers[primitive] = batch
    ad.primitive_jvps[primitive] = jvp
    return primitive


def _register(call: LiveCall) -> None:
    """Register the custom call of a function with XLA, once."""
    if call.name in _HANDLERS:
        return
    from torquec.codegen.llvm.cpu import host_cpu
    from torquec.codegen.llvm.load import LoadedObject
    from torquec.codegen.llvm.module import object_code

    jax, cpu = _jax(), host_cpu()
    inputs, ports = call.function.inputs, (*call.function.inputs, *call.function.outputs)
    words = {"PORTS": len(ports), "INPUTS": len(inputs), "LAST_AXES": len(ports[-1].shape)}
    code = object_code(filled_template("codegen", "jax_handler.ll", **words), cpu)
    loaded = LoadedObject(code, cpu, {"batch": call.native.batch_address})
    handler = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(loaded.address("handle"))
    jax.ffi.register_ffi_target(call.name, jax.ffi.pycapsule(handler), platform="cpu")
    _HANDLERS[call.name] = loaded, call.native


def _jax() -> Any:
    try:
        import jax
        import jax.extend
        import jax.ffi
    except ImportError as error:
        raise MissingExtraError("jax", "jax", "a JAX function") from error
    return jax
