"""Chains of mimic joints."""

from __future__ import annotations

import pytest

from torquec.errors import RobotFileError
from torquec.robot.mimic import resolve_mimics
from torquec.robot.robot import Mimic


def test_a_chain_composes():
    mimics = {"a": Mimic("b", -2.0, 0.25), "b": Mimic("c", 0.5, 1.0), "c": Mimic("free", 3.0, -0.5)}
    resolved = resolve_mimics(mimics)["a"]
    free = 0.7
    c = 3.0 * free - 0.5
    b = 0.5 * c + 1.0
    assert resolved.joint == "free"
    assert resolved.multiplier * free + resolved.offset == pytest.approx(-2.0 * b + 0.25)


@pytest.mark.parametrize("mimics", [{"a": Mimic("a")}, {"a": Mimic("b"), "b": Mimic("c"), "c": Mimic("b")}])
def test_a_circle_is_refused(mimics):
    with pytest.raises(RobotFileError, match="circle") as caught:
        resolve_mimics(mimics, {"a": "arm.toml:9"})
    assert caught.value.where == "arm.toml:9"


def test_a_long_chain_takes_no_time():
    count = 20_000
    mimics = {f"j{k}": Mimic(f"j{k - 1}", 1.0, 1.0) for k in range(1, count)}
    assert resolve_mimics(mimics)[f"j{count - 1}"] == Mimic("j0", 1.0, count - 1.0)
