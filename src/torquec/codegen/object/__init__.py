"""Object files: a `Function` becomes machine code for any processor that LLVM knows, without a compiler."""

from torquec.codegen.object.module import CompiledObject, compile_object
from torquec.codegen.object.package import write_object_package
from torquec.codegen.object.triple import KNOWN_TRIPLES, MachineTarget, machine_target

__all__ = [
    "KNOWN_TRIPLES",
    "CompiledObject",
    "MachineTarget",
    "compile_object",
    "machine_target",
    "write_object_package",
]
