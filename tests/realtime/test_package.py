"""The two-rate package as files: it compiles without a warning, its self-test passes, its examples run."""

from __future__ import annotations

import ctypes
import re

import numpy as np
import pytest
from tests.codegen.c.compiler import COMPILERS, WARNINGS, build, needs_compiler, run
from tests.model.kinds import model_of

import torquec as tq
from torquec.control.uncertainty import Uncertainty
from torquec.errors import ArgumentError
from torquec.realtime.package import controller_functions, write_two_rate_package
from torquec.robot.lock_joints import lock_joints
from torquec.trajectory.motion_box import MotionBox, joint_box

HOOKS = """
#include "{p}_tasks.h"
static int ticks;
void SysTick_Handler(void);
int example_read_motion({p}_real q[{p}_JOINTS], {p}_real qd[{p}_JOINTS], {p}_real qdd[{p}_JOINTS]);
void example_write_torque(const {p}_real tau[{p}_JOINTS]);
void example_stop(void);
void example_start_timer(void);
int example_wait(void);
int example_read_motion({p}_real q[{p}_JOINTS], {p}_real qd[{p}_JOINTS], {p}_real qdd[{p}_JOINTS])
{{
    int k;
    for (k = 0; k < {p}_JOINTS; ++k) {{
        q[k] = qd[k] = qdd[k] = ({p}_real)0.1;
    }}
    return 1;
}}
void example_write_torque(const {p}_real tau[{p}_JOINTS]) {{ (void)tau; ++ticks; }}
void example_stop(void) {{ ticks = ticks > 0 ? 0 : ticks; }}
void example_start_timer(void) {{ }}
int example_wait(void) {{ SysTick_Handler(); return ticks < 50; }}
"""


def compiled(folder, prefix, *flags, compiler=None):
    """The functions and the self-test, which has passed."""
    cc = compiler or COMPILERS[0]
    build(cc, "-std=c99", *WARNINGS, "-O1", *flags, "-c", folder / f"{prefix}.c", "-o", folder / "f.o")
    build(
        cc,
        "-std=c99",
        *WARNINGS,
        "-O1",
        *flags,
        folder / "f.o",
        folder / "selftest.c",
        "-lm",
        "-o",
        folder / "selftest",
    )
    done = run(folder / "selftest")
    assert done.returncode == 0, done.stdout


@needs_compiler
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(("precision", "friction"), [("double", "background"), ("single", "synchronous")])
def test_compiles_cleanly_and_runs(tmp_path, compiler, precision, friction):
    robot = tq.classics.scara()
    law = tq.computed_torque(robot, -5 + 5j, period=0.001)
    package = write_two_rate_package(
        robot, tmp_path, update=["load", "gravity"], friction=friction, law=law, precision=precision
    )
    prefix = f"{robot.name}_rt"
    assert {path.name for path in package.files} >= {f"{prefix}_tasks.h", "triple_buffer.h", "example_posix.c"}
    compiled(tmp_path, prefix, compiler=compiler)
    tasks = ("-std=c11", *WARNINGS, "-Wconversion", "-O1")
    build(
        compiler, *tasks, tmp_path / "example_posix.c", tmp_path / "f.o", "-lm", "-lpthread", "-o", tmp_path / "posix"
    )
    done = run(tmp_path / "posix")
    assert done.returncode == 0, done.stdout
    (tmp_path / "hooks.c").write_text(HOOKS.format(p=prefix))
    build(compiler, *tasks, tmp_path / "example_bare_metal.c", tmp_path / "hooks.c", tmp_path / "f.o", "-lm",
          "-o", tmp_path / "bare")  # fmt: skip
    assert run(tmp_path / "bare").returncode == 0


@needs_compiler
def test_tasks_hand_over_the_total_torque_and_keep_bad_numbers_back(tmp_path):
    robot = tq.classics.puma560()
    write_two_rate_package(robot, tmp_path, update=["load", "friction"])
    (tmp_path / "tasks.c").write_text(
        """#include "puma560_rt_tasks.h"
static puma560_rt_tasks tasks;
void start(void) { puma560_rt_start(&tasks); }
int inertia(const double *q) { return puma560_rt_inertia_task(&tasks, q); }
int velocity(const double *q, const double *qd, const double *qdd)
{ return puma560_rt_velocity_task(&tasks, q, qd, qdd); }
int first(const double *q, const double *qd, const double *qdd)
{ return puma560_rt_first_order_task(&tasks, q, qd, qdd); }
int parameters(const double *load, const double *friction) { return puma560_rt_set_parameters(&tasks, load, friction); }
int synchronous(const double *qd, const double *qdd, double *tau)
{ return puma560_rt_synchronous_task(&tasks, qd, qdd, tau); }
int fast(const double *q, const double *qd, const double *qdd, double *tau)
{ return puma560_rt_first_order_synchronous_task(&tasks, q, qd, qdd, tau); }
"""
    )
    library = tmp_path / "tasks.so"
    build(COMPILERS[0], "-std=c11", "-O1", "-shared", "-fPIC", tmp_path / "tasks.c", tmp_path / "puma560_rt.c", "-lm",
          "-o", library)  # fmt: skip
    code = ctypes.CDLL(str(library))

    def call(name, *arrays):
        kept = [np.ascontiguousarray(a, dtype=float) for a in arrays]
        return getattr(code, name)(*(a.ctypes.data_as(ctypes.c_void_p) for a in kept)), kept

    rng = np.random.default_rng(1)
    q, qd, qdd, tau = *rng.uniform(-1.0, 1.0, (3, 6)), np.zeros(6)
    code.start()
    assert call("synchronous", qd, qdd, tau)[0] == 0
    assert call("inertia", q)[0] == 1
    assert call("velocity", q, qd, qdd)[0] == 1
    found, kept = call("synchronous", qd, qdd, tau)
    assert found == 1
    arm = tq.compile(robot)
    np.testing.assert_allclose(kept[2], arm.total_torque(q, qd, qdd), atol=1e-10)
    assert call("fast", q, qd, qdd, tau)[0] == 0
    assert call("first", q, qd, qdd)[0] == 1
    np.testing.assert_allclose(call("fast", q, qd, qdd, tau)[1][3], arm.total_torque(q, qd, qdd), atol=1e-10)
    # A NaN is published nowhere: the last coefficients stay.
    assert call("inertia", q * np.nan)[0] == 0
    assert call("velocity", q, qd * np.inf, qdd)[0] == 0
    np.testing.assert_allclose(call("synchronous", qd, qdd, tau)[1][2], arm.total_torque(q, qd, qdd), atol=1e-10)
    # A load that is picked up.
    own = [0.0] * 10
    own[9] = 2.0
    groups = tq.two_rate(robot, update=["load", "friction"]).groups
    assert call("parameters", own, groups[1].values)[0] == 1
    assert call("inertia", q)[0] == call("velocity", q, qd, qdd)[0] == 1
    loaded = tq.compile(tq.attach_payload(robot, groups[0].frame, mass=2.0))
    np.testing.assert_allclose(call("synchronous", qd, qdd, tau)[1][2], loaded.total_torque(q, qd, qdd), atol=1e-10)
    own[9] = np.nan
    assert call("parameters", own, groups[1].values)[0] == 0


def test_computed_torque_is_the_demanded_acceleration_through_the_model():
    robot = tq.classics.puma560()
    law = tq.computed_torque(robot, -12 + 45j, period=0.002, evaluation="measured", friction="measured")
    step, wanted = controller_functions(tq.compile(robot), law)
    rng = np.random.default_rng(2)
    signals = {name: rng.uniform(-1.0, 1.0, shape) for name, shape in law.signals.items()}
    from torquec.expr import evaluate

    v = evaluate(wanted, signals)["qdd"]
    expected = tq.compile(robot).total_torque(signals["q"], signals["qd"], v)
    np.testing.assert_allclose(evaluate(step, signals)["tau"], expected, atol=1e-9)


def test_header_states_counts_stack_and_what_can_change(tmp_path):
    write_two_rate_package(tq.classics.puma260(), tmp_path, update=["load"])
    header = re.sub(r"\s*\n \*\s*", " ", (tmp_path / "puma260_rt.h").read_text())
    assert "synchronous: 36 mul, 36 add" in header
    assert re.search(r"Stack: at most \d+ bytes", header)
    assert "load: Ixx_load, Ixy_load" in header


def test_the_header_states_payload_and_locked_joints_and_what_is_not_certified(tmp_path):
    plain = tq.classics.planar3r()
    arm = lock_joints(tq.attach_payload(plain, "link3", mass=2.5), {"joint2": 0.25})
    stated = ("Payload, part of this model: 2.5 kg at (0.0, 0.0, 0.0) m of frame 'link3'.", "'joint2' at 0.25.")
    for robot, expected in ((arm, True), (plain, False)):
        write_two_rate_package(robot, tmp_path)
        header = (tmp_path / "planar3r_rt.h").read_text()
        assert all((words in header) is expected for words in stated)
        assert "SIMPLIFIED" not in header
    write_two_rate_package(tq.abbreviated_model(plain), tmp_path / "short")
    assert "SIMPLIFIED, NOT CERTIFIED" in (tmp_path / "short" / "planar3r_rt.h").read_text()


def test_a_certified_package_says_so_and_carries_its_model(tmp_path):
    model = model_of("puma560", tq.ModelKind.CERTIFIED_TORQUE)
    package = write_two_rate_package(model, tmp_path)
    assert "SIMPLIFIED" in (tmp_path / "puma560_simplified_rt.h").read_text()
    assert (tmp_path / "puma560.tq.json").exists()
    assert {claim.quantity for claim in package.claim} == {"inverse_dynamics"}


def test_misuse(tmp_path):
    arm = tq.classics.planar2r()
    with pytest.raises(tq.ArgumentError, match="controller is for the joints"):
        write_two_rate_package(arm, tmp_path / "a", law=tq.computed_torque(tq.classics.planar3r(), -5))
    with pytest.raises(tq.ArgumentError, match="precision"):
        write_two_rate_package(arm, tmp_path / "a", precision="half")
    assert not (tmp_path / "a").exists()


@needs_compiler
def test_an_observer_in_the_package(tmp_path):
    """Its functions are compiled and tested with the rest; an observer of another robot is refused."""
    robot = tq.classics.planar2r()
    box = joint_box(robot)
    motions = MotionBox(box.lower, box.upper, (1.0,) * 2, (5.0,) * 2)
    observer = tq.momentum_observer(robot, bandwidth=50.0, period=0.001, uncertainty=Uncertainty(), motions=motions)
    estimator = tq.recursive_estimator(robot, "link2", period=0.001)
    package = write_two_rate_package(robot, tmp_path, observer=observer, estimator=estimator)
    assert {"momentum_observer", "momentum_observer_start", "recursive_estimator"} <= set(package.functions)
    assert tq.read_estimator(tmp_path / "estimator.json") == estimator
    assert tq.read_observer(tmp_path / "observer.json").function.content_hash == observer.function.content_hash
    compiled(tmp_path, "planar2r_rt")
    with pytest.raises(ArgumentError, match="the observer is for the joints"):
        write_two_rate_package(tq.classics.puma560(), tmp_path / "other", observer=observer)
