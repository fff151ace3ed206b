"""What every command has: the same argument, the same options, targets that are checked before the work."""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
import sys

import numpy as np
import pytest

import torquec as tq
from torquec.cli.app import COMMANDS
from torquec.cli.command import Outcome, StochasticOptions
from torquec.cli.eval import EvalOptions, evaluate
from torquec.robot import classics

LOCKS = ("--lock", "joint4=0", "--lock", "joint5=0.7", "--lock", "joint6=0")
SHARED = ("--payload", "--lock", "--snap", "--strict", "--gravity")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_shared_options_are_everywhere(torquec, command):
    shown = torquec(command.name, "--help").out
    assert "--json" in shown
    assert command.example.split()[1] == command.name
    assert all((word in shown) is not command.without_model for word in SHARED)


STOCHASTIC = {command.name for command in COMMANDS if issubclass(command.options, StochasticOptions)}


def source_with_helpers(function):
    """The source of a command and of the functions of its file that it names, directly or through each other."""
    module, found, waiting = sys.modules[function.__module__], {}, [function]
    while waiting:
        each = waiting.pop()
        found[each.__name__] = inspect.getsource(each)
        named = [getattr(module, name, None) for name in re.findall(r"\w+", found[each.__name__])]
        waiting += [
            other
            for other in named
            if inspect.isfunction(other) and other.__module__ == module.__name__ and other.__name__ not in found
        ]
    return "\n".join(found.values())


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_that_draws_random_numbers_has_the_same_seed(torquec, command):
    source = source_with_helpers(command.function)
    draws = "default_rng(" in source or "seed=" in source
    assert draws is (command.name in STOCHASTIC)
    assert ("seed" in command.options.__annotations__) is False, "declared once, in StochasticOptions"
    shown = " ".join(torquec(command.name, "--help").out.replace("│", " ").split())
    assert ("--seed" in shown) is draws


def test_the_seed_is_recorded_and_cannot_be_negative(torquec, arm):
    assert torquec("bench", arm, "--rounds", "1", "--seed", 5, "--json").document["seed"] == 5
    assert torquec("excite", arm, "-o", "x.csv", "--seed", -1).status == 2
    assert {"bench", "compare", "excite", "haptic", "selftest", "simulate", "verify-specification"} == STOCHASTIC


def test_the_help_names_every_classic(torquec):
    shown = " ".join(torquec("info", "--help").out.split())
    assert all(name in shown for name in classics.names())


def test_a_command_is_a_function_of_a_model_and_options():
    outcome = evaluate(tq.compile(classics.planar2r()), options=EvalOptions(q="0.1,0.2"))
    assert isinstance(outcome, Outcome)
    assert outcome.document["joints"] == ["joint1", "joint2"]
    assert "Mass matrix" in outcome.text


def test_a_payload_is_known_to_the_model(torquec):
    arm = classics.puma560()
    held = tq.compile(tq.attach_payload(arm, "link6", mass=2.5, center=(0.0, 0.1, 0.2)))
    state = "0.1,-0.8,0.4,0,0.3,0"
    document = torquec("eval", "puma560", "--q", state, "--payload", "link6:2.5,0,0.1,0.2", "--json").document
    q = [float(word) for word in state.split(",")]
    assert document["gravity"] == pytest.approx(held.gravity_torque(q).tolist(), rel=1e-12)
    twice = torquec("eval", "puma560", "--payload", "link6:1", "--payload", "link6:1", "--json").document
    once = torquec("eval", "puma560", "--payload", "link6:2", "--json").document
    assert np.allclose(twice["M"], once["M"], rtol=1e-12, atol=0.0)


def test_a_locked_joint_is_gone_and_its_position_counts(torquec):
    arm = tq.compile(classics.puma560())
    document = torquec("eval", "puma560", *LOCKS, "--q", "0.1,-0.8,0.4", "--json").document
    assert document["joints"] == ["joint1", "joint2", "joint3"]
    whole = arm.gravity_torque([0.1, -0.8, 0.4, 0.0, 0.7, 0.0])
    assert document["gravity"] == pytest.approx(whole[:3].tolist(), rel=1e-9)
    degrees = torquec("eval", "puma560", "--lock", "joint5=40", "--deg", "--json").document
    radians = torquec("eval", "puma560", "--lock", f"joint5={math.radians(40)!r}", "--json").document
    assert degrees["gravity"] == pytest.approx(radians["gravity"], rel=1e-12)


@pytest.mark.parametrize(
    "words",
    [
        ("info",),
        ("eval",),
        ("params",),
        ("equations",),
        ("linearize",),
        ("generate", "-o", "FOLDER", "--quantity", "gravity_torque"),
        ("design", "-o", "FOLDER"),
        ("simulate", "--to", "0.1,0.1,0.1", "--duration", "0.1", "--friction", "none", "-o", "FOLDER"),
    ],
    ids=lambda words: words[0],
)
def test_payload_lock_and_gravity_leave_a_trace(torquec, tmp_path, words):
    """In the JSON document, in the kept result and its page, and at the top of code."""
    command, *options = (str(tmp_path / "out") if word == "FOLDER" else word for word in words)
    change = ("--payload", "link6:2.5,0,0.1,0.2", "--gravity", "0,0,-1.62", *LOCKS)
    outcome = torquec(command, "puma560", *options, *change, "--json")
    assert outcome.status == 0, outcome.err
    used = outcome.document["robot_as_used"]
    assert [(held["frame"], held["mass"], held["center"]) for held in used["payload"]] == [
        ("link6", 2.5, [0.0, 0.1, 0.2])
    ]
    assert used["locked"] == {"joint4": 0.0, "joint5": 0.7, "joint6": 0.0}
    assert used["gravity"] == [0.0, 0.0, -1.62]
    for path in tmp_path.glob("out/*.h"):
        # Claims quote a name only where it could be taken for words.
        header = " ".join(path.read_text().replace("\n * ", " ").replace("'", "").split())
        for stated in ("2.5 kg at (0.0, 0.1, 0.2) m of frame link6", "joint5 at 0.7", "(0.0, 0.0, -1.62) m/s^2"):
            assert stated in header
    for path in tmp_path.glob("out/report.html"):
        page = path.read_text()
        assert "payload, known to the model" in page
        assert "joint5 at" in page


def test_joints_that_the_motion_does_not_move_are_locked_in_the_result(torquec, tmp_path):
    (tmp_path / "motion.csv").write_text("t,joint1\n0,0\n0.1,0.01\n0.2,0.02\n")
    words = ("--trajectory", tmp_path / "motion.csv", "--no-limits", "--friction", "none", "--json")
    document = torquec("simulate", "planar2r", *words).document
    assert document["robot_as_used"]["locked"] == {"joint2": 0.0}


def test_a_saved_model_is_a_robot_too(torquec, tmp_path):
    file = tmp_path / "arm.tq.json"
    tq.save(tq.compile(classics.planar2r()), file)
    assert torquec("info", file, "--json").document["kind"] == "exact"
    saved = torquec("eval", file, "--q", "0.3,0.4", "--json").document
    assert saved == torquec("eval", "planar2r", "--q", "0.3,0.4", "--json").document


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--payload", "link6"], "--payload link6"),
        (["--payload", "link6:x"], "--payload link6:x"),
        (["--payload", "link6:1,2"], "--payload link6:1,2"),
        (["--payload", "hand:1"], "no frame 'hand'"),
        (["--lock", "joint1"], "--lock joint1"),
        (["--lock", "elbow=1"], "elbow"),
        (["--lock", "joint1=1", "--lock", "joint1=2"], "twice"),
    ],
)
def test_what_is_no_payload_or_lock_is_refused(torquec, arguments, message):
    refused = torquec("eval", "puma560", *arguments)
    assert (refused.status, refused.out) == (2, "")
    assert message in refused.err
    assert "remedy" in refused.err


def test_targets_are_checked_before_the_robot_is_even_read(torquec, tmp_path):
    (tmp_path / "file").write_text("mine")
    for words, message in (
        (("generate", "gone.urdf", "-o", tmp_path / "file"), "this is a file"),
        (("equations", "gone.urdf", "-o", tmp_path / "gone" / "x.txt"), "no such folder"),
        (("simulate", "gone.urdf", "--plot", tmp_path / "errors.doc"), "not that of a picture"),
        (("identify", "gone.urdf", "log.csv", "--urdf", tmp_path / "file"), "--force"),
    ):
        refused = torquec(*words)
        assert refused.status == 2
        assert message in refused.err


def test_pictures_need_their_package_before_the_work(torquec, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    refused = torquec("simulate", "gone.urdf", "--plot", tmp_path / "errors.png")
    assert refused.status == 2
    assert "torquec[plot]" in refused.err


def test_completion_is_offered(torquec):
    assert "--install-completion" in torquec("--help").out


def test_version_is_a_command(torquec):
    document = torquec("version", "--json").document
    assert document["torquec"] == tq.__version__
    assert document["packages"]["numpy"] == np.__version__


def test_options_are_frozen():
    assert all(dataclasses.is_dataclass(command.options) for command in COMMANDS)
    assert all(command.options.__dataclass_params__.frozen for command in COMMANDS)
