"""Back ends: a `Function` becomes a native callable, C, a NumPy module, a CasADi function or WebAssembly."""
