"""Optional packages of identification, imported where they are needed and missed with a clear message."""

from __future__ import annotations

import contextlib
import importlib
from contextlib import AbstractContextManager
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


def one_thread() -> AbstractContextManager[Any]:
    """While this context lasts, linear algebra uses one thread, where threadpoolctl is installed.

    The matrices of a fit have some hundred rows: sharing them out costs far more than it saves, on a busy machine a
    hundred times more.
    """
    try:
        limits: AbstractContextManager[Any] = importlib.import_module("threadpoolctl").threadpool_limits(1)
    except ImportError:
        return contextlib.nullcontext()
    return limits
