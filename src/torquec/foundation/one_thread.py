"""Linear algebra on one thread, for work on many small matrices."""

from __future__ import annotations

import contextlib
import importlib
from contextlib import AbstractContextManager
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """While this context lasts, linear algebra uses one thread, where threadpoolctl is installed.

    Sharing small matrices out among threads costs far more than it saves, on a busy machine a hundred times more;
    larger pieces of work are shared out among processes.
    """
    try:
        limits: AbstractContextManager[Any] = importlib.import_module("threadpoolctl").threadpool_limits(1)
    except ImportError:
        return contextlib.nullcontext()
    return limits
