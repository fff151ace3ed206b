"""Haptic cycles that several tests share, compiled once, and runs of them on an arm that follows exactly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from torquec.haptics.admittance import admittance
from torquec.haptics.admittance_options import AdmittanceOptions, ToolLoad
from torquec.haptics.rendered_object import RenderedObject
from torquec.robot import classics

TOOL = ToolLoad(0.8, (0.01, -0.02, 0.06), ((0.003, 0.0, 0.0), (0.0, 0.002, 0.0), (0.0, 0.0, 0.004)))
OBJECT = RenderedObject(5.0, (0.05, 0.06, 0.07))
POSTURE = np.array([0.3, -0.9, 3.0, 0.4, -0.9, 0.2])


@cache
def puma_cycle():
    """The PUMA 560 with a tool."""
    return admittance(classics.puma560(), OBJECT, options=AdmittanceOptions(tool=TOOL))


@cache
def bare_cycle(mass=5.0, turning=0.06):
    """The PUMA 560 without a tool."""
    return admittance(classics.puma560(), RenderedObject(mass, (turning,) * 3))


@dataclass
class Followed:
    """Rows of a run: states after each cycle (K, m), torques (K, n), status (K,), the hand's wrench (K, 6)."""

    states: np.ndarray
    tau: np.ndarray
    status: np.ndarray
    hand: np.ndarray


def followed(cycle, q, wrenches, *, settings=None, state=None):
    """A run on an arm that is exactly where it shall be; wrenches (K, 6) are the sensor's."""
    state = cycle.start(q) if state is None else state
    settings = cycle.rendered.settings if settings is None else settings
    rows = np.broadcast_to(settings, (len(wrenches), len(cycle.rendered.settings)))
    place = cycle.slot("q_ref")
    found = []
    for wrench, row in zip(wrenches, rows, strict=True):
        seen = state[place]
        state, tau, status, hand = cycle.native.call(state, np.ascontiguousarray(wrench), seen.copy(), row.copy())
        found.append((state, tau, int(status), hand))
    return Followed(*(np.array(part) for part in zip(*found, strict=True)))


def steady(wrench, cycles):
    """The same wrench for so many cycles."""
    return np.tile(np.asarray(wrench, dtype=float), (cycles, 1))
