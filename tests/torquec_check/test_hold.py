"""Errors of held coefficients: bounds that are true are proven, and false ones are refused."""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
import math
from fractions import Fraction

import flint
import numpy as np
import pytest
from tests.torquec_check.holds import BOX, JERK, document
from tests.torquec_check.test_certificate import sealed

import torquec as tq
from torquec.robot.robot_document import robot_to_dict
from torquec_check import hold
from torquec_check.__main__ import main
from torquec_check.boxes import LEAST_VALUES, check_below
from torquec_check.claim import hold_claim
from torquec_check.document import RefusedError
from torquec_check.hold import (
    _forms,
    _Motion,
    _motions,
    _stiffness,
    added_up,
    bends,
    check_hold,
    check_part,
    hold_exceeds,
    hold_of,
    slope,
    slope_matrix,
)
from torquec_check.robot import Box, robot_of
from torquec_check.rows import ANGLE, UP, Ball, Grid, Rows, as_ball, ball_of, grid_of

PARTS = [("first", JERK, part) for part in ("curvature", "bend", "turning", "model", "bound")]
PARTS += [("zeroth", JERK, part) for part in ("drift", "turning", "model", "bound")] + [("zeroth", None, "drift")]


def check(values):
    check_hold(hold_of(sealed(values)), lambda _step, _part: None)


def refused(values, match="."):
    with pytest.raises(RefusedError, match=match):
        check(values)


@pytest.mark.parametrize(
    ("order", "jerk", "name"),
    [("first", JERK, "planar2r"), ("zeroth", None, "planar2r"), ("first", JERK, "scara"), ("zeroth", JERK, "scara")],
)
def test_bounds_are_proven_of_turning_and_sliding_joints(order, jerk, name):
    check(document(order, jerk, name=name))


@pytest.mark.parametrize(("order", "jerk", "part"), PARTS)
@pytest.mark.parametrize("joint", [0, 1])
def test_a_part_that_is_too_small_is_refused(order, jerk, part, joint):
    values = document(order, jerk)
    row = [*values["joints"].values()][joint]
    if not row[part]:
        assert (part, joint) in (("bend", 1), ("turning", 0))
        return
    row[part] *= 1.0 - {"bound": 1e-6, "model": 0.9, "bend": 0.2}.get(part, 0.02)
    refused(values)


def _held(compiled, order, start, end):
    """The torque at the end of a motion with coefficients of its start, states (q, qd, qdd)."""
    (q0, v0, a0), (q, v, a) = start, end
    tau = lambda *state: compiled.inverse_dynamics(*(np.array([x]) for x in state))[0]  # noqa: E731
    zero = np.zeros_like(q)
    rest = tau(q0, v0, zero)
    found = tau(q0, v0, a)
    if order == "first":
        for x, i in itertools.product((0, 1), range(len(q))):
            step = np.eye(len(q))[i] * 1e-6
            up, down = (tau(q0 + s * step * (x == 0), v0 + s * step * (x == 1), a0) for s in (1.0, -1.0))
            found = found + (up - down) / 2e-6 * ((q - q0) if x == 0 else (v - v0))[i]
    assert rest.shape == found.shape
    return found, tau(q, v, a)


@pytest.mark.parametrize("order", ["zeroth", "first"])
def test_errors_of_simulated_motions_are_within_the_bounds_and_not_far_below(order):
    """Motions of constant jerk that stay in the box, independent of how the bounds are made."""
    compiled, rng, age, worst = tq.compile(tq.classics.planar2r()), np.random.default_rng(3), 0.01, 0.0
    bounds = np.array([row["bound"] for row in document(order)["joints"].values()])
    for _ in range(100):
        jerk = rng.choice((-1.0, 1.0), 2) * JERK
        a0 = rng.choice((-1.0, 1.0), 2) * (np.array(BOX.acceleration) - 0.01 * np.abs(jerk))
        v0 = rng.choice((-1.0, 1.0), 2) * (np.array(BOX.velocity) - 0.01 * np.array(BOX.acceleration))
        q0 = rng.uniform(np.add(BOX.lower, 0.05), np.subtract(BOX.upper, 0.05))
        end = q0 + v0 * age + a0 * age**2 / 2 + jerk * age**3 / 6, v0 + a0 * age + jerk * age**2 / 2, a0 + jerk * age
        held, own = _held(compiled, order, (q0, v0, a0), end)
        ratio = np.abs(held - own) / bounds
        assert np.all(ratio <= 1.0 + 1e-6)
        worst = max(worst, float(ratio.max()))
    assert worst > 0.5


def _changes():
    values = document()
    yield "another program", lambda v: v["program"]["operations"].__setitem__(-1, ["neg", 0])
    yield "a heavier robot", lambda v: v["robot_document"]["bodies"][0]["inertia"].update(zz=5.0)
    for key in ("velocity", "acceleration", "jerk"):
        yield f"larger {key}", lambda v, key=key: v["motions"].update({key: [1.2 * x for x in v["motions"][key]]})
    yield "no jerk limit", lambda v: v["motions"].update(jerk=None)
    yield "older coefficients", lambda v: v.update(age=1.1 * v["age"])
    yield "another order", lambda v: v.update(order="zeroth")
    yield "an order that is not known", lambda v: v.update(order="second")
    yield "a negative age", lambda v: v.update(age=-1.0)
    yield "a negative speed", lambda v: v["motions"].update(velocity=[-2.0, 3.0])
    yield "an empty range", lambda v: v["motions"].update(lower=[2.0, 2.0])
    yield "joints in another order", lambda v: v.update(joints=dict(reversed(v["joints"].items())))
    yield "a missing part", lambda v: v["joints"]["joint1"].pop("bend")
    yield "a part without a value", lambda v: v["joints"]["joint1"].update(curvature=None)
    yield "a part that is not known", lambda v: v["joints"]["joint1"].update(free=1.0)
    yield "another format", lambda v: v.update(format="torquec hold certificate 0")
    counterbalance = [{"lever": 0.1, "base": 0.5}]
    yield "a counterbalance", lambda v: _joint(v).update(counterbalances=counterbalance)
    assert values == document()


def _joint(values, k=1):
    return values["robot_document"]["bodies"][k]["joint"]


@pytest.mark.parametrize(("what", "change"), [*_changes()], ids=lambda x: x if isinstance(x, str) else "")
def test_false_certificates_are_refused(what, change):
    values = document()
    change(values)
    refused(values)


def test_without_turning_the_acceleration_is_any_one_and_with_it_jerks_are_limited():
    values = document("zeroth", JERK)
    values["joints"]["joint2"]["turning"] = None
    refused(values, "drift")
    free = document("zeroth", None)
    free["joints"]["joint2"]["turning"] = 1e9
    refused(free, "without a limit of the jerk")


def test_a_checksum_that_does_not_fit_is_refused():
    with pytest.raises(RefusedError, match="checksum"):
        hold_of(document() | {"age": 0.001})


def test_a_spring_adds_its_stiffness_times_the_speed_at_zeroth_order():
    values = document("zeroth", JERK)
    row, spring = values["joints"]["joint2"], {"stiffness": 7.0, "rest": 0.1}
    _joint(values).update(spring=spring)
    refused(values, "drift")
    row["drift"] += 7.0 * 3.0 * (1.0 + 1e-8)
    row["bound"] += 0.01 * 7.0 * 3.0 * (1.0 + 1e-7)
    check(values)
    first = document()
    _joint(first).update(spring=spring)
    check(first)


def test_a_following_joint_takes_its_spring_by_the_square_of_its_multiplier():
    values = document()
    assert hold_of(values).stiffness == (0, 0)
    _joint(values).update(
        spring={"stiffness": 7.0, "rest": 0.0}, mimic={"joint": "joint1", "multiplier": -2.0, "offset": 0.0}
    )

    robot = robot_of(values["robot_document"])
    assert _stiffness(values["robot_document"], robot) == (28,)


def _grid(turns=True):
    return Grid((turns, True), (5, 3), (-0.25, 0.0), (0.75, 1.0))


def _polynomial(function, derivative, grid):
    nodes = 2.0 * np.pi * np.arange(5) / 5
    x = nodes if grid.turns[0] else 0.25 + 0.5 * np.sin(nodes)
    return np.stack([function(x)] * 3, axis=1), np.stack([derivative(x)] * 3, axis=1)


@pytest.mark.parametrize(
    ("turns", "function", "derivative"),
    [
        (True, lambda x: np.cos(2 * x) + 3 * np.sin(x), lambda x: -2 * np.sin(2 * x) + 3 * np.cos(x)),
        (False, lambda x: 2 + x - 4 * x**2, lambda x: 1 - 8 * x),
    ],
)
def test_slopes_are_those_of_polynomials_within_their_radius(turns, function, derivative):
    grid = _grid(turns)
    values, wanted = _polynomial(function, derivative, grid)
    ball = ball_of(*map(flint.arb, map(float, values.ravel())), shape=(5, 3))
    found = slope(ball, 0, grid)
    assert np.all(np.abs(found.mid - wanted) <= found.rad + 1e-14)
    assert found.rad.max() < 1e-12
    wide = slope(type(ball)(ball.mid, ball.rad + 0.1), 0, grid)
    moved = slope(type(ball)(ball.mid + 0.1 * np.array([1, -1, 1, -1, 1])[:, None], ball.rad), 0, grid)
    assert np.all(np.abs(moved.mid - found.mid) <= wide.rad)
    assert slope(as_ball(1.0), 0, grid) is None


def test_a_sliding_joint_with_one_position_has_no_slope():
    grid = Grid((False,), (5,), (0.5,), (0.5,))
    assert slope(ball_of(*[flint.arb(1)] * 5, shape=(5,)), 0, grid) is None


def _brute(terms, rows, rng):
    """The largest sum of monomials at random factors within +-1, those of a group on their best side."""
    names = sorted({(kind, j) for kind, _, shared in terms for j in shared})
    x = np.concatenate([rng.choice((-1.0, 1.0, 0.0), (300, len(names))), rng.uniform(-1, 1, (300, len(names)))])
    sums: dict = {}
    for (kind, group, shared), row in zip(terms, rows, strict=True):
        value = row * np.prod([x[:, names.index((kind, j))] for j in shared], axis=0)
        sums[kind, group] = sums.get((kind, group), 0.0) + value
    return float(np.sum([np.abs(each) for each in sums.values()], axis=0).max())


def test_the_largest_sum_exceeds_no_limit_above_it_and_every_one_below():
    rng = np.random.default_rng(0)
    terms = [
        ("", ("a", 0), (0,)),
        ("", ("a", 0), (1,)),
        ("", ("a", 1), (1,)),
        ("", ("", 0), (0, 0, 1)),
        ("", ("", 0), (1,)),
    ]
    terms += [("acc", ("a", 0), (0,)), ("acc", ("a", 1), (1,))]
    for _ in range(20):
        rows = rng.normal(size=len(terms))
        most = _brute(terms, rows, rng)
        assert hold_exceeds(terms, rows[:, None], np.array([0.999 * most]))
        assert not hold_exceeds(terms, rows[:, None], np.array([np.abs(rows).sum()]))
    alone = np.array([[1.0, 0.0], [0.0, 2.0]])
    pair = [("", ("", 0), (0,)), ("", ("", 0), (1,))]
    assert not hold_exceeds(pair, alone, np.array([1.0, 2.0]))
    assert hold_exceeds(pair, alone, np.array([1.0, 1.9]))
    assert hold_exceeds(pair, alone, np.array([np.nan, 2.0]))


def test_opposite_needs_of_one_factor_do_not_add_up_but_those_of_a_square_do():
    group = [("", ("a", 0), (0,)), ("", ("a", 0), (1,)), ("", ("a", 1), (0,)), ("", ("a", 1), (1,))]
    rows = np.array([[1.0], [1.0], [1.0], [-1.0]])  # |x + y| + |x - y| is 2, the sum of all magnitudes 4
    assert not hold_exceeds(group, rows, np.array([2.0]))
    assert hold_exceeds(group, rows, np.array([1.99]))
    square = [("", ("a", 0), (0, 0)), ("", ("a", 0), ())]
    rows = np.array([[1.0], [-1.0]])  # x^2 - 1: 1/2 + |1/2 - 1|
    assert not hold_exceeds(square, rows, np.array([1.0]))
    assert hold_exceeds(square, rows, np.array([0.99]))


def test_terms_that_are_even_and_odd_and_too_many_factors_are_refused():
    with pytest.raises(RefusedError, match="even and odd"):
        _forms((("", ("a", 0), (0,)), ("", ("a", 0), (0, 1))))
    with pytest.raises(RefusedError, match="too many speeds"):
        _forms(tuple(("", ("a", 0), (j,)) for j in range(10)))


def test_a_program_with_damping_is_refused():
    values = document()
    program = values["program"]
    speed = next(k for k, step in enumerate(program["operations"]) if step[:2] == ["input", "qd"])
    tau = program["outputs"][0]["values"]
    program["operations"].append(["add", tau[0], speed])
    tau[0] = len(program["operations"]) - 1
    box = Box(*(values["motions"][key] for key in ("lower", "upper", "velocity", "acceleration")))
    hold = hold_of(sealed(values))
    with pytest.raises(RefusedError, match="first degree in a speed"):
        bends(hold.program, hold.robot, box)


def test_the_claim_names_age_order_jerks_and_sums():
    claim = hold_claim(document())
    for words in ("at most 10 ms old", "first order", "jerks of the joints up to 30, 40", "the rounding of code"):
        assert words in claim.sentence, words
    assert "all of one sample at most 10 ms old, held at first order" in claim.sentence
    assert (
        "M and g, and c, of a sample each, at most 10 ms old, held at zeroth" in hold_claim(document("zeroth")).sentence
    )
    assert "accelerations may jump" in hold_claim(document("first", None)).sentence
    assert [each.bound for each in claim.bounds] == [row["bound"] for row in document()["joints"].values()]
    assert claim.standing == "proven"
    assert claim.box[1].upper == 3.25


def test_the_command_proves_a_file_and_refuses_a_changed_one(tmp_path, capsys):
    path = tmp_path / "arm.hold.json"
    path.write_text(json.dumps(document()))
    assert main([str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ok"]
    assert found["claim"]["standing"] == "proven"
    assert [each["quantity"] for each in found["claims"]] == ["held_torque"] * 2
    other = tmp_path / "other.json"
    other.write_text(json.dumps(robot_to_dict(tq.classics.scara())))
    assert main([str(path), "--robot", str(other)]) == 1
    false = copy.deepcopy(document())
    false["joints"]["joint1"]["bound"] *= 0.99
    path.write_text(json.dumps(sealed(false)))
    assert main([str(path)]) == 1


def test_parts_of_two_motions_are_bounded_where_they_are():
    """Positions at which the inertia turns and at which it bends differ: parts are bounded one by one."""
    values = document()
    for row in values["joints"].values():
        row["curvature"], row["turning"] = row["curvature"] * 0.9, row["turning"] * 1.5
    refused(values, "curvature")
    assert check_below({}, _grid(), hold_exceeds, 0.0, lambda _: None) == 0.0


@pytest.mark.parametrize("change", ["velocity", "acceleration", "jerk"])
@pytest.mark.parametrize("joint", [0, 1])
def test_a_negative_limit_is_refused_and_zero_is_none(change, joint):
    values = document()
    values["motions"][change][joint] = -1e-9
    refused(values, "is negative")
    values["motions"][change][joint] = 0.0
    hold_of(sealed(values))
    values = document("zeroth", None)
    values["motions"]["velocity"][joint] = -1e-9
    refused(values, "is negative")


def test_a_range_of_one_position_and_an_age_of_zero_are_read():
    values = document()
    values["motions"]["lower"] = values["motions"]["upper"] = [0.5, 0.5]
    values["age"] = 0.0
    assert hold_of(sealed(values)).age == 0.0
    values["motions"]["lower"] = [0.5, 0.6]
    refused(values, "empty")


@pytest.mark.parametrize("key", ["drift", "turning"])
def test_a_part_without_a_value_is_that_of_any_acceleration_alone(key):
    values = document("zeroth", JERK)
    values["joints"]["joint1"][key] = None
    if key == "drift":
        refused(values, "the part 'drift' of its bound is missing")
    else:
        hold_of(sealed(values))


def test_springs_add_up_and_counterbalances_are_refused_anywhere():
    about = document()["robot_document"]
    robot = robot_of(about)
    for k, stiffness in ((0, 3.0), (1, 5.0)):
        about["bodies"][k]["joint"]["spring"] = {"stiffness": stiffness, "rest": 0.0}
    assert _stiffness(about, robot) == (3, 5)
    about["bodies"][0]["joint"]["spring"]["stiffness"] = -4.0
    assert _stiffness(about, robot) == (4, 5)
    about["bodies"][1]["joint"]["counterbalances"] = [{"lever": 0.1}]
    with pytest.raises(RefusedError, match="counterbalance"):
        _stiffness(about, robot)


@pytest.mark.parametrize(("order", "jerk", "weights"), [
    ("first", JERK, {"curvature": 5e-5, "bend": 1e-6 / 6.0, "turning": 0.01}),
    ("zeroth", JERK, {"drift": 0.01, "turning": 0.01}),
])  # fmt: skip
def test_a_bound_is_the_weighted_sum_of_its_parts(order, jerk, weights):
    values = document(order, jerk)
    for row in values["joints"].values():
        for part in weights:
            if row[part] is not None:
                row[part] = 1.001 * row[part] + 100.0
        row["bound"] = row["model"] + sum(weight * (row[part] or 0.0) for part, weight in weights.items())
        row["bound"] *= 1.0 + 2e-9
    check(values)
    for name in ("joint1", "joint2"):
        false = copy.deepcopy(values)
        false["joints"][name]["bound"] *= 1.0 - 2e-9
        refused(false, f"{name}: its parts add up to")


def _parts(name):
    """Motions of a classic robot's program."""
    values = document("first", JERK, name=name)
    hold = hold_of(values)
    return _motions(hold.program, hold.robot, hold.box), hold


def _sums(terms):
    """Weighted sums of a part: of midpoints, and of what is rounded; and of its monomials."""
    total = rounding = 0.0
    for k, (term, ball) in enumerate(sorted(terms.items(), key=lambda item: str(item[0]))):
        size = sum(1 + ord(letter) % 7 for letter in str(term))
        waves = np.abs(ball.mid) * (1.0 + np.arange(ball.mid.size).reshape(ball.mid.shape) % 3)
        total += size * (1 + k % 5) * float(waves.sum()) / ball.mid.size
        rounding += size * float(np.asarray(ball.rad).sum()) / np.asarray(ball.rad).size
    return [total, rounding]


PINNED = {
    "planar2r": [
        54155.9738815, 4.254125753966e-11, 9, 50437.83814792, 4.184457884075e-11, 11, 244170.4760498,
        3.753653608043e-10, 16, 233.4660151036, 7.273882355675e-13, 2, 778.4450015569, 17219.64904475,
        1.164021273931e-11, 5, 17441.92889839, 1.157098608247e-11, 5, 82857.20565975, 1.123905907337e-10, 7,
        68.56034446627, 1.370110916525e-13, 1, 320.7250006415,
    ],
    "scara": [
        2784.209034357, 1.154937319135e-11, 18, 4027.195592171, 1.116867827021e-11, 24, 12451.14807529,
        6.852519026618e-11, 45, 70.58781576452, 1.290467008107e-12, 6, 18.83745003768, 1214.254043814,
        2.247362980739e-12, 16, 865.327644029, 2.179086565854e-12, 20, 5433.794513541, 1.436157638777e-11, 32,
        17.71963133866, 2.325750313275e-13, 4, 6.267750012537, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        21.04168181656, 1.348028696978e-14, 10, 20.70927051379, 1.315174902173e-14, 11, 79.33483735021,
        9.656017530937e-14, 18, 0.4433402254957, 1.068588767036e-15, 3, 0.1572000003144,
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", ["planar2r", "scara"])
def test_the_parts_of_a_motion_keep_their_numbers(name):
    """All coefficients of all derivatives, and the rounding in them; simulations say that they are the error's."""
    motions, hold = _parts(name)
    weights = [Fraction(1, 3 + k) for k in range(hold.robot.n)]
    found = []
    for motion in motions:
        drifts = motion.drift(held=True), motion.drift(held=False)
        for terms in map(added_up, (*drifts, motion.curvature(), motion.turning(weights))):
            found += [*_sums(terms), float(len(terms))]
        found.append(motion.bend())
    np.testing.assert_allclose(found, PINNED[name], rtol=1e-10)


def test_the_rounding_of_a_slope_keeps_its_numbers():
    grid = Grid((True,), (5,), (-1.0,), (1.0,))
    ball = ball_of(*map(flint.arb, [1.0, -2.0, 3.0, -4.0, 5.0]), shape=(5,))
    matrix, noise = slope_matrix(5), 4.0 * 9.0 * 2.0**-53 * (1.0 + 1e-9)
    assert np.all(np.diag(matrix) == 0.0)
    np.testing.assert_allclose(matrix[0, 1], 0.5 / np.sin(np.pi / 5), rtol=1e-15)
    np.testing.assert_allclose(matrix[1, 0], -0.5 / np.sin(np.pi / 5), rtol=1e-15)
    found = slope(ball, 0, grid)
    np.testing.assert_allclose(found.rad, np.abs(matrix) @ (noise * np.abs(ball.mid)) * (1.0 + 1e-9), rtol=1e-12)
    wide = slope(type(ball)(ball.mid, ball.rad + 0.5), 0, grid)
    np.testing.assert_allclose(wide.rad, np.abs(matrix) @ (0.5 + noise * np.abs(ball.mid)) * (1.0 + 1e-9), rtol=1e-12)
    zero = slope(type(ball)(0.0 * ball.mid, ball.rad), 0, grid)
    assert zero.rad.tolist() == [1e-300] * 5
    assert slope(ball, 0, Grid((True,), (5,), (1.0,), (1.0,))) is not None


def test_parts_on_a_grid_that_is_too_large_are_refused(monkeypatch):
    values = document()
    hold = hold_of(values)
    motion = _motions(hold.program, hold.robot, hold.box)[0]
    most = max(len(added_up(found)) for found in (motion.curvature(), motion.turning([Fraction(1)] * 2)))
    size = most * int(np.prod(motion.grid.counts))
    monkeypatch.setattr("torquec_check.hold.MOST_VALUES", size)
    check(values)
    monkeypatch.setattr("torquec_check.hold.MOST_VALUES", size - 1)
    refused(values, f"joint1: {most} terms on a grid")


def test_the_limit_of_control_values_is_that_of_each_part():
    hold = hold_of(document())
    with pytest.raises(RefusedError, match="within the limit of subdivisions"):
        check_hold(hold, lambda _step, _part: None, 1.0)


def test_points_in_many_batches_are_all_looked_at(monkeypatch):
    monkeypatch.setattr("torquec_check.hold._AT_ONCE", 3)
    pair = [("", ("a", 0), (0,)), ("", ("a", 1), (0,))]
    rows = np.ones((2, 11))
    for k in range(11):
        limits = np.full(11, 2.0)
        assert not hold_exceeds(pair, rows, limits)
        limits[k] = 1.999
        assert hold_exceeds(pair, rows, limits)


def test_nine_factors_are_tried_and_ten_are_not():
    _forms(tuple(("", ("a", 0), (j,)) for j in range(9)))
    signs = _forms((("", ("a", 0), (0,)), ("", ("a", 0), (1,)), ("", ("a", 1), (0, 0, 1))))[0]
    assert [part.shape for part in signs[0]] == [(2, 2), (2, 1)]
    assert sorted(map(tuple, signs[0][0].tolist())) == [(1.0, -1.0), (1.0, 1.0)]
    assert np.abs(signs[0][1]).tolist() == [[0.5], [0.5]]
    assert signs[1] == [[0, 1], [2]]
    assert signs[2] == [2]


@pytest.mark.parametrize(
    ("order", "joint", "part"),
    [
        ("first", "elbow", "turning"),
        ("first", "roll", "curvature"),
        ("first", "roll", "bend"),
        ("zeroth", "roll", "drift"),
        ("zeroth", "roll", "turning"),
    ],
)
def test_a_part_of_zero_is_refused_where_it_is_small(order, joint, part):
    """Zero is a bound, not a part that is missing; these are below one."""
    values = document(order, JERK, name="scara")
    assert 0.0 < values["joints"][joint][part] < 1.0
    values["joints"][joint][part] = 0.0
    refused(values, f"{joint}: {part} = 0.0 is not proven")


@pytest.mark.parametrize(("drift", "proven"), [(0.99, False), (1.01, True)])
@pytest.mark.parametrize(("m", "c"), [(1.0, 1.0), (-1.0, -0.5), (0.5, 1.0)])
def test_coefficients_of_two_samples_drift_alone(monkeypatch, m, c, drift, proven):
    """M = m sin q1 and -c cos q1 qd1 qd2: their drifts may cancel, but M may be older than c, and c than M."""
    grid = grid_of((True, True), [1, 0], (-1.0, -1.0), (1.0, 1.0))
    sine, cosine = (grid.wave(op, Rows({(ANGLE,): Fraction(1)}))[()] for op in ("sin", "cos"))
    rows = {(~1,): sine * m, (0, 1): cosine * -c}
    motion = _Motion(rows, grid, 2, [Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)])
    (whole,) = added_up(motion.drift(held=True)).values()
    assert np.abs(whole.mid).max() == pytest.approx(abs(m - c), abs=1e-15)
    assert [len(each.rows) for each in motion.alone] == [1, 1]
    values = document("zeroth", None)
    values["motions"]["jerk"] = [0.0, 0.0]
    for row in values["joints"].values():
        row |= {"drift": drift, "turning": 0.0, "model": 0.0, "bound": 1.0}
    monkeypatch.setattr(hold, "_motions", lambda *_: [motion])
    monkeypatch.setattr(hold, "check_torque_errors", lambda *_: {})
    if proven:
        check(values)
    else:
        refused(values, "drift = 0.99 is not proven")


def test_robots_of_many_joints_are_refused_at_once(monkeypatch):
    monkeypatch.setattr("torquec_check.hold.MOST_JOINTS", 2)
    check(document())
    monkeypatch.setattr("torquec_check.hold.MOST_JOINTS", 1)
    refused(document(), "2 joints are too many")


def _wave(grid, *orders, op="cos"):
    """cos or sin of a sum of angles."""
    return grid.wave(op, Rows({(ANGLE + j,): Fraction(k) for j, k in enumerate(orders) if k}))[()]


@pytest.mark.parametrize("s", [1, -1])
def test_a_part_is_proven_over_sums_or_over_angles_and_none_below_a_value_that_is_attained(s):
    rng, term = np.random.default_rng(3), ("", ("", 0), (0,))
    for orders in ([(1, s), (0, 1), (1, 0)], [(1, -s), (2, 1), (0, 2)]):  # a function of sums; one that is not
        low, high = np.sort(rng.uniform(-2.0, 2.0, (2, 2)), axis=0)
        grid = grid_of((True, True), [2, 2], tuple(low), tuple(high))
        weights = rng.uniform(-1.0, 1.0, len(orders)).tolist()
        ball = sum((_wave(grid, *k) * w for k, w in zip(orders, weights, strict=True)), as_ball(0.0))
        q = np.meshgrid(*(np.linspace(a, b, 301) for a, b in zip(low, high, strict=True)), indexing="ij")
        largest = abs(sum(w * np.cos(k[0] * q[0] + k[1] * q[1]) for k, w in zip(orders, weights, strict=True))).max()
        check_part({term: ball}, grid, 1.001 * largest, lambda _part: None, np.inf)
        with pytest.raises(RefusedError):
            check_part({term: ball}, grid, 0.999 * largest, lambda _part: None, np.inf)


def test_sums_of_angles_take_fewer_control_values():
    """sin(2 q0 + 2 q1) + 0.9 cos(q0 + q1), at most 1.68005 within 2 rad: 19 boxes of the sum, or 337 of both angles."""
    grid, term = grid_of((True, True), [2, 2], (-2.0,) * 2, (2.0,) * 2), ("", ("", 0), (0,))
    terms = {term: _wave(grid, 2, 2, op="sin") + _wave(grid, 1, 1) * 0.9}
    check_part(terms, grid, 1.69, lambda _part: None, 40 * LEAST_VALUES)
    with pytest.raises(RefusedError, match="limit of subdivisions"):
        check_below(terms, grid, hold_exceeds, 1.69, lambda _part: None, 40 * LEAST_VALUES)


def test_what_is_left_of_a_part_for_a_spring_is_rounded_down(monkeypatch):
    values, left = document("zeroth", JERK), []
    _joint(values).update(spring={"stiffness": 7.0, "rest": 0.1})
    monkeypatch.setattr(hold, "check_part", lambda _terms, _grid, bound, *_: left.append(bound))
    drift = values["joints"]["joint2"]["drift"]
    with contextlib.suppress(RefusedError):  # the sum of the parts may be too large now
        check(values)
    assert left[-1 if values["joints"]["joint2"]["turning"] is None else -2] == drift - 21.0 * UP


def test_a_bound_may_be_the_sum_of_its_parts():
    values = document()
    for row in values["joints"].values():
        weights = {"curvature": 0.01**2 / 2.0, "bend": 0.01**3 / 6.0, "turning": 0.01}
        row["bound"] = (row["model"] + sum(weights[part] * row[part] for part in weights)) * UP
    check(values)
    row["bound"] = math.nextafter(row["bound"], 0.0)
    refused(values, "its parts add up to")


def test_noise_counts_in_amplitudes():
    grid = grid_of((True,), [1], (-1.0,), (1.0,))
    ball = _wave(grid, 1)
    noisy = Ball(ball.mid, ball.rad + 0.5)
    size = _Motion({}, grid, 1, [], [])._size(noisy, Fraction(2))
    assert size == pytest.approx(2.0 * (1.0 + 0.5 * math.sqrt(3.0)), rel=1e-6)
