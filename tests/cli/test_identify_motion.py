"""`torquec identify` of a robot with a floating base."""

from __future__ import annotations

import numpy as np
from tests.cli.conftest import ARM

import torquec as tq
from torquec.foundation.csv_text import csv_text

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
