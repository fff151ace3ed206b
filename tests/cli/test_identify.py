"""`torquec check-log` and `identify`: their documents, exit status, and files that are not overwritten."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from tests.cli.conftest import ARM
from tests.posted_executor import PostedExecutor

import torquec as tq
from torquec.foundation.csv_text import csv_text

QUICK = ("--cutoff", 10, "--no-rotors", "--friction", "offset", "--strength", 10)


def test_identify_prints_its_contract(torquec):
    document = torquec("identify", "planar2r", "simulated", *QUICK, "--validate", "simulated", "--json").document
    assert {
        "parameters", "rmse", "relative_error", "condition", "physically_consistent", "verdict", "validation",
    } <= set(document)  # fmt: skip
    assert set(document["parameters"][0]) == {"name", "value", "std", "significant"}
    assert set(document["rmse"]) == {"joint1", "joint2"}
    assert document["relative_error"] < 0.02
    assert document["validation"][0]["relative_error"] < 0.02
    assert document["physically_consistent"] is True


def test_identify_writes_a_urdf_and_keeps_an_older_one(torquec, tmp_path):
    target = tmp_path / "arm.urdf"
    assert torquec("identify", "planar2r", "simulated", *QUICK, "--urdf", target).status == 0
    assert tq.load(target).n == 2
    again = torquec("identify", "planar2r", "simulated", *QUICK, "--urdf", target)
    assert again.status == 2
    assert "--force" in again.err
    assert torquec("identify", "planar2r", "simulated", *QUICK, "--urdf", target, "--force").status == 0


@pytest.mark.parametrize(("option", "value"), [("--method", "magic"), ("--friction", "glue"), ("--map", "gone.toml")])
def test_identify_refuses_unknown_words(torquec, option, value):
    outcome = torquec("identify", "planar2r", "simulated", option, value)
    assert outcome.status == 2
    assert value in outcome.err


def test_check_log_says_what_is_wrong_with_status_one(torquec, tmp_path):
    rows = "\n".join(f"{0.01 * k},{0.1 * k},{0.2 * k},1,1" for k in range(5))
    log = tmp_path / "log.csv"
    log.write_text(f"t,q1,q2,tau1,tau2\n{rows}\n")
    assert torquec("check-log", "planar2r", "simulated").status == 0
    still = "\n".join(f"{0.01 * k},0.1,0.2,1,1" for k in range(50))
    log.write_text(f"t,q1,q2,tau1,tau2\n{still}\n")
    outcome = torquec("check-log", "planar2r", log, "--json")
    assert outcome.status == 1
    assert outcome.document["logs"][0]["usable"] is False
    assert "standstill" in {finding["kind"] for finding in outcome.document["logs"][0]["findings"]}


def test_identify_draws_the_torques(torquec, tmp_path):
    pytest.importorskip("matplotlib")
    target = tmp_path / "torques.png"
    document = torquec("identify", "planar2r", "simulated", *QUICK, "--plot", target, "--json").document
    assert document["files"] == [str(target)]
    assert target.read_bytes()[:4] == b"\x89PNG"


def test_processes_are_for_files_in_pieces(torquec, tmp_path, monkeypatch):
    posted = PostedExecutor()
    monkeypatch.setattr("torquec.cli.worker_pool.worker_pool", lambda jobs: contextlib.nullcontext(posted))
    path = tmp_path / "excite.csv"
    assert torquec("excite", "planar2r", "-o", path, "--evaluations", 50).status == 0
    posted.done.clear()
    words = ("identify", "planar2r", path, "--cutoff", 10, "--friction", "none", "--method", "ordinary", "--jobs", 2)
    outcome = torquec(*words, "--stream", "--json")
    assert outcome.status == 0, outcome.err
    assert "_of_log" in posted.done
    refused = torquec(*words)
    assert refused.status == 2
    assert "add --stream" in refused.err


TENSOR = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.15"/>'
HEAVY = f'<link name="base"><inertial><mass value="5"/>{TENSOR}</inertial></link>'


def test_a_log_with_the_wrench_on_the_base_gives_the_masses_back(torquec, tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM.replace('<link name="base"/>', HEAVY))
    robot = tq.load(path, base="floating")
    rng, t = np.random.default_rng(0), np.arange(1500) / 250.0
    size, omega, phase = rng.uniform(0.3, 1.0, (3, robot.nv, 3))
    angle = 2.0 * np.pi * (0.3 + omega) * t[:, None, None] + 6.0 * phase
    qd = (size * np.sin(angle)).sum(axis=2)
    qdd = (size * 2.0 * np.pi * (0.3 + omega) * np.cos(angle)).sum(axis=2)
    q = [np.array(tq.neutral(robot))]
    for k in range(len(t) - 1):
        q.append(np.array(tq.integrate(robot, q[-1], 0.5 * (qd[k] + qd[k + 1]), time=t[1])))
    model = tq.compile(robot)
    tau = model.inverse_dynamics(np.array(q), qd, qdd)
    jacobians = (model.jacobian("base")(own)[:, :6].T for own in q)
    wrench = np.array([np.linalg.solve(own, row[:6]) for own, row in zip(jacobians, tau, strict=True)])
    names = ["t", *(f"q_{name}" for name in robot.position_names)]
    names += [f"{kind}_{name}" for kind in ("qd", "qdd", "tau") for name in robot.coordinate_names]
    names += [f"{kind}_base_{axis}" for kind in ("force", "moment") for axis in "xyz"]
    log = tmp_path / "log.csv"
    log.write_text(csv_text(names, np.column_stack([t, q, qd, qdd, tau, wrench])))
    made = tmp_path / "found.urdf"
    options = ("--base", "floating", "--cutoff", "30", "--friction", "none", "--no-rotors")
    document = torquec("identify", path, log, *options, "--urdf", made, "--json").document
    found = {each["name"]: each["value"] for each in document["parameters"]}
    base = tq.base_parameters(robot, motors=False)
    np.testing.assert_allclose([found[name] for name in base.names], base.values, atol=1e-5)
    assert document["physically_consistent"]
    again = tq.compile(tq.load(made)).inverse_dynamics(np.array(q), qd, qdd)
    np.testing.assert_allclose(again, tau, atol=1e-3)
    assert "relative error" in torquec("identify", path, log, *options).out
    refused = torquec("identify", path, log, *options, "--partial")
    assert refused.status == 2
    assert "--partial is for robots on a fixed base" in refused.err
