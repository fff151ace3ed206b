"""The runtime in a package: it compiles without a warning, and its program drives a robot in another process."""

from __future__ import annotations

import subprocess
import threading
import uuid

import numpy as np
import pytest
from tests.codegen.c.compiler import COMPILERS, build, needs_compiler
from tests.patience import HANGS
from tests.realtime.runtime.c_runtime import STRICT
from tests.realtime.runtime.test_drivers import ROBOT, other_process

import torquec as tq

pytestmark = needs_compiler

PERIOD = 0.005


def law_of(kind):
    if kind == "computed-torque":
        return tq.computed_torque(ROBOT, -20.0, period=PERIOD)
    motion = tq.minimum_jerk([0.0, 0.0], [0.1, 0.1], 0.2, joints=ROBOT.joint_names, period=PERIOD)
    return tq.make_law(ROBOT, kind, tq.ControllerOptions(period=PERIOD), trajectory=motion)


def built(folder, prefix, compiler):
    names = ("torquec_guard", "torquec_cycle", "torquec_record", "torquec_loop", "driver_shared", "driver_cia402")
    sources = [folder / f"{name}.c" for name in ("example_runtime", prefix, *names)]
    build(compiler, *STRICT, "-O0", *sources, "-pthread", "-lm", "-lrt", "-o", folder / "example")
    return folder / "example"


@pytest.mark.parametrize("kind", ["computed-torque", "pid", pytest.param("lqr", marks=pytest.mark.slow)])
def test_every_kind_of_law_compiles_without_a_warning(tmp_path, kind):
    package = tq.write_two_rate_package(ROBOT, tmp_path, law=law_of(kind), order="zeroth")
    assert {"example_runtime.c", "planar2r_rt_runtime.h", "driver_cia402.c"} <= {path.name for path in package.files}
    built(tmp_path, "planar2r_rt", COMPILERS[0])
    text = (tmp_path / "planar2r_rt_runtime.h").read_text()
    assert "const double torque[] = {50.0, 20.0};" in text
    assert f"_RUNTIME_MEMORY {len(law_of(kind).initial_state)} " in text
    assert f"_RUNTIME_GAINS {8 if kind == 'lqr' else 0} " in text
    assert f"_RUNTIME_COEFFICIENTS {6 if kind == 'computed-torque' else 0} " in text


def test_the_program_holds_a_robot_in_another_process(tmp_path):
    tq.write_two_rate_package(ROBOT, tmp_path, law=law_of("computed-torque"))
    header = tmp_path / "planar2r_rt_runtime.h"
    patient = header.read_text().replace("limits->longest_gap = 17500000", "limits->longest_gap = 2000000000")
    patient = patient.replace("limits->longest_blind = 17500000", "limits->longest_blind = 2000000000")
    patient = patient.replace("2*planar2r_rt_RUNTIME_PERIOD", "2000000000").replace("= 80000000;", "= 2000000000;")
    header.write_text(patient)  # the machine that runs tests may pause
    program = built(tmp_path, "planar2r_rt", COMPILERS[-1])
    name = f"torquec-test-{uuid.uuid4().hex[:12]}"
    thread = threading.Thread(target=other_process, args=(name,))
    thread.start()
    done = subprocess.run([program, f"/{name}", "0.5"], capture_output=True, text=True, timeout=HANGS, check=False)
    thread.join()
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("ended: ")
    assert subprocess.run([program], capture_output=True, timeout=HANGS, check=False).returncode == 2


def test_there_is_no_runtime_where_it_does_not_fit(tmp_path):
    law = law_of("computed-torque")
    for name, options in (
        ("single", {"precision": "single"}),
        ("update", {"update": ["load"]}),
        ("none", {"law": None}),
    ):
        package = tq.write_two_rate_package(ROBOT, tmp_path / name, **{"law": law, **options})
        assert "example_runtime.c" not in {path.name for path in package.files}


def test_a_torque_limit_that_is_not_known_is_zero(tmp_path):
    robot = tq.classics.puma260()
    tq.write_two_rate_package(robot, tmp_path, law=tq.computed_torque(robot, -20.0, period=PERIOD), prefix="p")
    text = (tmp_path / "p_runtime.h").read_text()
    assert "const double torque[] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};" in text
    assert "const double speed[] = {(double)INFINITY, " in text
    assert np.isinf(robot.joints[0].limits.effort)
