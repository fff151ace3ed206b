"""Back ends: a `Function` becomes native code, C, Rust, NumPy, CasADi, WebAssembly, or a JAX or PyTorch function."""
