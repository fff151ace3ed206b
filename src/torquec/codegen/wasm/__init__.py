"""WebAssembly: a `Function` becomes code for a browser or Node, through LLVM, with a JavaScript wrapper."""
