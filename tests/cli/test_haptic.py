"""`torquec haptic`: experiments from the command line."""

import json

import pytest

pytest.importorskip("scipy")


def test_a_wall_on_a_scara_with_files(torquec, tmp_path):
    """One run: JSON, table and picture; what a Scara cannot render is said."""
    pytest.importorskip("matplotlib")
    folder = tmp_path / "wall"
    found = torquec("haptic", "scara", "--experiment", "wall", "--impact", "0.1", "-o", folder, "--json").document
    assert found["wall"]["object_after_60_ms"] < 0.05
    assert found["unrendered"] == ["turning about x", "turning about y"]
    assert found["passivity_controller"] == "off"
    (standing,) = found["region"]
    assert standing["axis"] == "moving along x"
    assert standing["inside"] == (standing["margin"] > 0.0)
    assert sorted(path.name for path in folder.iterdir()) == ["wall.csv", "wall.json", "wall.png"]
    kept = json.loads((folder / "wall.json").read_text(encoding="utf-8"))
    assert kept["wall"] == found["wall"]
    assert (folder / "wall.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["puma560", "--experiment", "mass-5", "--impact", "0.1"], "has no wall"),
        (["puma560", "--experiment", "mass-5", "--one-sided"], "has no wall"),
        (["puma560", "--rate", "0"], "--rate 0"),
        (["puma560", "--poles", "-12,-13"], "one pole for all joints"),
        (["puma560", "--frame", "claw"], "claw"),
        (["puma560", "--effort", "2"], "effort"),
        (["puma560", "--pace", "0"], "pace"),
        (["planar2r", "--experiment", "mass-5"], "planar2r"),
    ],
)
def test_misuse(torquec, words, message):
    refused = torquec("haptic", *words)
    assert refused.status == 2
    assert message in refused.err
