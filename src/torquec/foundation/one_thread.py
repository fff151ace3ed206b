"""Linear algebra on one thread, for work on many small matrices."""

from __future__ import annotations

import contextlib
import importlib
import sys
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """While this context lasts, linear algebra uses one thread, where threadpoolctl is installed.

    Sharing small matrices out among threads costs far more than it saves, on a busy machine a hundred times more;
    larger pieces of work are shared out among processes.
    """
    try:
        limits: AbstractContextManager[Any] = _libraries(len(sys.modules)).limit(limits=1)
    except ImportError:
        return contextlib.nullcontext()
    return limits


@lru_cache(maxsize=1)
def _libraries(_modules: int) -> Any:
    """The loaded libraries of linear algebra, searched again (2 ms) only after further modules were imported."""
    return importlib.import_module("threadpoolctl").ThreadpoolController()
