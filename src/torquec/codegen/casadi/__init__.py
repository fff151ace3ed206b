"""CasADi export: a `Function` becomes a `casadi.Function` (extra `casadi`)."""

from torquec.codegen.casadi.function import casadi_function, write_casadi_functions

__all__ = ["casadi_function", "write_casadi_functions"]
