"""`Model`: native callables made on first use, shared by threads, and what misuse is told."""

from __future__ import annotations

import ctypes
import dataclasses
import gc
import multiprocessing
import operator
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.dynamics import oracles
from tests.patience import HANGS

import torquec as tq
from torquec.codegen.llvm import load_or_compile
from torquec.errors import ArgumentError, RobotError
from torquec.expr import evaluate
from torquec.model.quantities import QUANTITIES
from torquec.robot.robot import Body, Joint, JointType, Robot
from torquec.spatial import Inertia

SHARED = Path(__file__).resolve().parents[2].parent / "shared"


@pytest.fixture(scope="module")
def puma():
    return tq.compile(tq.classics.puma560())


def states(n, count=4):
    return np.random.default_rng(7).uniform(-1.0, 1.0, (3, count, n))


def test_published_torques_of_the_puma_560():
    arm = tq.compile(tq.classics.puma560())
    for sample in oracles.PUMA560:
        state = sample.q, sample.qd, sample.qdd
        np.testing.assert_allclose(arm.inverse_dynamics(*state), sample.tau, atol=1e-9)
        np.testing.assert_allclose(arm.total_torque(*state), sample.tau_with_friction, atol=1e-9)


def test_quantities_are_compiled_at_once_where_they_are_asked_for(monkeypatch):
    compiled = []

    def recorded(key, function, *, options):
        compiled.append(key)
        return load_or_compile(key, function, options=options)

    monkeypatch.setattr("torquec.codegen.llvm.load_or_compile", recorded)
    robot = tq.classics.planar2r()
    tq.compile(robot)
    assert compiled == []
    arm = tq.compile(robot, now=["inverse_dynamics", "frame_pose:link2"])
    assert [key.split()[2] for key in compiled] == ["inverse_dynamics", "frame_pose:link2"]
    arm.inverse_dynamics([0.1, 0.2], [0.3, 0.4], [0.5, 0.6])
    arm.frame_pose("link2")([0.1, 0.2])
    assert len(compiled) == 2
    arm.mass_matrix([0.1, 0.2])
    assert len(compiled) == 3
    with pytest.raises(ArgumentError, match="there is no quantity 'speed'"):
        tq.compile(robot, now=["gravity_torque", "speed"])
    with pytest.raises(ArgumentError, match="'mass_matrix'") as error:
        tq.compile(robot, now="mass_matrix")
    assert "now=['mass_matrix']" in error.value.remedy
    assert len(compiled) == 3


@pytest.mark.parametrize("name", [name for name, quantity in QUANTITIES.items() if not quantity.of_frame])
def test_native_equals_the_program(puma, name):
    rng = np.random.default_rng(len(name))
    inputs = {port.name: rng.uniform(-1.0, 1.0, (5, port.size)) for port in puma.function(name).inputs}
    expected = evaluate(puma.function(name), inputs)
    native = getattr(puma, name)(*inputs.values())
    for result, (key, values) in zip(native if isinstance(native, tuple) else [native], expected.items(), strict=True):
        scale = np.max(np.abs(values)) + 1e-300
        assert result.shape == values.shape, key
        np.testing.assert_allclose(result / scale, values / scale, rtol=0, atol=1e-13)


def test_quantities_belong_together(puma):
    q, qd, qdd = states(6)[:, 0]
    tau = puma.inverse_dynamics(q, qd, qdd)
    parts = puma.mass_matrix(q) @ qdd + puma.velocity_torque(q, qd) + puma.gravity_torque(q)
    np.testing.assert_allclose(tau, parts, atol=1e-12)
    np.testing.assert_allclose(puma.coriolis_matrix(q, qd) @ qd, puma.velocity_torque(q, qd), atol=1e-12)
    np.testing.assert_allclose(puma.forward_dynamics(q, qd, tau), qdd, atol=1e-11)


def test_frame_quantities(puma):
    q, qd, _ = states(6)[:, 0]
    step = 1e-6
    rotation, _ = puma.frame_pose("link6")(q)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-14)
    ahead, behind = (puma.frame_pose("link6")(q + sign * step * qd)[1] for sign in (1, -1))
    jacobian = puma.jacobian("link6")(q)
    assert jacobian.shape == (6, 6)
    np.testing.assert_allclose((jacobian @ qd)[:3], (ahead - behind) / (2 * step), atol=1e-8)
    change = (puma.jacobian("link6")(q + step * qd) - puma.jacobian("link6")(q - step * qd)) / (2 * step)
    np.testing.assert_allclose(puma.jacobian_derivative("link6")(q, qd), change, atol=1e-8)


def test_the_attribute_is_the_compiled_callable_itself(puma):
    assert puma.mass_matrix is puma.mass_matrix
    assert puma.mass_matrix is puma.native("mass_matrix").call
    assert puma.__dict__["mass_matrix"] is puma.mass_matrix


def test_the_address_is_a_c_function(puma):
    pointer = ctypes.POINTER(ctypes.c_double)
    kernel = ctypes.CFUNCTYPE(None, pointer, pointer)(puma.address("gravity_torque"))
    q, tau = states(6)[0, 0].copy(), np.empty(6)
    kernel(q.ctypes.data_as(pointer), tau.ctypes.data_as(pointer))
    np.testing.assert_array_equal(tau, puma.gravity_torque(q))


def test_out_is_filled_and_returned(puma):
    q, qd, qdd = states(6)
    out = np.empty((4, 6))
    assert puma.inverse_dynamics(q, qd, qdd, out=out) is out
    np.testing.assert_array_equal(out, puma.inverse_dynamics(q, qd, qdd))


def used(make):
    """A model whose code has run, for one state and for batches, in double and single precision, and its kernels."""
    arm = make()
    q, qd, qdd = states(2, 9000)
    arm.inverse_dynamics(q[0], qd[0], qdd[0])
    arm.inverse_dynamics(q, qd, qdd)
    arm.mass_matrix(q, threads=2)
    arm.gravity_torque(q.astype(np.float32))
    arm.jacobian("link2")(q[0].tolist())
    if arm.kind is tq.ModelKind.EXACT:
        arm.exact.gravity_torque(q[0])
    quantities = ("inverse_dynamics", "mass_matrix", "gravity_torque", "jacobian:link2")
    return arm, [weakref.ref(arm), *(weakref.ref(arm.native(name)._kernels.scalar) for name in quantities)]


MAKERS = {
    "exact": lambda: tq.compile(tq.classics.planar2r()),
    "single": lambda: tq.compile(tq.classics.planar2r(), precision="single", threads=2),
    "program": lambda: tq.base_parameter_model(tq.classics.planar2r()),
}


@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize("kind", MAKERS)
def test_a_model_that_was_called_is_freed(monkeypatch, kind, cache):
    if not cache:
        monkeypatch.setenv("TORQUEC_CACHE", "0")
    arm, parts = used(MAKERS[kind])
    assert all(part() is not None for part in parts)
    del arm
    gc.collect()
    assert [part() for part in parts] == [None] * len(parts)


@pytest.mark.parametrize("cache", [True, False])
def test_a_callable_outlives_its_model(monkeypatch, cache):
    """It also compiles its batch kernel when the model is gone, and the code of other models takes no place of it."""
    if not cache:
        monkeypatch.setenv("TORQUEC_CACHE", "0")
    arm = tq.compile(tq.classics.planar2r())
    call, gone = arm.inverse_dynamics, weakref.ref(arm)
    q, qd, qdd = states(2, 9000)
    expected = tq.compile(tq.classics.planar2r()).inverse_dynamics(q, qd, qdd)
    del arm
    gc.collect()
    assert gone() is None
    others = [tq.compile(tq.classics.scara()).native("gravity_torque") for _ in range(3)]
    np.testing.assert_array_equal(call(q[0], qd[0], qdd[0]), expected[0])
    np.testing.assert_array_equal(call(q, qd, qdd), expected)
    np.testing.assert_array_equal(call(q, qd, qdd, threads=2), expected)
    np.testing.assert_array_equal(call(q=q.tolist(), qd=qd, qdd=qdd), expected)
    assert others


def test_an_address_outlives_its_model():
    arm = tq.compile(tq.classics.planar2r())
    q, tau, expected = states(2)[0, 0].copy(), np.empty(2), arm.gravity_torque(states(2)[0, 0])
    address, gone = arm.address("gravity_torque"), weakref.ref(arm)
    del arm
    gc.collect()
    assert gone() is None
    others = [tq.compile(tq.classics.scara()).native("gravity_torque") for _ in range(3)]
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)(q.ctypes.data, tau.ctypes.data)
    np.testing.assert_array_equal(tau, expected)
    assert others


@pytest.mark.parametrize("rounds", [4, pytest.param(20, marks=pytest.mark.slow)])
def test_a_running_batch_keeps_its_code(rounds):
    """Models are dropped by one thread while the batches of others run in their code, which releases the GIL."""
    batch = states(2, 200_000)
    expected = tq.compile(tq.classics.planar2r()).inverse_dynamics(*batch)
    wrong = []
    for _ in range(rounds):
        calls = [tq.compile(tq.classics.planar2r()).inverse_dynamics]
        started = threading.Event()

        def work(calls=calls, started=started):
            started.set()
            wrong.append(not np.array_equal(calls.pop()(*batch), expected))

        thread = threading.Thread(target=work)
        thread.start()
        started.wait()
        del calls, work
        gc.collect()
        others = [tq.compile(tq.classics.scara()).native("gravity_torque") for _ in range(3)]
        thread.join()
        assert others
    assert wrong == [False] * rounds


CYCLES = """
import gc, sys
import numpy as np
import torquec as tq

def used():
    with open("/proc/self/statm") as pages, open("/proc/self/maps") as maps:
        return int(pages.read().split()[1]) * 4096, len(maps.readlines())

def cycle():
    arm = tq.compile(robot)
    arm.inverse_dynamics(one, one, one)
    arm.inverse_dynamics(batch, batch, batch)

robot, one, batch = tq.classics.planar2r(), np.zeros(2), np.zeros((9, 2))
for _ in range(30):
    cycle()
gc.collect()
memory, mappings = used()
for _ in range(int(sys.argv[1])):
    cycle()
gc.collect()
now = used()
print(now[0] - memory, now[1] - mappings)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("cycles", "megabytes"), [(300, 5), pytest.param(10_000, 50, marks=pytest.mark.slow)], ids=["300", "10000"]
)
def test_memory_does_not_grow_with_models_that_come_and_go(cycles, megabytes):
    """Measured: 0.6 MB and no mapping after 300 and after 10,000; a model that stays costs 146 kB and six mappings."""
    run = subprocess.run([sys.executable, "-c", CYCLES, str(cycles)], capture_output=True, text=True, check=True)
    memory, mappings = map(int, run.stdout.split())
    assert memory < megabytes * 1e6
    assert mappings < 20


def test_models_are_freed_when_the_interpreter_ends():
    """Module globals and daemon threads in a batch: no crash, nothing on stderr."""
    program = """
import threading, time
import numpy as np
import torquec as tq
arm = tq.compile(tq.classics.planar2r())
call, batch = arm.inverse_dynamics, np.zeros((100_000, 2))
def work():
    while True:
        call(batch, batch, batch)
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
arm.gravity_torque(np.zeros(2))
time.sleep(0.3)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_threads_share_a_model():
    arm = tq.compile(tq.classics.scara())
    q, qd, qdd = states(4)
    with ThreadPoolExecutor(8) as pool:
        calls = list(pool.map(lambda _: arm.inverse_dynamics, range(16)))
        results = list(pool.map(lambda _: arm.inverse_dynamics(q, qd, qdd), range(16)))
    assert len({id(call) for call in calls}) == 1
    assert all(np.array_equal(result, results[0]) for result in results)


def test_threads_of_a_batch_change_nothing():
    robot = tq.classics.puma560()
    batch = states(6, 5000)
    one, two = tq.compile(robot).inverse_dynamics(*batch), tq.compile(robot, threads=2).inverse_dynamics(*batch)
    np.testing.assert_array_equal(one, two)


def test_a_model_travels_to_another_process(puma):
    q = states(6)[0, 0]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        there = pool.submit(operator.methodcaller("gravity_torque", q), puma).result(timeout=HANGS)
    np.testing.assert_array_equal(there, puma.gravity_torque(q))


def test_models_compare_by_what_they_compute():
    assert tq.compile(tq.classics.planar2r()) == tq.compile(tq.classics.planar2r())
    assert tq.compile(tq.classics.planar2r()) != tq.compile(tq.classics.scara())


def test_models_are_keys():
    assert len({tq.compile(tq.classics.planar2r()), tq.compile(tq.classics.planar2r())}) == 1


def test_nothing_can_be_assigned(puma):
    with pytest.raises(dataclasses.FrozenInstanceError):
        puma.robot = None


def kinematic_arm():
    joint = Joint("hinge", JointType.REVOLUTE)
    return Robot("skeleton", (Body("bone", -1, joint, Inertia(), ("bone",)),), ())


def test_a_robot_without_inertias_says_which_links_lack_them():
    arm = tq.compile(kinematic_arm())
    with pytest.raises(RobotError, match="bone"):
        _ = arm.inverse_dynamics


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_threads_must_be_a_positive_integer(threads):
    with pytest.raises(ArgumentError, match="threads must be a positive integer"):
        tq.compile(tq.classics.planar2r(), threads=threads)


def test_compile_wants_a_robot():
    with pytest.raises(ArgumentError, match=r"compile takes a Robot, not str") as caught:
        tq.compile("arm.urdf")
    assert "torquec.load" in str(caught.value)


def test_unknown_names(puma):
    with pytest.raises(AttributeError):
        _ = puma.colour
    with pytest.raises(ArgumentError, match="there is no quantity 'colour'"):
        puma.address("colour")
    with pytest.raises(ArgumentError, match="no frame 'hand'"):
        puma.frame_pose("hand")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0] * 5,), "6"),
        (([[0.0] * 5],), "6"),
        ((["a"] * 6,), "q"),
        (([1j] * 6,), "q"),
    ],
)
def test_wrong_arrays_are_told_what_was_expected(puma, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        puma.gravity_torque(*arguments)
