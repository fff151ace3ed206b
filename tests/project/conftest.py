"""The runner for commands, here too."""

from __future__ import annotations

from tests.cli.conftest import arm, torquec

__all__ = ["arm", "torquec"]
