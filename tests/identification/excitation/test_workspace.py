"""Workspace rules: clearances by hand, which frames they are about, files and what is wrong with them."""

from __future__ import annotations

import pytest

from torquec.errors import ArgumentError, RobotFileError
from torquec.expr import evaluate, trace
from torquec.identification.excitation.workspace import Apart, Inside, Outside, Plane, read_workspace
from torquec.robot import classics

ARM = classics.planar2r()
"""Two links of a metre in the x-y plane; the second frame lies at the elbow."""


def clearances(rule, q, robot=ARM):
    labels = []

    def algorithm(q):
        found = rule.clearances(robot, q)
        labels.extend(label for label, _ in found)
        return {"y": [value for _, value in found]}

    function = trace("f", algorithm, {"q": (robot.n,)})
    return dict(zip(labels, evaluate(function, {"q": q})["y"].tolist(), strict=True))


def elbow(q=(0.0, 0.0)):
    found = clearances(Inside((-9, -9, -9), (9, 9, 9), frames=("link2",)), q)
    return 9.0 - found["box around frame 'link2' along x"]


def test_planes_by_hand():
    length = elbow()
    found = clearances(Plane(normal=(2.0, 0.0, 0.0), offset=-0.5, frames=("link2",), clearance=0.1), [0.0, 0.3])
    assert found == {"plane below frame 'link2'": pytest.approx(length + 0.5 - 0.1)}


def test_boxes_by_hand():
    length = elbow()
    inside = clearances(Inside((-1, -2, -1), (3, 2, 1), frames=("link2",), clearance=0.25), [0.0, 0.0])
    assert inside["box around frame 'link2' along x"] == pytest.approx(2.0 - abs(length - 1.0) - 0.25)
    assert inside["box around frame 'link2' along y"] == pytest.approx(2.0 - 0.25)
    outside = clearances(Outside((-0.1, -1.0, -1.0), (0.1, 1.0, 1.0), frames=("link2",)), [0.0, 0.0])
    assert outside == {"box beside frame 'link2'": pytest.approx(length - 0.1)}


def test_distances_by_hand():
    found = clearances(Apart(("base", "link2"), 0.2), [0.7, 0.1])
    assert next(iter(found.values())) == pytest.approx(elbow() - 0.2, abs=1e-5)


def test_frames_that_no_motion_moves_are_left_out_unless_named():
    assert list(clearances(Plane(normal=(1.0, 0.0, 0.0)), [0.0, 0.0])) == [
        "plane below frame 'link2'",
        "plane below frame 'tool'",
    ]
    assert clearances(Plane(), [0.0, 0.0]) == {}
    assert len(clearances(Plane(frames=("link1", "link2")), [0.0, 0.0])) == 2


def test_a_file_of_rules(tmp_path):
    file = tmp_path / "cell.toml"
    file.write_text(
        """
        [[plane]]
        offset = 0.05
        [[inside]]
        lower = [-1, -1, 0]
        upper = [1, 1, 1.5]
        frames = ["link2"]
        [[outside]]
        lower = [0.4, -0.2, 0]
        upper = [0.8, 0.2, 0.6]
        clearance = 0.1
        [[apart]]
        frames = ["link2", "base"]
        clearance = 0.25
        """
    )
    assert read_workspace(file) == (
        Plane((0.0, 0.0, 1.0), 0.05),
        Inside((-1.0, -1.0, 0.0), (1.0, 1.0, 1.5), ("link2",)),
        Outside((0.4, -0.2, 0.0), (0.8, 0.2, 0.6), clearance=0.1),
        Apart(("link2", "base"), 0.25),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[plane]]\nheight = 1", r"cell.toml:1: 'plane\[0\]\.offset' is missing"),
        ("[[plane]]\noffset = 1\nframe = 'a'", r"cell.toml:3: unknown key"),
        ("[[wall]]\noffset = 1", "unknown key 'wall'"),
        ("[[apart]]\nframes = ['a']\nclearance = 1", "cell.toml:2: 1 frames are kept apart"),
        ("[[plane]]\noffset = 1\nframes = [1]", "cell.toml:3: .* is \\[1\\]"),
    ],
)
def test_files_that_are_wrong(tmp_path, text, message):
    file = tmp_path / "cell.toml"
    file.write_text(text)
    with pytest.raises(RobotFileError, match=message):
        read_workspace(file)


def test_misuse():
    with pytest.raises(ArgumentError, match="along y"):
        Inside((0, 1, 0), (1, 1, 1))
    with pytest.raises(ArgumentError, match="normal of a plane is zero"):
        Plane(normal=(0.0, 0.0, 0.0))
    with pytest.raises(ArgumentError, match="has no frame 'hand'"):
        clearances(Plane(frames=("hand",)), [0.0, 0.0])
