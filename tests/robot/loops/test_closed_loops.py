"""The side file of loops: what it holds, and its faults with their lines."""

from __future__ import annotations

import pytest

import torquec as tq
from torquec.robot.loops.closed_loops import Coupling, LoopConstraint, LoopFile, LoopKind, read_loops


def written(tmp_path, text):
    path = tmp_path / "arm.loops.toml"
    path.write_text(text)
    return path


def test_everything_that_a_side_file_can_say(tmp_path):
    text = """independent = ["a"]
[[loop]]
frame_a = "x"
frame_b = "y"
kind = "weld"
[[loop]]
name = "pin"
frame_a = "x"
frame_b = "z"
[[coupling]]
joint = "b"
of = "a"
polynomial = [0.1, 2, 3e-1]
[start]
b = -0.5
"""
    expected = LoopFile(
        (LoopConstraint("loop 1", "x", "y", LoopKind.WELD), LoopConstraint("pin", "x", "z", LoopKind.POINT)),
        (Coupling("b", "a", (0.1, 2.0, 0.3)),),
        ("a",),
        (("b", -0.5),),
    )
    assert read_loops(written(tmp_path, text)) == expected


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('[[loop]]\nframe_a = "x"\n', 1, "frame_b"),
        ('[[loop]]\nframe_a = "x"\nframe_b = "y"\ncolour = "red"\n', 4, "unknown key"),
        ("[start]\nb = nan\n", 2, "b"),
        ('gears = 1\n[[coupling]]\njoint = "b"\nof = "a"\npolynomial = [1]\n', 1, "unknown key"),
    ],
)
def test_faults_have_their_line(tmp_path, text, line, message):
    with pytest.raises(tq.RobotFileError, match=message) as caught:
        read_loops(written(tmp_path, text))
    assert caught.value.where.endswith(f"arm.loops.toml:{line}")
