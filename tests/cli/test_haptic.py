"""`torquec haptic`: experiments from the command line."""

import json

import pytest

pytest.importorskip("scipy")


def test_a_mass_felt_through_a_scara_with_files(torquec, tmp_path):
    """One run: JSON, table and picture; the mass is felt within 2 %, and what a Scara cannot render is said."""
    pytest.importorskip("matplotlib")
    folder = tmp_path / "felt"
    found = torquec("haptic", "scara", "--experiment", "mass-5", "-o", folder, "--json").document
    assert found["felt"]["mean"] == pytest.approx(5.0, rel=0.02)
    assert found["felt"]["deviation"] <= found["felt"]["paper"]["deviation"]
    low, high = found["felt"]["unbiased"]["interval"]
    assert found["felt"]["unbiased"]["value"] == pytest.approx(5.0, rel=0.005)
    assert low <= 5.0 <= high
    assert [study["filter"] for study in found["filters"]] == ["force", "velocity"]
    assert found["unrendered"] == ["turning about x", "turning about y"]
    assert found["passivity_controller"] == "off"
    assert [standing["axis"] for standing in found["region"]] == ["moving along x", "moving along y"]
    assert all(standing["inside"] == (standing["margin"] > 0.0) for standing in found["region"])
    names = ["mass-5.csv", "mass-5.json", "mass-5.png", "report.html", "report.json"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert "felt through scara" in (folder / "report.html").read_text(encoding="utf-8")
    kept = json.loads((folder / "mass-5.json").read_text(encoding="utf-8"))
    assert kept["felt"] == found["felt"]
    assert (folder / "mass-5.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["puma560", "--experiment", "mass-5", "--impact", "0.1"], "has no wall"),
        (["puma560", "--experiment", "mass-5", "--one-sided"], "has no wall"),
        (["puma560", "--offset", "0.1,0"], "--offset has 2 values"),
        (["puma560", "--mass", "100", "--weight"], "force sensor's range"),
        (["puma560", "--wall-damping", "2"], "has no wall"),
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
