"""`Model`: native callables made on first use, shared by threads, and what misuse is told."""

from __future__ import annotations

import ctypes
import dataclasses
import multiprocessing
import operator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.dynamics import oracles
from tests.patience import HANGS

import torquec as tq
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
