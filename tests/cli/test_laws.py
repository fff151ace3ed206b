"""Laws from the command line: the same law from its file, and no option that is silently ignored."""

from __future__ import annotations

import pytest

import torquec as tq
from torquec.project.law_choice import parse_poles
from torquec.trajectory import minimum_jerk, write_trajectory

MOTION = ("--to", "0.4,-0.3", "--duration", "1.5")


@pytest.mark.parametrize(
    "law",
    [
        ("--controller", "computed-torque", "--evaluation", "measured"),
        ("--controller", "pole-placement", "--sampled"),
        ("--controller", "computed-torque", "--abbreviated", "--threshold", "0.02"),
        ("--controller", "pid", "--effort", "0.5"),
        ("--controller", "diagonal", "--friction-at", "nothing"),
    ],
    ids=lambda words: " ".join(words[1:]),
)
def test_a_law_runs_from_its_file_as_it_was_designed(torquec, tmp_path, law):
    options = ("--poles", "-8+8j", "--rate", "200")
    assert torquec("design", "planar2r", *law, *options, "-o", tmp_path / "law").status == 0
    effort = law[2:] if "--effort" in law else ()
    file = ("--law", tmp_path / "law" / "controller.json", *effort)
    from_file = torquec("simulate", "planar2r", *file, *MOTION, "--json").document
    directly = torquec("simulate", "planar2r", *law, *options, *MOTION, "--json").document
    assert from_file["period"] == 0.005
    assert from_file["rmse"] == pytest.approx(directly["rmse"], rel=1e-9, abs=1e-15)


def test_lqr_runs_from_its_file_with_its_schedule(torquec, tmp_path):
    arm = tq.classics.planar2r()
    motion = write_trajectory(
        minimum_jerk([0.0, 0.0], [0.4, -0.3], 1.0, joints=arm.joint_names, period=0.005), tmp_path / "m.csv"
    )
    law = ("--controller", "lqr", "--trajectory", motion, "--weights", "0.002,0.02,30", "--rate", "200")
    designed = torquec("design", "planar2r", *law, "-o", tmp_path / "law", "--json").document
    assert designed["poles"] == []
    assert designed["weights"]["torque"] == [pytest.approx(1 / 900)] * 2
    assert "poles" not in torquec("design", "planar2r", *law).out
    file = ("--law", tmp_path / "law" / "controller.json", "--trajectory", motion)
    from_file = torquec("simulate", "planar2r", *file, "--json").document
    directly = torquec("simulate", "planar2r", *law, "--json").document
    assert from_file["rmse"] == pytest.approx(directly["rmse"], rel=1e-9, abs=1e-15)


def test_gains_are_printed(torquec):
    document = torquec("design", "planar2r", "--poles", "-3+4j", "--json").document
    assert document["gains"]["joint1"] == {"stiffness": pytest.approx(25.0), "damping": pytest.approx(6.0)}
    shown = torquec("design", "planar2r", "--poles", "-10/-30", "--controller", "pd").out
    assert "position" in shown
    assert "measured state" in shown


def test_half_the_effort_halves_the_torques(torquec, tmp_path):
    from torquec.control.controller_file import read_controller

    torquec("design", "puma560", "--effort", "0.5", "-o", tmp_path)
    tau = read_controller(tmp_path / "controller.json").torque([9.0] * 6, *[[0.0] * 6] * 4)
    assert abs(tau) == pytest.approx([48.8, 93.2, 44.7, 12.1, 10.05, 10.65])


def test_a_trajectory_of_some_joints_holds_the_others(torquec, tmp_path):
    motion = minimum_jerk([0.0, -0.5], [0.3, -0.3], 1.0, joints=("joint1", "joint2"), period=0.01)
    path = write_trajectory(motion, tmp_path / "two.csv")
    outcome = torquec("simulate", "puma560", "--trajectory", path, "--json")
    assert outcome.document["joints"] == ["joint1", "joint2"]
    assert "held still: joint3 at 0" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--controller", "lqr", "--poles", "-3"), "no use for --poles"),
        (("--controller", "pd", "--sampled"), "no use for --sampled"),
        (("--controller", "pd", "--evaluation", "measured"), "no use for --evaluation"),
        (("--weights", "1,2"), "no use for --weights"),
        (("--threshold", "0.1"), "without --abbreviated"),
        (("--evaluation", "sky", "--controller", "computed-torque"), "there is no evaluation 'sky'"),
        (("--effort", "0"), "--effort 0"),
        (("--controller", "pd", "--plot", "pictures"), "no root loci"),
    ],
)
def test_options_without_effect_are_refused(torquec, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    refused = torquec("design", "planar2r", *arguments)
    assert refused.status == 2
    assert message in refused.err
    assert not list(tmp_path.iterdir())


def test_a_finished_law_is_not_made_again(torquec, tmp_path):
    torquec("design", "planar2r", "-o", tmp_path)
    refused = torquec("simulate", "planar2r", "--law", tmp_path / "controller.json", "--poles", "-3", *MOTION)
    assert refused.status == 2
    assert "--poles makes a law" in refused.err


def test_one_pair_of_poles_is_for_all_joints(torquec):
    assert parse_poles("-10/-30") == [[-10 + 0j, -30 + 0j]]
    document = torquec("design", "planar2r", "--poles=-10/-30", "--json").document
    assert document["poles"] == [[[-10.0, 0.0], [-30.0, 0.0]]] * 2


def test_pictures_are_of_the_loop_that_the_text_reports(torquec, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    from torquec.report import design

    drawn = []
    monkeypatch.setattr(
        design, "write_picture", lambda plots, path, *, title: drawn.append((path.stem, plots[0].title, title)) or path
    )
    point = ("--q", "0.3,0.4", "--qd", "1,1", "--qdd", "2,2")
    for more in ((), ("--sampled",), ("--controller", "computed-torque")):
        drawn.clear()
        document = torquec(
            "design",
            "planar2r",
            "--poles",
            "-20+20j",
            "--rate",
            "100",
            *point,
            *more,
            "--plot",
            tmp_path,
            "--json",
            "--force",
        ).document
        assert [name for name, _, _ in drawn] == ["eigenvalues", *(f"root_locus_{f}" for f in document["robustness"])]
        for (_, plot, title), (low, high) in zip(drawn[1:], document["robustness"].values(), strict=True):
            for limit, infinite in ((low, "-\N{INFINITY} <"), (high, "< \N{INFINITY}")):
                assert (infinite if limit is None else f"{limit:.4g}") in plot
            assert "100 Hz" in title
