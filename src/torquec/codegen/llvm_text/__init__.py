"""LLVM text of a `Function`: what every back end that goes through LLVM starts from."""
