"""Native driver: LLVM text with loops and branches around compiled functions, called from Python like one of them.

The text defines `packed(inputs, outputs)`, the entry point of the scalar kernel of a function, and one global pointer
for each function that it calls, which is filled with the function's own packed kernel when the code is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torquec.codegen.llvm.callable import CallPath, CompileOptions, NativeFunction, make_call
from torquec.codegen.llvm.cpu import host_cpu
from torquec.codegen.llvm.dispatch import BatchKernels
from torquec.codegen.llvm.load import LoadedObject
from torquec.codegen.llvm.module import BATCH, PACKED, SHARED, object_code
from torquec.codegen.llvm.trampoline import BATCH_WORD, CallRecord
from torquec.codegen.llvm_text.batch import emit_row_loop, emit_shared_batch
from torquec.codegen.llvm_text.program import make_program
from torquec.expr import Function


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
