"""Friction terms: values by hand, laws that hold for each, and a term added at run time that everything then has."""

from __future__ import annotations

import dataclasses
import math
from typing import ClassVar

import numpy as np
import pytest
from tests.dynamics import arms
from tests.dynamics.random_robots import random_robot, random_state

from torquec.closedform import closed_form
from torquec.closedform.equations import equations
from torquec.closedform.layouts import Matrix
from torquec.closedform.text import equations_text
from torquec.codegen.c.package import c_package
from torquec.dynamics import friction_regressor, friction_torque, inverse_dynamics, spring_torque, total_torque
from torquec.dynamics.friction import TERMS, FrictionTerm, Rounded, ShaftState, Step
from torquec.dynamics.friction_regressor import friction_parameter_values
from torquec.dynamics.friction_torque import FrictionPart, load_gain
from torquec.errors import ArgumentError
from torquec.expr import count_operations, evaluate, trace
from torquec.linearization.linearize import check_linear_model, linearize
from torquec.linearization.linearized_torque import friction_damping
from torquec.model.quantities import trace_quantity
from torquec.robot import classics, dh_joint
from torquec.robot.friction import FRICTION_WORDS, Friction, FrictionWord, stored_words
from torquec.robot.robot import Drives, Motor

FULL = {
    "viscous_positive": 3.0,
    "viscous_negative": 4.0,
    "coulomb_positive": 5.0,
    "coulomb_negative": 6.0,
    "offset": 0.1,
    "stribeck_positive": 2.0,
    "stribeck_negative": 1.5,
    "stribeck_speed": 0.2,
    "concave": 0.8,
    "concave_speed": 0.5,
    "load": 0.07,
    "curved": -0.3,
    "cubic": 0.4,
}


def with_friction(robot, *frictions):
    """The robot whose joints have these frictions, the last one for all that are left."""
    bodies = []
    for k, body in enumerate(robot.bodies):
        friction = frictions[min(k, len(frictions) - 1)]
        bodies.append(dataclasses.replace(body, joint=dataclasses.replace(body.joint, friction=friction)))
    return dataclasses.replace(robot, bodies=tuple(bodies))


def scaled(values, rng):
    """Other values of the same signs."""
    return Friction.of({name: value * rng.uniform(0.5, 1.5) for name, value in values.items()})


def random_friction(seed, **further):
    """A random robot whose joints and motors have every term; a coupled motor has load friction too."""
    rng = np.random.default_rng(seed)
    robot = random_robot(seed)
    values = {**FULL, **further}
    robot = with_friction(robot, *(scaled(values, rng) for _ in robot.bodies))
    motors = tuple(dataclasses.replace(m, friction=scaled(values, rng)) for m in robot.drives.motors)
    return dataclasses.replace(robot, drives=dataclasses.replace(robot.drives, motors=motors))


@pytest.mark.parametrize("sign", [1.0, -1.0, 0.0])
def test_every_term_by_hand(sign):
    arm = with_friction(arms.pendulum(), Friction.of(FULL))
    v, load = sign * 0.3, -20.0
    fall = math.exp(-((0.3 / 0.2) ** 2))
    level = 0.8 * (1 - math.exp(-0.3 / 0.5))
    expected = {
        1.0: 3 * 0.3 + 5 + 2 * fall + 0.07 * 20 - 0.3 * 0.09 + 0.4 * 0.027 + level + 0.1,
        -1.0: -4 * 0.3 - 6 - 1.5 * fall - 0.07 * 20 + 0.3 * 0.09 - 0.4 * 0.027 - level + 0.1,
        0.0: 0.1,
    }[sign]
    assert friction_torque(arm, [v], load=[load]) == pytest.approx([expected], rel=1e-15)
    parts = [friction_torque(arm, [v], load=[load], part=part)[0] for part in (FrictionPart.SMOOTH, FrictionPart.DRY)]
    assert sum(parts) == pytest.approx(expected, rel=1e-15)


def test_turning_over_a_speed():
    arm = with_friction(
        arms.pendulum(), Friction.of({"coulomb_positive": 2.0, "coulomb_negative": 3.0, "turnover_speed": 0.5})
    )
    found = [friction_torque(arm, [v])[0] for v in (0.0, 0.25, -0.25, 50.0)]
    assert found == pytest.approx([0.0, 2 * math.tanh(0.5), -3 * math.tanh(0.5), 2.0], rel=1e-14)


def test_turning_over_a_distance_has_memory_and_is_served_as_a_step():
    values = {"coulomb": 2.0, "turnover_distance": 0.1}
    arm = with_friction(arms.pendulum(), Friction.of(values))
    assert [friction_torque(arm, [v])[0] for v in (-1e-9, 0.0, 1e-9)] == [-2.0, 0.0, 2.0]


@pytest.mark.parametrize("further", [{}, {"turnover_speed": 0.3}], ids=["step", "speed"])
@pytest.mark.parametrize("seed", range(6))
def test_torque_is_columns_times_values(seed, further):
    """tau = F f over all linear parameters of all terms, moving or not."""
    robot = random_friction(seed, **further)
    names = [name for term in TERMS.values() for name in term.columns if name in stored_words(name)]
    values = np.array(friction_parameter_values(robot, names))
    state = random_state(robot, seed, size=3)
    for qd, load in zip([*state.qd, np.zeros(robot.n)], [*state.qdd, state.q[0]], strict=True):
        rows = np.array(friction_regressor(robot, list(qd), names, load=list(load)), dtype=float)
        expected = friction_torque(robot, list(qd), load=list(load))
        np.testing.assert_allclose(rows.reshape(robot.n, -1) @ values, expected, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("further", [{}, {"turnover_speed": 0.3}], ids=["step", "speed"])
@pytest.mark.parametrize("seed", range(6))
def test_slopes_by_complex_steps(seed, further):
    robot = random_friction(seed, **further)
    state = random_state(robot, seed, size=1)
    qd, load = list(state.qd[0]), list(state.qdd[0])
    damping = np.array(friction_damping(robot, qd, load=load), dtype=float)
    gain = np.array(load_gain(robot, qd, load), dtype=float)
    for j in range(robot.n):
        moved = [complex(v, 1e-30 * (k == j)) for k, v in enumerate(qd)]
        by_speed = np.imag(np.array(friction_torque(robot, moved, load=load), dtype=complex)) / 1e-30
        np.testing.assert_allclose(damping[:, j], by_speed, rtol=1e-11, atol=1e-10)
        moved = [complex(v, 1e-30 * (k == j)) for k, v in enumerate(load)]
        by_load = np.imag(np.array(friction_torque(robot, qd, load=moved), dtype=complex)) / 1e-30
        np.testing.assert_allclose(gain[:, j], by_load, rtol=1e-11, atol=1e-10)


def test_linear_models_have_every_term():
    rng = np.random.default_rng(5)
    motor = Motor("m", friction=scaled(FULL, rng))
    robot = with_friction(classics.planar2r(), *(scaled({**FULL, "turnover_speed": 0.3}, rng) for _ in range(2)))
    robot = dataclasses.replace(robot, drives=Drives((motor,), ((2.0, -1.0),)))
    state = rng.uniform(-2.0, 2.0, (3, 2))
    check_linear_model(robot, linearize(robot, *state))


@pytest.mark.parametrize("seed", range(4))
def test_programs_and_python_agree_on_the_total(seed):
    robot = random_friction(seed)
    state = random_state(robot, seed, size=5)
    function = trace_quantity(robot, "total_torque")
    native = evaluate(function, {"q": state.q, "qd": state.qd, "qdd": state.qdd})["tau"]
    for found, q, qd, qdd in zip(native, state.q, state.qd, state.qdd, strict=True):
        rigid = inverse_dynamics(robot, list(q), list(qd), list(qdd))
        parts = (rigid, friction_torque(robot, list(qd), load=rigid), spring_torque(robot, list(q)))
        np.testing.assert_allclose(found, np.sum(np.array(parts, dtype=float), axis=0), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found, total_torque(robot, list(q), list(qd), list(qdd)), rtol=1e-9, atol=1e-9)
    text = c_package([function], prefix="arm")["arm.c"]
    assert "exp(" in text


def test_dry_friction_never_gives_power_whatever_it_is_made_of():
    for seed in range(10):
        robot = random_friction(seed)
        state = random_state(robot, seed, size=1)
        dry = friction_torque(robot, list(state.qd[0]), load=list(state.qdd[0]), part=FrictionPart.DRY)
        assert state.qd[0] @ np.array(dry, dtype=float) >= 0.0


def test_a_joint_with_viscous_and_coulomb_friction_costs_one_product_and_two_sums():
    robot = with_friction(classics.planar2r(), Friction(3.0, 4.0, 5.0, 6.0))
    count = count_operations(trace_quantity(robot, "friction_torque"))
    assert (count.mul, count.add, count.div) == (2, 2, 0)
    total = count_operations(trace_quantity(robot, "total_torque"))
    bodies = count_operations(trace_quantity(robot, "inverse_dynamics"))
    assert (total.mul - bodies.mul, total.add - bodies.add) == (2, 4)


def test_the_puma_560_pays_six_products_and_twelve_sums_for_its_friction():
    """Viscous and Coulomb by direction: 53/38 of the example's simplified model become at most 59/50."""
    robot = classics.puma560()
    total, bodies = (count_operations(trace_quantity(robot, name)) for name in ("total_torque", "inverse_dynamics"))
    assert (total.mul - bodies.mul, total.add - bodies.add, total.div) == (6, 12, 0)


class Steep(FrictionTerm):
    """A term that nobody had thought of: steep v^3."""

    parameters = ("steep",)
    columns: ClassVar = {"steep": lambda _, state: state.speed * state.speed * state.speed}

    def torque(self, friction, state):
        return friction.value("steep") * (state.speed * state.speed * state.speed)

    def slope(self, friction, state):
        return 3.0 * friction.value("steep") * (state.speed * state.speed)

    def summands(self, friction, *, forwards):
        return [(friction.value("steep"), "{v}^3")]


@pytest.fixture
def steep(monkeypatch):
    monkeypatch.setitem(TERMS, "steep", Steep())
    monkeypatch.setitem(FRICTION_WORDS, "steep", FrictionWord("friction with the third power", "N m s^3/rad^3"))
    monkeypatch.setitem(dh_joint._FRICTION_KEYS, "steep", ("steep",))  # made from the table when imported
    return with_friction(classics.planar2r(), Friction.of({"viscous": 1.0, "steep": 0.5}), Friction())


def test_a_new_term_is_everywhere_once_it_is_in_the_tables(steep, tmp_path):
    """The seam: one object and its rows; torque, slope, regressor, fits, text, C, files and simulation follow."""
    from torquec.cli.info import info
    from torquec.dynamics.friction_torque import friction_shafts
    from torquec.identification.excitation.regressor_information import RegressorInformation
    from torquec.identification.torque.friction_law import FrictionLaw, FrictionModel, friction_block
    from torquec.model.model import as_model
    from torquec.robot.drives import drives_text, read_drives
    from torquec.simulation.plant import DryFriction, Dynamics, Plant
    from torquec.trajectory.trajectory import MotionState

    assert friction_torque(steep, [2.0, 0.0])[0] == 2.0 + 0.5 * 8.0
    assert friction_damping(steep, [2.0, 0.0])[0][0] == 1.0 + 1.5 * 4.0
    assert friction_regressor(steep, [2.0, 3.0], ("steep",)) == [[8.0, 0.0], [0.0, 27.0]]
    block = friction_block(friction_shafts(steep), FrictionLaw(("viscous", "steep")), np.array([[2.0, 3.0]]))
    assert block[0].tolist() == [[2.0, 8.0, 0.0, 0.0], [0.0, 0.0, 3.0, 27.0]]
    assert FrictionLaw().richer["steep"].parameters == ("viscous", "coulomb", "offset", "steep")
    excited = RegressorInformation(classics.planar2r(), FrictionModel("steep"))
    still, rate = np.zeros((1, 2)), np.array([[2.0, 3.0]])
    assert excited.rows(MotionState(still, rate, still), soft=True)[0, 1, -1] == 27.0
    weights = np.zeros((1, 2, len(excited.names)))
    weights[0, 1, -1] = 1.0
    assert excited.by_state(MotionState(still, rate, still), weights).qd.tolist() == [[0.0, 27.0]]
    assert "steep" in info(as_model(steep)).text
    text = equations_text(equations(closed_form(steep), [Matrix.V]))
    assert "V1 = qd1 + 0.5*qd1^3" in text
    source = c_package([trace_quantity(steep, "friction_torque")], prefix="arm")["arm.c"]
    assert "0.5*" in source
    side = tmp_path / "arm.drives.toml"
    side.write_text(drives_text(steep), encoding="utf-8")
    assert read_drives(side, with_friction(steep, Friction())).bodies == steep.bodies
    rate = Dynamics(Plant(steep, friction=DryFriction.SIGN)).balance([0.1, 0.2, 2.0, 0.0], [1.0, 1.0])
    without = Dynamics(Plant(with_friction(steep, Friction()), friction=DryFriction.SIGN))
    assert without.balance([0.1, 0.2, 2.0, 0.0], [1.0, 1.0]).torque[0] - rate.torque[0] == pytest.approx(6.0)


def test_fits_try_no_third_power_unasked():
    from torquec.identification.torque.friction_law import FrictionLaw, FrictionModel

    assert "curved" in FrictionLaw().richer
    assert "cubic" not in FrictionLaw().richer
    assert FrictionModel("cubic").parameters == ("viscous", "coulomb", "offset", "cubic")


def test_every_word_belongs_to_a_term_or_shapes_one():
    read = {name for term in TERMS.values() for name in term.parameters}
    assert set(FRICTION_WORDS) - read == {"turnover_speed", "turnover_distance", "stribeck_speed", "concave_speed"}


def test_misuse():
    with pytest.raises(ArgumentError, match="friction has no 'stribek'"):
        Friction.of({"stribek": 1.0})
    with pytest.raises(ArgumentError, match="without 'stribeck_speed'"):
        Friction.of({"stribeck": 1.0})
    with pytest.raises(ArgumentError, match="turnover_speed is -1"):
        Friction.of({"turnover_speed": -1.0})
    with pytest.raises(ArgumentError, match="no friction parameter 'sticky'"):
        friction_regressor(classics.planar2r(), [1.0, 1.0], ("sticky",))


def test_hashes_of_robots_without_new_words_stay():
    """Recorded before friction had further words: native code in caches and certificates go by it."""
    known = {
        "puma560": "ffd5106febe91da81ef4f0b195d27bd3808a72f9ff45d65e3761bd0a5293cd69",
        "stanford": "d2f387e4d134338916b89719640e60536e50e8b055057f28ad14d7a5e2e1bee8",
    }
    assert {name: classics.load_classic(name).content_hash for name in known} == known
    other = with_friction(classics.puma560(), Friction.of({"load": 0.1}))
    assert other.content_hash != with_friction(classics.puma560(), Friction()).content_hash


def test_a_rounded_direction_weighs_both_sides():
    assert [Rounded(z).sided(2.0, 3.0) for z in (1.0, 0.5, 0.0, -0.5, -1.0)] == [2.0, 1.0, 0.0, -1.5, -3.0]
    assert [Step(v).sided(2.0, 3.0) for v in (1.0, 0.0, -0.0, -1.0)] == [2.0, 0.0, 0.0, -3.0]
    assert ShaftState(1.0, Step(1.0)).load == 0.0


def test_conditions_are_no_operations():
    """-v >= 0 is v <= 0: neither counted nor written as a sign change."""
    f = trace("f", lambda v: {"y": Step(v[0]).sided(2.0, 3.0)}, {"v": (1,)})
    assert (count_operations(f).add, count_operations(f).other) == (0, 2)
    assert "<= 0.0) ?" in c_package([f], prefix="p")["p.c"]
    assert [evaluate(f, {"v": [v]})["y"] for v in (1.0, 0.0, -1.0)] == [2.0, 0.0, -3.0]
