"""WebAssembly: a `Function` becomes code for a browser or Node, through LLVM, with a JavaScript wrapper."""

from torquec.codegen.wasm.module import wasm_module
from torquec.codegen.wasm.package import types_text, wrapper_text, write_wasm_package

__all__ = ["types_text", "wasm_module", "wrapper_text", "write_wasm_package"]
