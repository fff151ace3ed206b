"""The recursion that closed forms are compared with, and robots to compare them on."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from torquec.dynamics.mechanism import coordinates
from torquec.expr import evaluate
from torquec.model.quantities import trace_quantity
from torquec.robot import load

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
MODELS = SHARED / "data" / "models"


def oracle(name):
    """A file of figures, or a skip where it is not there."""
    path = SHARED / "oracles" / f"{name}.json"
    if not path.exists():
        pytest.skip(f"needs {path.name}")
    return json.loads(path.read_text(encoding="utf-8"))


def collected_model(name):
    """A robot of the collection, or a skip where it is not there."""
    path = MODELS / f"{name}.urdf"
    if not path.exists():
        pytest.skip(f"needs {path.name}")
    return load(path)


def panda_arm(folder):
    """The Panda without moving fingers: seven joints."""
    path = MODELS / "panda.urdf"
    if not path.exists():
        pytest.skip(f"needs {path.name}")
    text = re.sub(r'type="prismatic"', 'type="fixed"', path.read_text(encoding="utf-8"))
    text = re.sub(r"<mimic[^>]*/>", "", text)
    (folder / "panda_arm.urdf").write_text(text, encoding="utf-8")
    return load(folder / "panda_arm.urdf")


def recursion(robot, quantity, **state):
    """A quantity at N states by the recursive algorithms, (N, ...)."""
    (result,) = evaluate(trace_quantity(robot, quantity), state).values()
    return result


def body_positions(robot, q):
    """Positions (N, bodies) of all moving bodies' joints from those of the independent ones (N, n)."""
    return np.stack([np.broadcast_to(c.position(q.T), len(q)) for c in coordinates(robot)], axis=1)


def coupling(robot):
    """T (bodies, n): speeds of all moving bodies' joints from those of the independent ones."""
    unit = np.eye(robot.n)
    return np.array([[c.rate(row) for row in unit] for c in coordinates(robot)], dtype=float).reshape(-1, robot.n)


def values(polynomials, q):
    """A nested tuple of polynomials at N positions, (N, ...)."""
    if isinstance(polynomials, tuple):
        return np.stack([values(each, q) for each in polynomials], axis=1)
    return polynomials(q) + np.zeros(len(q))
