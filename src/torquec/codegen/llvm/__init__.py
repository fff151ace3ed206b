"""The native back end: a `Function` becomes machine code for this processor, through LLVM."""

from torquec.codegen.llvm.callable import CallPath, CompileOptions, NativeFunction, compile_function, load_or_compile
from torquec.codegen.llvm.cpu import Cpu, host_cpu, plain_cpu

__all__ = [
    "CallPath",
    "CompileOptions",
    "Cpu",
    "NativeFunction",
    "compile_function",
    "host_cpu",
    "load_or_compile",
    "plain_cpu",
]
