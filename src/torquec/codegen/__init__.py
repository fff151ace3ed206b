"""Back ends: a `Function` becomes a native callable, C, NumPy, CasADi, WebAssembly, or a JAX or PyTorch function."""
