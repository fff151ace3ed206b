"""NumPy export: a `Function` becomes Python source that needs nothing but NumPy."""

from torquec.codegen.numpy.module import numpy_module, write_numpy_module

__all__ = ["numpy_module", "write_numpy_module"]
