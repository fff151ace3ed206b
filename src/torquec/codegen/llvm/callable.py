"""`NativeFunction`: a `Function` compiled for this machine, callable from Python and from C.

    native = compile_function(function)
    native.call(q, qd, qdd)              # (n,) -> (n,), or (N, n) -> (N, n)
    native.call(q, qd, qdd, out=tau)     # writes into tau and returns it
    native.address                       # void f(const double *q, const double *qd, const double *qdd, double *tau)

`call` is a built-in function (see :mod:`torquec.codegen.llvm.trampoline`), reentrant, without state, and keeps the
machine code alive. A bare address keeps nothing alive, so reading `address` keeps the code until the process ends. The
other two addresses are valid as long as the function or its `call` lives. Several outputs come as a tuple, in the
order of the ports. The batch kernel is compiled at the first batch.

A function compiled with `Precision.SINGLE` has a third kernel, for batches of floats: where every input is an array of
native float32, it computes in single precision, twice as many states at once, and returns float32. All other calls
compute in double precision.

A native driver is LLVM text with loops and branches around compiled functions; Python calls it like one of them. It
defines `packed(inputs, outputs)`, the entry point that the scalar kernel of a function has, and one global pointer for
each function that it calls. The loader sets that pointer to the function's own packed kernel.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from torquec.codegen.llvm.cpu import Cpu, host_cpu
from torquec.codegen.llvm.dispatch import BatchKernels, Dispatcher, check_threads
from torquec.codegen.llvm.load import LoadedObject, libm_slots
from torquec.codegen.llvm.module import BATCH, KERNEL, PACKED, SHARED, FunctionObjects, object_code
from torquec.codegen.llvm.trampoline import (
    BATCH_WORD,
    MOST_AXES,
    MOST_PORTS,
    SINGLE_WORD,
    CallRecord,
    find_obstacle,
    make_builtin,
    make_record,
)
from torquec.codegen.llvm_text.batch import SCALAR_SLOT, emit_row_loop, emit_shared_batch
from torquec.codegen.llvm_text.program import make_program
from torquec.codegen.precision import Precision
from torquec.errors import CompileError
from torquec.expr import Function, Port

_KEYWORDS = ("out", "threads")


class CallPath(StrEnum):
    """How Python reaches the kernels."""

    AUTOMATIC = "automatic"
    """Through the trampoline; through ctypes where the interpreter allows no trampoline."""
    CTYPES = "ctypes"


@dataclass(frozen=True)
class CompileOptions:
    """`threads`: number for batches, unless the call gives one. `cpu`: target processor (default: the host's).

    `precision`: that of calls whose inputs are all float32; all others are computed in doubles.
    """

    threads: int = 1
    cpu: Cpu | None = None
    call_path: CallPath = CallPath.AUTOMATIC
    precision: Precision = Precision.DOUBLE


_DEFAULT = CompileOptions()


class NativeFunction:
    """A compiled function. `call` is the fast way to call it; calling the object itself does the same."""

    __slots__ = ("_kernels", "call", "inputs", "name", "outputs")

    def __init__(self, objects: FunctionObjects, *, options: CompileOptions) -> None:
        self.name, self.inputs, self.outputs = objects.name, objects.inputs, objects.outputs
        self._kernels = _Kernels(objects, options.cpu or host_cpu())
        self.call: Callable[..., Any] = make_call(objects, self._kernels, options)

    def __call__(self, *args: Any, **named: Any) -> Any:
        """The same as `call`."""
        return self.call(*args, **named)

    def __repr__(self) -> str:
        return f"<NativeFunction {_signature(self.name, self.inputs)}>"

    @property
    def function(self) -> Function | None:
        """The function that was compiled; None if it came from the cache."""
        return self._kernels.objects.function

    @property
    def address(self) -> int:
        """Address of the scalar kernel: void f(const double *input1, ..., double *output1, ...), valid until exit."""
        return self._kernels.pinned().scalar.address(KERNEL)

    @property
    def packed_address(self) -> int:
        """Address of the same kernel with arrays of pointers: void f(const double *const *in, double *const *out).

        Valid as long as this function or its `call` lives.
        """
        return self._kernels.scalar.address(PACKED)

    @property
    def batch_address(self) -> int:
        """Address of the batch kernel: void f(int64_t N, const double *const *inputs, double *const *outputs).

        Valid as long as this function or its `call` lives.
        """
        return self._kernels.batch().alone


def compile_function(function: Function, *, options: CompileOptions = _DEFAULT) -> NativeFunction:
    """The function compiled for this machine.

    Raises `CompileError` where it is too large or LLVM cannot compile it.

    >>> from torquec.expr import trace
    >>> native = compile_function(trace("f", lambda x: {"y": [x[0] * x[1]]}, {"x": (2,)}))
    >>> native.call([3.0, 4.0])
    array([12.])
    """
    return NativeFunction(FunctionObjects(lambda: function, options.cpu or host_cpu()), options=options)


def load_or_compile(key: str, make: Callable[[], Function], *, options: CompileOptions = _DEFAULT) -> NativeFunction:
    """The native function of a cache key; if the cache lacks it, the result of `make` is compiled and stored.

    `key` must name the content: everything that `make` depends on, except the version of Torquec. The native function
    holds a reference to `make`. `make` must not refer back to the function or its `call`, neither directly nor as a
    method of an object that does: the garbage collector cannot see references of built-in functions, and both would
    stay in memory. Raises `CompileError` where the function is too large or LLVM cannot compile it.
    """
    return NativeFunction(FunctionObjects(make, options.cpu or host_cpu(), key=key), options=options)


_PINNED: set[_Kernels] = set()
"""Kernels whose addresses were handed out: a bare address must stay valid until the process ends."""


class _Kernels:
    """The kernels in memory; the batch kernels are loaded on demand."""

    def __init__(self, objects: FunctionObjects, cpu: Cpu) -> None:
        self.objects, self._cpu = objects, cpu
        self.scalar = LoadedObject(objects.code("scalar"), cpu, libm_slots())
        self._batches: dict[str, BatchKernels] = {}
        self._lock = threading.Lock()
        self.record: CallRecord | None = None
        """The call record that receives the addresses of the batch kernels."""

    def pinned(self) -> _Kernels:
        """These kernels, kept in memory until the process ends."""
        _PINNED.add(self)
        return self

    def batch(self) -> BatchKernels:
        """The addresses of the batch kernels, compiled and loaded on first use."""
        return self._loaded("batch", BATCH_WORD, {SCALAR_SLOT: self.scalar.address(PACKED)}, (self.scalar,))

    def single(self) -> BatchKernels:
        """The same for floats."""
        return self._loaded("single", SINGLE_WORD, {}, ())

    def _loaded(self, kind: str, word: int, slots: dict[str, int], needs: tuple[LoadedObject, ...]) -> BatchKernels:
        with self._lock:
            if kind not in self._batches:
                loaded = LoadedObject(self.objects.code(kind), self._cpu, {**libm_slots(), **slots})
                made = BatchKernels(loaded.address(BATCH), loaded.address(SHARED), (*needs, loaded))
                self._batches[kind] = made
                if self.record is not None:
                    self.record[word] = made.alone
        return self._batches[kind]


class NamedPorts(Protocol):
    """Name, inputs and outputs of a call."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]


class CallKernels(Protocol):
    """The machine code behind a call: of one state, and of batches from the first batch on."""

    scalar: LoadedObject
    record: CallRecord | None

    def batch(self) -> BatchKernels:
        """Kernels for doubles."""

    def single(self) -> BatchKernels:
        """Kernels for floats."""


def make_call(objects: NamedPorts, kernels: CallKernels, options: CompileOptions) -> Callable[..., Any]:
    """The function that Python calls: the trampoline where there can be one."""
    clash = [port.name for port in objects.inputs if port.name in _KEYWORDS]
    if clash:
        raise CompileError(f"function '{objects.name}' has an input '{clash[0]}'", remedy="give it another name")
    dispatcher = Dispatcher(
        objects.name,
        objects.inputs,
        objects.outputs,
        packed_address=kernels.scalar.address(PACKED),
        batch_kernels=kernels.batch,
        single_kernels=kernels.single if options.precision is Precision.SINGLE else None,
        threads=check_threads(options.threads, objects.name),
    )
    ports = (*objects.inputs, *objects.outputs)
    exceeds_record = len(ports) > MOST_PORTS or any(len(port.shape) > MOST_AXES for port in ports)
    if options.call_path is CallPath.CTYPES or exceeds_record or find_obstacle():
        return dispatcher
    words = [len(objects.inputs), len(objects.outputs), kernels.scalar.address(PACKED), 0, id(dispatcher), 0]
    for port in ports:
        words += [len(port.shape), port.size, *port.shape, *[0] * (MOST_AXES - len(port.shape))]
    record = make_record(words)
    if options.threads == 1:
        kernels.record = record
    return make_builtin(record, (dispatcher, kernels), name=objects.name, doc=_documentation(objects))


def _signature(name: str, inputs: tuple[Port, ...]) -> str:
    return f"{name}({', '.join([*(port.name for port in inputs), '*', 'out=None', 'threads=None'])})"


def _documentation(objects: NamedPorts) -> str:
    def listed(ports: tuple[Port, ...]) -> str:
        return ", ".join(f"{port.name} {port.shape}" for port in ports)

    # `inspect.signature` reads a first line of this form.
    return (
        f"{_signature(objects.name, objects.inputs)}\n--\n\n"
        f"{listed(objects.inputs)} -> {listed(objects.outputs)}; with one more axis in front, a batch.\n\n"
        "out: the array, or tuple of arrays, to write to. threads: for a batch."
    )


class _DriverKernels:
    """The machine code of a driver and of the functions that it calls."""

    def __init__(self, signature: Function, text: str, functions: Mapping[str, NativeFunction]) -> None:
        program, cpu = make_program(signature, fuse=False), host_cpu()
        rows = emit_row_loop(program, name=BATCH, packed=PACKED)
        shared = emit_shared_batch(program, name=SHARED, batch=BATCH)
        code = object_code(f"{text}\n{rows}\n{shared}\nattributes #0 = {{ nounwind }}", cpu)
        slots = {name: function.packed_address for name, function in functions.items()}
        self.name, self.inputs, self.outputs = signature.name, signature.inputs, signature.outputs
        self.scalar = LoadedObject(code, cpu, slots)
        self._batch = BatchKernels(self.scalar.address(BATCH), self.scalar.address(SHARED), (self.scalar, functions))
        self.record: CallRecord | None = None

    def batch(self) -> BatchKernels:
        """The addresses of the loops over many rows."""
        if self.record is not None:
            self.record[BATCH_WORD] = self._batch.alone
        return self._batch

    def single(self) -> BatchKernels:
        """There is no kernel for floats."""
        raise NotImplementedError


def native_driver(
    signature: Function, text: str, functions: Mapping[str, NativeFunction], *, call_path: CallPath = CallPath.AUTOMATIC
) -> Callable[..., Any]:
    """The call of a driver with the inputs and outputs of `signature`, whose operations are ignored.

    It serves one state or a batch, as `NativeFunction.call` does. Raises `CompileError` where LLVM refuses the text.
    """
    kernels = _DriverKernels(signature, text, functions)
    return make_call(kernels, kernels, CompileOptions(call_path=call_path))
