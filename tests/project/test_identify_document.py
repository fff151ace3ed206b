"""What `torquec identify` prints: every statistic in text and document, elimination, payload, published parameters."""

from __future__ import annotations

import pytest
from tests.cli.identify_logs import QUICK, write_arm

GRAVITY = ("--gravity", "0,-9.81,0")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_arm(tmp_path_factory.mktemp("logs"))


def test_statistics_are_in_the_document(torquec, files):
    arm, bare, other, _ = files
    document = torquec("identify", arm, bare, "--validate", other, *GRAVITY, *QUICK, "--json").document
    first = document["parameters"][0]
    assert set(first) == {"name", "value", "std", "significant"}
    low, high = document["confidence"][first["name"]]
    assert low < first["value"] < high
    assert document["condition"] >= 1.0
    assert document["unit_condition"] >= 1.0
    assert isinstance(document["correlations"], list)
    assert document["cross_validation_error"] > 0.0
    for log in (*document["training"], *document["validation"]):
        assert set(log) == {"file", "rmse", "relative_error", "average", "std", "max", "min"}
        assert log["min"]["joint1"] <= log["average"]["joint1"] <= log["max"]["joint1"]
    assert "elimination" not in document
    assert "payload" not in document


def test_statistics_are_in_the_text(torquec, files):
    arm, bare, other, _ = files
    out = torquec("identify", arm, bare, "--validate", other, *GRAVITY, *QUICK, "--details").out
    for words in ("95 % from", "significant", "measured - predicted", "average", "correlat", "unit columns"):
        assert words in out
    assert "cross-validated" in out
    assert "trusted" in out


def test_elimination(torquec, files):
    arm, bare, other, _ = files
    document = torquec("identify", arm, bare, other, *GRAVITY, *QUICK, "--eliminate", "--json").document["elimination"]
    assert document["standard"] == 26
    assert document["independent"] == len(document["all"]) == 12
    assert document["significant"] == len(document["kept"])
    assert set(document["kept"][0]) == {"name", "letter", "average", "std", "max", "min"}
    assert len(document["dropped"]) == 12 - document["significant"]
    out = torquec("identify", arm, bare, other, *GRAVITY, *QUICK, "--eliminate").out
    assert "Table 1. Statistics for the Parameters" in out
    assert "Table 2. Statistics for the Significant Parameters" in out
    assert "Table 3. Comparison" in out  # the robot's file has friction
    assert "Value Found in the Robot's File" in out
    assert "fs Coulomb" in out


def test_elimination_of_the_paper(torquec):
    """Ten short runs of a simulated PUMA 260: 78, 52, about 23 parameters, thirty times better conditioned."""
    document = torquec(
        "identify", "puma260", "simulated", "--eliminate", "--method", "weighted", "--friction", "symmetric",
        "--rotors", "--json",
    ).document["elimination"]  # fmt: skip
    assert (document["standard"], document["independent"]) == (78, 52)
    assert 20 <= document["significant"] <= 26
    assert document["improvement"] > 30.0


def test_payload(torquec, files):
    arm, bare, _, loaded = files
    options = (*GRAVITY, *QUICK, "--method", "weighted", "--payload-log", loaded)
    document = torquec("identify", arm, bare, *options, "--frame", "hand", "--json").document["payload"]
    values = {parameter["name"]: parameter for parameter in document["parameters"]}
    assert document["frame"] == "hand"
    assert document["mass"] == pytest.approx(2.0, rel=0.02)
    assert values["mx"]["value"] == pytest.approx(0.2, rel=0.05)
    assert values["mz"]["identified"] is False
    assert values["mz"]["std"] is None
    assert document["relative_error"] < 0.02 < document["relative_error_without"]
    assert document["solid"]["m"] == pytest.approx(document["mass"], rel=1e-3)
    out = torquec("identify", arm, bare, *options).out
    assert "payload on frame 'link2'" in out
    assert "open" in out


def test_published_combinations(torquec, files, tmp_path):
    arm, bare, *_ = files
    published = tmp_path / "published.csv"
    published.write_text("expression,value,std\nIzz_link2,0.33,0.01\nviscous_joint1,9,0.01\n")
    options = (*GRAVITY, *QUICK, "--method", "ordinary", "--compare", published)
    document = torquec("identify", arm, bare, *options, "--json").document["comparison"]
    assert [abs(row["difference_in_std"]) > 3.0 for row in document["rows"]] == [False, True]
    assert document["within"]["3"] == 1
    assert "1 within 3 standard deviations" in torquec("identify", arm, bare, *options).out
    published.write_text("expression,value\nIzz_link1,1\n")
    refused = torquec("identify", arm, bare, *options)
    assert refused.status == 2
    assert "no torque determines 'Izz_link1'" in refused.err


def test_a_frame_alone_means_nothing(torquec):
    outcome = torquec("identify", "planar2r", "simulated", "--frame", "hand")
    assert outcome.status == 2
    assert "--payload-log" in outcome.err
