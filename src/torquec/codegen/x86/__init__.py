"""x86 instructions written here instead of by LLVM; optional, used by `codegen/llvm/module.py` alone."""
