"""Back ends: a `Function` becomes a native callable, a C package, a NumPy module or a CasADi function."""
