"""The runner for commands, here too."""

from __future__ import annotations

from tests.cli.conftest import arm, short_search, torquec

__all__ = ["arm", "short_search", "torquec"]
