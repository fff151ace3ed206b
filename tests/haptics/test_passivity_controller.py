import math

import numpy as np
import pytest
from tests.codegen.c.compiler import COMPILERS, build_selftest, run
from tests.codegen.wasm.node import needs_node, run_calls
from tests.haptics.port_loops import PUMA, TORQUE_ARM

from torquec.codegen.llvm import compile_function
from torquec.codegen.target import generate_package
from torquec.errors import ArgumentError
from torquec.expr import evaluate
from torquec.haptics.coupled_loop import coupled_loop
from torquec.haptics.destabilizing_hand import destabilizing_hand
from torquec.haptics.passivity_controller import force_lag, passivity_controller_function
from torquec.haptics.port_loop import RenderedImpedance

MASS = RenderedImpedance(5.0)
FREE = {"largest": np.array([1e6]), "ceiling": np.array([1e6]), "period": np.array(0.002)}


def cycle(controller, energy, history, force, displacement, velocity, **limits):
    given = {"energy": energy, "history": history, "force": force, "displacement": displacement, "velocity": velocity}
    given = {name: np.atleast_1d(np.asarray(value, dtype=float)) for name, value in given.items()}
    return evaluate(controller, given | FREE | {name: np.atleast_1d(value) for name, value in limits.items()})


def test_what_was_given_too_much_is_taken_back():
    """-0.3 J observed, 0.1 J in store: a damper takes 0.2 J at 0.5 m/s within 2 ms."""
    found = cycle(passivity_controller_function(1), 0.1, [[0.0, 0.0]], -10.0, 0.03, 0.5)
    assert found["damping"][0] == pytest.approx(0.2 / (0.002 * 0.25))
    assert found["braking"][0] == pytest.approx(found["damping"][0] * 0.5)
    assert found["next_energy"][0] == pytest.approx(0.0, abs=1e-15)
    passive = cycle(passivity_controller_function(1), 0.1, [[0.0, 0.0]], 10.0, 0.03, 0.5)
    assert passive["damping"][0] == 0.0
    assert passive["next_energy"][0] == pytest.approx(0.4)


def test_limits_are_kept_and_debts_remembered():
    controller = passivity_controller_function(1)
    found = cycle(controller, 0.0, [[0.0, 0.0]], -10.0, 0.03, 0.5, largest=10.0)
    assert found["damping"][0] == 10.0
    assert found["next_energy"][0] == pytest.approx(-0.3 + 10.0 * 0.25 * 0.002)
    assert cycle(controller, 5.0, [[0.0, 0.0]], 1.0, 0.1, 0.5, ceiling=2.0)["next_energy"][0] == 2.0
    still = cycle(controller, 0.0, [[0.0, 0.0]], -10.0, 0.03, 0.0)
    assert still["braking"][0] == 0.0
    assert still["next_energy"][0] == pytest.approx(-0.3)


@pytest.mark.parametrize("broken", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", ["force", "displacement", "velocity"])
def test_a_broken_signal_is_survived(name, broken):
    """In native code, where comparisons are the processor's."""
    native = compile_function(passivity_controller_function(1))
    given = {"force": 1.0, "displacement": -0.01, "velocity": 0.2} | {name: broken}
    found = native(
        np.array([0.5]),
        np.zeros((1, 2)),
        *(np.array([x]) for x in given.values()),
        np.array([50.0]),
        np.array([9.0]),
        0.002,
    )
    assert all(np.isfinite(part).all() for part in found)
    assert found[0][0] == pytest.approx(0.5 if name != "velocity" else 0.49)


def test_a_late_force_meets_its_own_displacement():
    """A force that is 2.25 periods late: what is observed is force times displacement of that time."""
    controller = passivity_controller_function(1, lag=2.25)
    moved = np.array([0.01, 0.02, -0.03, 0.04, 0.01, -0.02])
    energy, history = np.zeros(1), np.zeros((1, 4))
    expected = 0.0
    for n, displacement in enumerate(moved):
        found = cycle(controller, energy, history, 2.0, displacement, 0.0)
        past = [moved[n - k] if n >= k else 0.0 for k in (2, 3)]
        expected += 2.0 * (0.75 * past[0] + 0.25 * past[1])
        energy, history = found["next_energy"], found["next_history"]
        assert energy[0] == pytest.approx(expected)


def run_coupled(controlled):
    """Most of a minute of a mass that a hand destabilizes; largest force in each half, with or without control."""
    hand = destabilizing_hand(PUMA, MASS).hands
    loop = coupled_loop(PUMA, MASS, hand)
    A, push, read = loop.step[0], loop.object_force[0], loop.outputs[0]
    lag = force_lag(PUMA)
    controller = compile_function(passivity_controller_function(1, lag=lag))
    state = np.zeros(len(A))
    state[1] = 0.05
    energy, history, halves = np.zeros(1), np.zeros((1, 3)), [0.0, 0.0]
    limits = np.array([200.0]), np.array([1.0]), np.array(0.002)
    for n in range(26_000):
        force, speed, displacement = read @ state
        energy, history, _, braking = controller(
            energy, history, np.array([force]), np.array([displacement]), np.array([speed]), *limits
        )
        state = A @ state - (push * braking[0] if controlled else 0.0)
        halves[n // 13_000] = max(halves[n // 13_000], abs(force))
    return halves


def test_it_tames_a_hand_that_destabilizes():
    wild, tame = run_coupled(False), run_coupled(True)
    assert wild[1] > 5.0 * wild[0]
    assert tame[1] < 1e-3 * tame[0]
    assert tame[0] < 1.1 * wild[0]


def test_six_ports_do_not_know_each_other_in_native_code_and_c(tmp_path):
    function = passivity_controller_function(6, lag=1.125)
    generator = np.random.default_rng(2)
    given = {port.name: generator.normal(size=(20, *port.shape)) for port in function.inputs}
    given |= {"period": np.full(20, 0.002), "largest": np.full((20, 6), 50.0), "ceiling": np.full((20, 6), 0.5)}
    expected = evaluate(function, given)
    native = compile_function(function)
    for name, found in zip(expected, native(*given.values()), strict=True):
        np.testing.assert_allclose(found, expected[name], rtol=1e-12, atol=1e-12)
    alone = passivity_controller_function(1, lag=1.125)
    for p in range(6):
        one = evaluate(alone, {name: x if x.ndim == 1 else x[:, p : p + 1] for name, x in given.items()})
        for name, value in one.items():
            np.testing.assert_array_equal(value[:, 0], expected[name][:, p])
    generate_package([function], tmp_path, prefix="passivity")
    result = run(build_selftest(tmp_path, COMPILERS[0], "passivity", "-O2"))
    assert result.returncode == 0, result.stdout + result.stderr


@needs_node
def test_webassembly_says_the_same():
    function = passivity_controller_function(2, lag=0.5)
    generator = np.random.default_rng(3)
    given = {port.name: generator.normal(size=port.shape) for port in function.inputs}
    given |= {"period": np.array(0.002), "largest": np.full(2, 50.0), "ceiling": np.full(2, 0.5)}
    expected = evaluate(function, given)
    (found,) = run_calls([function], [(function.name, [given[port.name] for port in function.inputs])])
    for part, value in zip(found, expected.values(), strict=True):
        np.testing.assert_allclose(part, np.ravel(value), rtol=1e-12, atol=1e-12)


def test_how_late_a_force_is():
    assert force_lag(PUMA) == pytest.approx(math.sqrt(2.0) / (2.0 * math.pi * 100.0) / 0.002)
    assert force_lag(TORQUE_ARM) == 0.0


def test_misuse():
    with pytest.raises(ArgumentError, match="for 0 ports"):
        passivity_controller_function(0)
    with pytest.raises(ArgumentError, match="nan periods late"):
        passivity_controller_function(1, lag=math.nan)
