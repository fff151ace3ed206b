"""Controllers as files: the C step gives the same torques, the JSON is read back, nonsense is refused."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess

import numpy as np
import pytest
from tests.model.kinds import model_of

import torquec as tq
from torquec.control.controller_file import read_controller, write_controller
from torquec.control.independent_joint import PidGains, independent_joint
from torquec.control.lqr import LqrWeights, lqr
from torquec.control.pole_placement import pole_placement
from torquec.errors import ArgumentError, ModelFileError
from torquec.trajectory import minimum_jerk

ARM = tq.classics.puma560()


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_the_c_step_gives_the_same_torques(tmp_path):
    controller = pole_placement(ARM, -12 + 45j, period=0.002)
    files = write_controller(controller, tmp_path, prefix="puma560")
    assert {path.name for path in files} == {
        "puma560.c", "puma560.h", "selftest.c", "CMakeLists.txt", "controller.json"
    }  # fmt: skip
    library = tmp_path / "puma560.so"
    subprocess.run(
        ["gcc", "-O2", "-shared", "-fPIC", "-o", str(library), str(tmp_path / "puma560.c"), "-lm"], check=True
    )
    step = ctypes.CDLL(str(library)).puma560_pole_placement
    signals = np.random.default_rng(0).normal(size=(5, 6))
    tau = np.zeros(6)
    step(*(ctypes.c_void_p(np.ascontiguousarray(row).ctypes.data) for row in signals), ctypes.c_void_p(tau.ctypes.data))
    assert tau == pytest.approx(controller.torque(*signals), rel=1e-11)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_a_law_in_single_precision_rounds_to_floats_and_says_so(tmp_path):
    controller = tq.computed_torque(ARM, -20, period=0.002, friction="nothing")
    write_controller(
        controller, tmp_path, prefix="puma560", precision="single", guarantee={"valid": False, "reason": "-"}
    )
    library = tmp_path / "puma560.so"
    subprocess.run(
        ["gcc", "-O2", "-shared", "-fPIC", "-o", str(library), str(tmp_path / "puma560.c"), "-lm"], check=True
    )
    step = ctypes.CDLL(str(library)).puma560_computed_torque
    signals = np.random.default_rng(0).normal(size=(5, 6)).astype(np.float32)
    tau = np.zeros(6, np.float32)
    step(*(ctypes.c_void_p(np.ascontiguousarray(row).ctypes.data) for row in signals), ctypes.c_void_p(tau.ctypes.data))
    wanted = controller.torque(*signals.astype(float))
    error = np.abs(tau - wanted).max() / np.abs(wanted).max()
    assert 1e-9 < error < 1e-5
    assert "computes in single precision" in (tmp_path / "puma560.h").read_text()
    library.unlink()
    found = tq.check_file(tmp_path)
    assert found.ok, found.refused
    with pytest.raises(ArgumentError, match="no single precision"):
        write_controller(controller, tmp_path / "casadi", target="casadi", precision="single")


def laws():
    arm = tq.classics.planar2r()
    yield independent_joint(arm, PidGains((1.0, 2.0), (3.0, 4.0), (5.0, 6.0)), period=0.1)
    yield lqr(
        arm, minimum_jerk([0.0, 0.0], [1.0, 1.0], 0.1, period=0.01), LqrWeights((1.0,) * 2, (1.0,) * 2, (1.0,) * 2)
    )


@pytest.mark.parametrize("controller", list(laws()), ids=lambda law: law.name)
def test_round_trip(controller, tmp_path):
    write_controller(controller, tmp_path, prefix="arm", details={"poles": [1.0]})
    found = read_controller(tmp_path / "controller.json")
    assert found == controller
    signals = np.random.default_rng(0).normal(size=(5, 2))
    assert np.array_equal(found.torque(*signals, time=0.05), controller.torque(*signals, time=0.05))
    assert json.loads((tmp_path / "controller.json").read_text())["details"] == {"poles": [1.0]}


@pytest.mark.parametrize(
    "text", ["", "[]", '{"format": "torquec controller", "version": 2}', '{"format": "x"}', "null"]
)
def test_nonsense_is_refused(tmp_path, text):
    path = tmp_path / "controller.json"
    path.write_text(text)
    with pytest.raises(ModelFileError, match=r"controller\.json(:1)?: "):
        read_controller(path)


def test_the_header_says_what_model_which_poles_and_what_is_proven(tmp_path):
    model = model_of("scara", tq.ModelKind.CERTIFIED_TORQUE)
    law = tq.computed_torque(model, [-5, -6 + 2j, -7, -8], period=0.001)
    write_controller(law, tmp_path, prefix="arm", guarantee={"valid": False, "reason": "it is too fast"})
    header = (tmp_path / "arm.h").read_text()
    assert "SIMPLIFIED: its model is not the exact dynamics of scara" in header
    assert f"whose field sha256, a checksum of its contents, is\n *   {model.record.content_hash}" in header
    assert f"{law.joints[1]}: -6 +- 2j" in header
    assert "No tracking error is bounded: it is too fast." in header
    write_controller(tq.computed_torque(ARM, -20), tmp_path / "exact")
    assert "Model of puma560: exact, with all terms." in (tmp_path / "exact" / "computed_torque.h").read_text()
