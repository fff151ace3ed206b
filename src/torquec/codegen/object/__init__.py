"""Object files: a `Function` becomes machine code for any processor that LLVM knows, without a compiler."""
