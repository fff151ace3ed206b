"""Linear algebra on one thread, for work on many small matrices."""

from __future__ import annotations

import contextlib
import importlib
import sys
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """Context in which linear algebra uses one thread, where threadpoolctl is installed.

    Threads cost more than they save on small matrices: ten times the run time on a busy machine. Larger pieces of work
    are distributed to processes.
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
