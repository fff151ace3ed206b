"""Passes over a finished graph, before it becomes a `Function`."""

from __future__ import annotations

from torquec.expr.graph import Node


def optimize(roots: list[Node]) -> list[Node]:
    """The roots after all passes, in order."""
    return roots
