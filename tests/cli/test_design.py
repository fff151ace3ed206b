"""`torquec design`: controllers, robustness, files, and what is refused with joint, time and remedy."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.codegen.c.compiler import COMPILERS, build, run

import torquec as tq
from torquec.control.controller_file import read_controller
from torquec.model.model_kinds import base_parameter_model
from torquec.project.law_choice import parse_poles
from torquec.trajectory import minimum_jerk, write_trajectory

KINDS = ("pole-placement", "computed-torque", "diagonal", "pd", "pid")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_written_and_read_back(torquec, tmp_path, kind):
    output = tmp_path / kind
    document = torquec(
        "design", "planar2r", "--poles", "-5+5j", "--rate", 200, "--controller", kind, "-o", output, "--json"
    ).document
    assert document["controller"] == kind
    assert document["poles"] == [[[-5.0, 5.0], [-5.0, -5.0]]] * 2
    names = {path.rsplit("/", 1)[-1] for path in document["files"]}
    assert names >= {"planar2r_controller.c", "planar2r_controller.h", "controller.json"}
    controller = read_controller(output / "controller.json")
    assert controller.period == 0.005
    assert vars(controller.operations) == document["operations"]


def test_one_program_may_contain_law_dynamics_and_linear_model(torquec, tmp_path):
    made = {"design": "planar2r_controller", "generate": "planar2r", "linearize": "planar2r_linearized"}
    for command in made:
        assert torquec(command, "planar2r", "-o", tmp_path / command).status == 0
    calls = ["controller_computed_torque", "inverse_dynamics", "linearized_linear_model"]
    lines = [f'#include "{tmp_path / command / prefix}.h"' for command, prefix in made.items()]
    names = ", ".join(f"(void (*)(void))planar2r_{name}" for name in calls)
    main = "int main(void) { return calls[0] == calls[1]; }"
    (tmp_path / "main.c").write_text("\n".join([*lines, f"void (*calls[])(void) = {{{names}}};", main, ""]))
    sources = [tmp_path / command / f"{prefix}.c" for command, prefix in made.items()]
    for compiler in COMPILERS:
        build(compiler, "-std=c99", tmp_path / "main.c", *sources, "-lm", "-o", tmp_path / "main")
        assert run(tmp_path / "main").returncode == 0
    named = torquec("design", "planar2r", "-o", tmp_path / "named", "--prefix", "law", "--json").document["files"]
    assert {path.rsplit("/", 1)[-1] for path in named} >= {"law.c", "law.h"}


def test_robustness_at_clovers_point(torquec):
    document = torquec(
        "design", "puma560", "--poles", "-45+45j", "--rate", 200, "--sampled",
        "--q", "2.44,4.9018,1.0598,1.6042,5.8048,4.49", "--qd", "-10,-10,-10,10,10,-10",
        "--qdd", "-100,-100,-100,-100,100,100", "--json",
    ).document  # fmt: skip
    lower, upper = document["robustness"]["gamma"]
    assert upper == pytest.approx(4.523, abs=1e-2)
    assert lower == pytest.approx(9.7e-4, abs=1e-5)
    assert len(document["eigenvalues"]) == 12


def test_a_trajectory_gives_the_worst_case_and_lqr(torquec, tmp_path):
    arm = tq.classics.planar2r()
    path = write_trajectory(minimum_jerk([0.0, 0.0], [0.5, 0.4], 1.0, joints=arm.joint_names), tmp_path / "motion.csv")
    document = torquec("design", "planar2r", "--poles", "-5+5j", "--trajectory", path, "--json").document
    assert set(document["robustness_times"]) == {"alpha", "beta", "gamma"}
    assert document["slowest"]["rate"] < 0.0
    scheduled = torquec(
        "design", "planar2r", "--controller", "lqr", "--trajectory", path, "-o", tmp_path / "lqr", "--json"
    ).document
    written = json.loads((tmp_path / "lqr" / "controller.json").read_text())
    assert scheduled["controller"] == "lqr"
    assert np.array(written["schedule"]["gains"]).shape[1:] == (2, 4)


def test_limits_saturate(torquec, tmp_path):
    torquec("design", "puma560", "--saturate", "-o", tmp_path, "--json")
    controller = read_controller(tmp_path / "controller.json")
    tau = controller.torque(np.full(6, 9.0), *np.zeros((4, 6)))
    assert np.abs(tau) == pytest.approx([97.6, 186.4, 89.4, 24.2, 20.1, 21.3])


def test_pictures(torquec, tmp_path):
    pytest.importorskip("matplotlib")
    document = torquec("design", "planar2r", "--poles", "-5+5j", "--pictures", tmp_path, "--json").document
    assert len(document["pictures"]) == 4


def test_text(torquec):
    shown = torquec("design", "planar2r", "--poles", "-5+5j,-3/-4")
    assert "  -3, -4 " in shown.out
    assert "Stable while the model's error stays" in shown.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--poles", "5"), "joint 'joint1' are unstable"),
        (("--poles", "-900"), "too fast for samples every 0.002 s"),
        (("--poles", "fast"), "'fast' is not a pole"),
        (("--poles", "-5,-5,-5"), "3 poles for 2 joints"),
        (("--rate", "0"), "--rate 0"),
        (("--controller", "lqr"), "belong to a trajectory"),
        (("--trajectory", "standard"), "the standard trajectory is the PUMA 560's"),
        (("--controller", "pd", "--abbreviated"), "pd does not use --abbreviated"),
    ],
)
def test_refusals(torquec, arguments, message):
    shown = torquec("design", "planar2r", "--json", *arguments)
    assert shown.status == 2
    assert shown.out == ""
    assert message in shown.err
    assert "remedy" in shown.err


def test_a_trajectory_outside_the_limits_names_joint_and_time(torquec, tmp_path):
    arm = tq.classics.puma560()
    motion = minimum_jerk(np.zeros(6), [0.0, 1.0, 0.0, 0.0, 0.0, 0.0], 3.0, joints=arm.joint_names)
    shown = torquec("design", "puma560", "--trajectory", write_trajectory(motion, tmp_path / "m.csv"))
    assert shown.status == 2
    assert "joint 'joint2' passes its upper position limit" in shown.err
    assert "at t = 3 s" in shown.err


def test_a_guarantee_for_computed_torque_at_the_measured_state(torquec, tmp_path):
    arm = tq.classics.planar2r()
    path = write_trajectory(minimum_jerk([0.0, 0.3], [0.5, 0.9], 1.0, joints=arm.joint_names), tmp_path / "motion.csv")
    words = ["design", "planar2r", "--poles", "-20", "--controller", "computed-torque", "--evaluation", "measured"]
    document = torquec(*words, "--trajectory", path, "--rate", 500, "--json").document
    guarantee = document["guarantee"]
    assert guarantee["valid"] is True
    assert set(guarantee["bounds"]) == set(arm.joint_names)
    assert all(0.0 < bound["value"] < 1e-2 and bound["unit"] == "rad" for bound in guarantee["bounds"].values())
    assert set(document["payload"]) == {"lower", "upper", "unit", "frame"}
    assert document["covariance"] == {}
    # At the measured state the linear loop is that of pole placement.
    placed = torquec("design", "planar2r", "--poles", "-20", "--rate", 500, "--json").document
    assert np.array(document["eigenvalues"]) == pytest.approx(np.array(placed["eigenvalues"]))
    seldom = torquec(*words, "--trajectory", path, "--rate", 100, "--json").document["guarantee"]
    for joint in arm.joint_names:
        assert seldom["bounds"][joint]["value"] > 2.0 * guarantee["bounds"][joint]["value"]
    text = torquec(*words, "--trajectory", path).out
    assert "at most (position and speed proven, the others computed)\n" in text
    assert "under these conditions:\n  planar2r (sha256 " in text
    assert "the robot without friction" in text
    assert "Statistics: linear stability" in text


def test_no_guarantee_and_why(torquec):
    at_reference = torquec("design", "planar2r", "--evaluation", "reference", "--json").document["guarantee"]
    assert at_reference["valid"] is False
    assert at_reference["bounds"] == {}
    assert "--evaluation measured" in at_reference["reason"]
    words = ["design", "planar2r", "--controller", "computed-torque", "--evaluation", "measured"]
    assert "give a trajectory" in torquec(*words, "--json").document["guarantee"]["reason"]
    assert "abbreviated" in torquec(*words, "--abbreviated", "--json").document["guarantee"]["reason"]
    assert "No guarantee: " in torquec("design", "planar2r", "--controller", "pd").out


def test_a_covariance_of_parameters_is_statistics(torquec, tmp_path):
    arm = tq.classics.planar2r()
    values = np.array(tq.base_parameters(arm).values)
    for part, stable in ((0.01, True), (0.5, False)):
        model = base_parameter_model(arm, covariance=np.diag((part * values) ** 2))
        tq.save(model, tmp_path / "arm.tq.json")
        document = torquec("design", tmp_path / "arm.tq.json", "--poles", "-5+5j", "--json").document
        assert document["covariance"]["level"] == 0.95
        assert document["covariance"]["stable"] is stable
        assert (document["covariance"]["scale"] > 1.0) is stable
        assert document["guarantee"]["valid"] is False


def test_options_of_laws_in_words(torquec, tmp_path):
    words = ("design", "planar2r", "--controller", "pd", "-o", tmp_path / "pd", "--json", "--force")
    assert torquec(*words, "--option", "feedforward=dynamics", "--option", "rates=100,50").status == 0
    made = read_controller(tmp_path / "pd" / "controller.json").design.options
    assert (made.feedforward, made.rates) == ("dynamics", (100.0, 50.0))
    for text, message in (
        ("colour=red", "names no option of a law"),
        ("feedforward=red", "no value of feedforward"),
        ("rates=1,nan", "no value of rates"),
    ):
        assert message in torquec(*words, "--option", text).err
    unused = torquec("design", "planar2r", "--option", "feedforward=dynamics")
    assert "computed-torque does not use 'feedforward'" in unused.err


def test_uncertainty_names_its_sets_and_their_cost(torquec, tmp_path):
    sets, motion = tmp_path / "sets.toml", tmp_path / "motion.csv"
    sets.write_text("[every_joint]\nfriction_part = 0.2\n[bodies]\nmass_part = 0.02\n", encoding="utf-8")
    motion.write_text("t,joint1,joint2\n0,0,0\n1,0.3,-0.2\n", encoding="utf-8")
    given = ["design", "planar2r", "--controller", "computed-torque", "--evaluation", "measured", "--rate", "1000"]
    given += ["--trajectory", str(motion), "--uncertainty", str(sets)]
    found = json.loads(torquec(*given, "--json").out)
    assert found["guarantee"]["valid"], found["guarantee"]["reason"]
    assert "friction as" not in found["guarantee"]["conditions"]
    assert "friction known to 20 % while moving, any Coulomb torque standing" in found["guarantee"]["conditions"]
    assert found["guarantee"]["budget"]["joint1"]["bodies"] > 0.0
    text = torquec(*given).out
    assert "masses known to 2 %" in text
    assert "contributions by cause" in text
    sets.write_text("[every_joint]\nfriction_part = 2\n", encoding="utf-8")
    assert "sets.toml:2: 'friction_part' is 2.0" in torquec(*given).err


def test_law_and_poles_for_the_smallest_bound(torquec, tmp_path):
    sets, motion = tmp_path / "sets.toml", tmp_path / "motion.csv"
    sets.write_text('[every_joint]\nposition = 1e-5\nspeed = "difference"\n[timing]\ndelay = 1\n', encoding="utf-8")
    motion.write_text("t,joint1,joint2\n0,0,0\n1,0.3,-0.2\n", encoding="utf-8")
    words = ["design", "planar2r", "--rate", "1000", "--trajectory", str(motion), "--for-guarantee", "--seconds", "0.1"]
    given = [*words, "--uncertainty", str(sets)]
    found = json.loads(torquec(*given, "--json", "-o", tmp_path / "law").out)
    laws = found["for_guarantee"]["laws"]
    assert found["controller"] == found["for_guarantee"]["law"]
    best = min(laws, key=lambda law: law["bound"])
    assert best["law"] == found["controller"]
    bounds = [bound["value"] for bound in found["guarantee"]["bounds"].values()]
    assert max(bounds) == pytest.approx(best["bound"], rel=0.1)  # a witness may be a little wider
    made = tq.read_controller(tmp_path / "law" / "controller.json")
    assert made.design.law.value == best["law"]
    page = (tmp_path / "law" / "report.html").read_text(encoding="utf-8")
    assert f"Laws compared: {best['law']} has the smallest bound of {found['for_guarantee']['tried']}" in page
    assert ">0 drawings" not in page
    text = torquec(*given).out
    assert "has the smallest proven bound of" in text
    assert "largest position bound" in text
    assert "a design for the guarantee needs a motion and sets" in torquec(*words).err
    assert "--for-guarantee chooses 'poles' itself" in torquec(*given, "--poles", "-20").err
    assert "no tracking error of slotine-li is bounded" in torquec(*given, "--controller", "slotine-li").err


def test_an_observer_beside_the_law(torquec, tmp_path):
    words = ("design", "planar2r", "--controller", "computed-torque", "--rate", "1000", "--observe", "50")
    document = torquec(*words, "--observer", tmp_path / "law_observer", "--json").document
    assert document["observer"]["bandwidth"] == 50.0
    found = tq.read_observer(tmp_path / "law_observer" / "controller.json")
    assert (found.period, found.bandwidth) == (0.001, 50.0)
    package = ("generate", "planar2r", "--target", "rt-c", "-o", tmp_path / "rt")
    made = torquec(*package, "--observer", tmp_path / "law_observer" / "controller.json", "--json").document
    assert "momentum_observer" in made["functions"]
    assert "--observe and --observer go together" in torquec(*words).err


def test_an_estimator_in_simulation_and_code(torquec, tmp_path):
    words = ("design", "planar2r", "--rate", "500", "--estimate", "link2")
    assert torquec(*words, "--estimator", tmp_path / "e", "--json").document["estimator"]["frame"] == "link2"
    package = ("generate", "planar2r", "--target", "rt-c", "-o", tmp_path / "rt", "--json")
    made = torquec(*package, "--estimator", tmp_path / "e" / "controller.json").document
    assert "recursive_estimator" in made["functions"]
    motion = ("--from", "0,0", "--to", "1.2,-0.9", "--duration", "2")
    run = ("simulate", "planar2r", *motion, "--plant-payload", "link2:0.5", "--estimate", "link2")
    found = torquec(*run, "--json").document["payload_estimate"]
    assert abs(found["mass"] - 0.5) < 0.1
    assert "Payload in link2, estimated: 0." in torquec(*run).out
    assert "--estimate and --estimator go together" in torquec(*words).err


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
        (("--controller", "lqr", "--poles", "-3"), "does not use --poles"),
        (("--controller", "pd", "--sampled"), "does not use --sampled"),
        (("--controller", "pd", "--evaluation", "measured"), "does not use --evaluation"),
        (("--weights", "1,2"), "does not use --weights"),
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
