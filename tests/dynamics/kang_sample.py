"""The PUMA 560 sample of the Kang oracle, which lies beside the repository: I* and symmetric P* at one position."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from torquec.robot import classics
from torquec.robot.robot import Drives

ORACLE = Path(__file__).resolve().parents[2].parent / "shared" / "oracles" / "kang_counts.json"


def oracle():
    """The whole oracle; skips the test where it is not there."""
    if not ORACLE.exists():
        pytest.skip("the Kang oracle is not here")
    return json.loads(ORACLE.read_text(encoding="utf-8"))


def assert_sample(method):
    """A method's I* and P* are those of the oracle, to its ten decimals."""
    sample = oracle()["sample"]
    model = method(replace(classics.puma560(), drives=Drives()), sample["q"])
    assert np.abs(np.subtract(model.inertia, sample["I"])).max() < 1e-10
    assert np.abs(np.subtract(model.symmetric_power, sample["P_symmetrised"])).max() < 1e-10
