"""x86 assembly with its own register allocation instead of LLVM's; optional, used by `codegen/llvm/module.py` alone."""
