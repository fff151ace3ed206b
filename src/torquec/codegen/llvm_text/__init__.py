"""LLVM IR text of a `Function`: the common first stage of all back ends that use LLVM."""
