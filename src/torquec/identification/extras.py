"""Optional dependencies of identification, imported on demand; a clear error where one is missing."""

from __future__ import annotations

import importlib
from typing import Any

from torquec.errors import MissingExtraError


def need(module: str, purpose: str, *, extra: str = "identify") -> Any:
    """The module of an optional package; raises `MissingExtraError` that names the extra which brings it.

    >>> need("math", "counting").floor(1.5)
    1
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(module.partition(".")[0], extra, purpose) from error
