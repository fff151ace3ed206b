"""Two-rate control: a synchronous task of a few products per joint, and background tasks that update its coefficients.

`run` runs a control law on a robot (:mod:`torquec.realtime.runtime.run`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torquec.realtime.runtime.run import run as run


def __getattr__(name: str) -> Any:
    if name != "run":
        raise AttributeError(f"module 'torquec.realtime' has no attribute '{name}'")
    from torquec.realtime.runtime.run import run

    return run
