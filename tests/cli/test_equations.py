"""`torquec equations`."""

from __future__ import annotations

import json
import re

import pytest

import torquec as tq

FORMATS = {
    "text": "M11 = ",
    "latex": r"\documentclass",
    "html": "<!DOCTYPE html>",
    "json": '"entries"',
    "python": "def M(q)",
    "c": "#include <math.h>",
}


def test_appendix_a_of_clover(torquec):
    rule = ("--whole", "--multiple-angles", "--threshold", 0.01, "--digits", 4)
    shown = torquec("equations", "puma560", *rule).out
    assert "M12 = 0.6903*sin(q2) - 0.1341*cos(q2 + q3) + 0.02375*cos(q2)\n" in shown
    assert "V6 = 0.216*qd6 + 0.3    for qd6 > 0\n" in shown


def test_json_has_the_keys_of_the_contract(torquec):
    document = torquec("equations", "puma560", "--json").document
    assert document["terms"] == {"M": 99, "g": 13}
    entry = document["entries"]["M[1,2]"]
    assert entry["depends_on"] == ["joint2", "joint3", "joint4", "joint5"]
    assert set(entry["terms"][0]) == {"coefficient", "factors"}
    assert document["angles"] == {"q23": {"joint2": 1, "joint3": 1}}


def test_what_is_left_out_is_named_and_not_called_zero(torquec, tmp_path):
    """B and D of the planar arm, as every textbook has them, are not zero."""
    shown = torquec("equations", "planar2r", "--no-whole").out
    assert "Left out here, and not zero in general: B (Coriolis) and D (centrifugal)." in shown
    assert "Entries that are not shown are zero" not in shown
    document = torquec("equations", "puma560", "--json").document
    assert document["not_shown"] == ["B", "D", "V"]
    assert document["equation"].startswith("tau = M(q) qdd + B(q)")
    whole = torquec("equations", "puma560", "--whole", "--json").document
    assert whole["not_shown"] == []
    assert {key[0] for key in whole["entries"]} == {"M", "B", "D", "g"}
    model = tmp_path / "small.tq.json"
    tq.save(tq.base_parameter_model(tq.classics.puma560()), model)
    assert torquec("equations", model, "--json").document["not_shown"] == ["V"]
    complete = torquec("equations", model, "--whole", "--json").document
    assert complete["not_shown"] == []
    assert set(complete["friction"]) == {f"joint{k}" for k in range(1, 7)}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_goes_to_stdout_and_to_a_file(torquec, arm, tmp_path, name):
    shown = torquec("equations", arm, "--format", name)
    assert shown.status == 0
    assert FORMATS[name] in shown.out
    path = tmp_path / "equations.out"
    written = torquec("equations", arm, "--format", name, "-o", path)
    assert written.out == ""
    assert str(path) in written.err
    assert path.read_text(encoding="utf-8") == shown.out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["arm.urdf", "equations.out"]


def test_json_beside_a_file(torquec, arm, tmp_path):
    path = tmp_path / "equations.html"
    document = torquec("equations", arm, "--format", "html", "-o", path, "--json").document
    assert document["file"] == str(path)
    assert document["joints"] == ["shoulder", "elbow"]
    assert path.exists()


def test_entries_and_matrices(torquec, arm):
    shown = torquec("equations", arm, "--entry", "M[1,2]", "--entry", "g[2]").out
    assert "M12 = " in shown
    assert "g2 = " in shown
    assert "M11 = " not in shown
    shown = torquec("equations", arm, "--matrix", "B", "--matrix", "D").out
    assert "B[1,12] = " in shown
    assert "D12 = " in shown
    assert json.loads(torquec("equations", arm, "--format", "json", "--matrix", "C").out)["entries"]["C[1,1]"]


def test_links_without_inertia_are_named(torquec, arm):
    arm.write_text(re.sub(r"<inertial>.*?</inertial>", "", arm.read_text(), flags=re.DOTALL))
    refused = torquec("equations", arm)
    assert refused.status == 2
    assert refused.out == ""
    assert re.search(r"upper \(line \d+\), lower \(line \d+\)", refused.err)
    parametric = torquec("equations", arm, "--coefficients", "parameters", "--entry", "M[2,2]")
    assert parametric.status == 0
    assert "M22 = Iyy_lower" in parametric.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--entry", "M[1,3]"], "joints count from 1 to 2"),
        (["--entry", "Q[1,2]"], "not the name of an entry"),
        (["--matrix", "Q"], "there is no matrix 'Q'"),
        (["--matrix", "M", "--whole"], "do not go together"),
        (["--threshold", "-1"], "threshold"),
        (["--threshold", "nan"], "threshold"),
        (["--digits", "0"], "digits"),
        (["--threshold", "0.1", "--coefficients", "parameters"], "neither compared"),
        (["-o", "/no/such/folder/x.txt"], "cannot be written"),
        (["--format", "pdf"], "pdf"),
    ],
)
def test_misuse_is_a_message(torquec, arm, arguments, message):
    refused = torquec("equations", arm, *arguments)
    assert refused.status == 2
    assert refused.out == ""
    assert message in refused.err


def test_few_joints_are_shown_whole(torquec):
    """Up to three joints every matrix is shown by default; a choice, and larger arms, have M and g."""
    assert {key[0] for key in torquec("equations", "planar2r", "--json").document["entries"]} == {"M", "B", "D", "g"}
    assert {key[0] for key in torquec("equations", "puma560", "--json").document["entries"]} == {"M", "g"}
    chosen = torquec("equations", "planar2r", "--matrix", "g", "--json").document["entries"]
    assert {key[0] for key in chosen} == {"g"}
