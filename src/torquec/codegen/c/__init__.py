"""C99 export: a `Function` becomes a package of plain C with its own self-test."""

from torquec.codegen.c.package import c_package, write_c_package

__all__ = ["c_package", "write_c_package"]
