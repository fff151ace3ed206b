"""Torque errors: honest bounds are proven; errors that hide from a grid, from doubles or from speeds are refused."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from tests.torquec_check.documents import program_document, robot_document

from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.expr import function_to_dict
from torquec.model.quantities import trace_quantity
from torquec.robot.robot_document import robot_from_dict
from torquec_check import program_error as module
from torquec_check import rows as module_of_grids
from torquec_check.document import RefusedError
from torquec_check.program import torque_program
from torquec_check.program_error import by_tangents, check_torque_errors, difference, torque_exceeds
from torquec_check.robot import Box, robot_of
from torquec_check.rounding import DOUBLE, SINGLE, rounding_errors

BOX = Box((-3.0, -3.0), (3.0, 3.0), (1.0, 1.0), (2.0, 2.0))


def _check(document, bounds, *, box=BOX, precision=DOUBLE, robot="planar2r"):
    own = robot_of(robot_document(robot))
    return check_torque_errors(own, torque_program(document, own.n), box, bounds, precision, lambda *_: None)


def _added(operations, joint=0, robot="planar2r"):
    """The exact program with something more in one torque; operations count from the end of the program."""
    document = program_document(robot)
    start, value = len(document["operations"]), document["outputs"][0]["values"]
    for op, *args in operations:
        document["operations"].append([op, *(start + a if op not in ("input", "const") else a for a in args)])
    document["operations"].append(["add", value[joint], len(document["operations"]) - 1])
    value[joint] = len(document["operations"]) - 1
    return document


def test_the_exact_program_is_right_to_rounding():
    slacks = _check(program_document(), [1e-11, 1e-11])
    assert all(0.0 < slack < 1e-12 for slack in slacks.values())


@pytest.mark.parametrize(
    ("more", "size"),
    [
        ([["const", 0.01], ["input", "qdd", 1], ["mul", 0, 1]], 0.02),
        ([["const", 0.01], ["input", "qd", 1], ["mul", 0, 1], ["mul", 1, 2]], 0.01),
        ([["const", 0.01], ["input", "q", 1], ["sin", 1], ["mul", 0, 2]], 0.01),
    ],
)
def test_an_error_is_proven_at_its_size_and_refused_below(more, size):
    _check(_added(more), [size * 1.001, 1e-9])
    with pytest.raises(RefusedError, match=r"joint 'joint1': the bound .* is not proven"):
        _check(_added(more), [size * 0.999, 1e-9])


def test_a_wave_that_vanishes_on_a_coarse_grid_is_seen():
    """sin(5 q) is zero at all nodes of degree two."""
    with pytest.raises(RefusedError, match="is attained"):
        _check(
            _added([["input", "q", 1], ["const", 5.0], ["mul", 0, 1], ["sin", 2], ["const", 0.01], ["mul", 3, 4]]),
            [1e-3] * 2,
        )


def test_rounding_that_hides_behind_a_wave_is_refused():
    """((s + B) - B) - s is zero in real numbers; compiled, it is up to u B."""
    noise = [["input", "q", 1], ["sin", 0], ["const", 1e9], ["add", 1, 2], ["sub", 3, 2], ["sub", 4, 1]]
    wave = [
        ["const", 5.0],
        ["mul", 6, 0],
        ["sin", 7],
        ["mul", 5, 8],
        ["input", "qd", 0],
        ["mul", 10, 10],
        ["mul", 9, 11],
    ]
    with pytest.raises(RefusedError, match="rounding"):
        _check(_added([*noise, *wave]), [1e-8, 1e-8])
    _check(_added([*noise, *wave]), [1e-5, 1e-8])


def test_rounding_of_a_large_joint_does_not_serve_a_small_one():
    """A rail with large accelerations: the other joints keep their own bounds."""
    box = Box((-1.0,) * 4, (1.0,) * 4, (1.0,) * 4, (2.0, 2.0, 1e12, 2.0))
    noise = [["input", "q", 3], ["sin", 0], ["const", 1e14], ["add", 1, 2], ["sub", 3, 2], ["sub", 4, 1]]
    with pytest.raises(RefusedError, match="rounding"):
        _check(_added(noise, robot="scara"), [1e-3, 1e-3, 1e3, 1e-3], box=box, robot="scara")


def test_floats_count_with_their_rounding():
    slacks = _check(program_document(), [1e-3, 1e-3], precision=SINGLE)
    assert all(1e-7 < slack < 1e-3 for slack in slacks.values())
    with pytest.raises(RefusedError, match="joint1"):
        _check(program_document(), [1e-7, 1e-3], precision=SINGLE)


def test_a_tilt_of_the_file_is_part_of_the_error():
    """The program of the snapped robot, and a file whose second axis is off by 1e-6 rad."""
    document = robot_document()
    c, s = 1.0 - 5e-13, 1e-6
    document["bodies"][1]["joint"]["placement"]["rotation"] = [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]
    robot = robot_of(document)
    program = torque_program(program_document(), 2)
    check_torque_errors(robot, program, BOX, [1e-4, 1e-4], DOUBLE, lambda *_: None)
    with pytest.raises(RefusedError):
        check_torque_errors(robot, program, BOX, [1e-13, 1e-13], DOUBLE, lambda *_: None)


MONOMIALS = ((), (0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2), (~0,), (~2,))


def test_the_functional_bounds_all_rates():
    """Between what is attained and the bound by tangents lie all torques of rates in [-1, 1]."""
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(len(MONOMIALS), 40))
    rates = rng.uniform(-1.0, 1.0, (4000, 6))
    rates[:64] = list(itertools.product((-1.0, 1.0), repeat=6))
    products = np.array([[np.prod([x[k] if k >= 0 else x[3 + ~k] for k in key]) for key in MONOMIALS] for x in rates])
    largest = np.abs(products @ rows).max(axis=0)
    sums = np.abs(rows).sum(axis=0)
    bound = by_tangents(MONOMIALS, rows)
    assert np.all(bound >= largest - 1e-12)
    assert np.all(bound <= sums + 1e-12)
    assert bound.sum() < 0.8 * sums.sum()
    assert not torque_exceeds(MONOMIALS, rows, sums)
    assert not torque_exceeds(MONOMIALS, rows, by_tangents(MONOMIALS, rows) * (1.0 + 1e-12))
    for point in range(40):
        assert torque_exceeds(MONOMIALS, rows, np.where(np.arange(40) == point, 0.999 * largest, sums))


def test_what_is_no_number_exceeds_every_limit():
    """Among many points that are looked at worst first, too."""
    rows = np.random.default_rng(4).normal(size=(len(MONOMIALS), 1000))
    limits = by_tangents(MONOMIALS, rows, (1.0, -1.0), 1) + 1e-9
    assert not torque_exceeds(MONOMIALS, rows, limits)
    rows[3, 7] = np.nan
    assert torque_exceeds(MONOMIALS, rows, limits)
    assert torque_exceeds(MONOMIALS, np.nan_to_num(rows), np.where(np.arange(1000) == 9, np.nan, limits))


def test_a_bound_that_is_met_exactly_is_met():
    rows = np.random.default_rng(5).normal(size=(len(MONOMIALS), 30))
    for k in range(30):
        one = rows[:, [k]]
        quick, close = by_tangents(MONOMIALS, one, (1.0, -1.0), 1), by_tangents(MONOMIALS, one)
        assert quick[0] == pytest.approx(by_tangents(MONOMIALS, one, tangents=1)[0])
        assert close <= quick
        assert not torque_exceeds(MONOMIALS, one, quick)
        # Where t = 0 is more than `_FAR` times a limit, no other t is tried.
        assert torque_exceeds(MONOMIALS, one, close * (1.0 + 1e-12)) is bool(quick > 1.5 * close * (1.0 + 1e-12))
        assert torque_exceeds(MONOMIALS, one, by_tangents(MONOMIALS, one) * (1.0 - 1e-12))


def test_rounding_has_a_factor_for_its_own(monkeypatch):
    exactly = rounding_errors(torque_program(program_document(), 2), BOX, DOUBLE)
    bounds = [3.0 * rounding + 1e-14 for rounding in exactly]
    _check(program_document(), bounds)
    with pytest.raises(RefusedError, match="rounding may change"):
        _check(program_document(), exactly)
    monkeypatch.setattr(module, "UP", 4.0)
    with pytest.raises(RefusedError):
        _check(program_document(), bounds)


@pytest.mark.parametrize(
    ("gravity", "square", "other", "mixed", "largest"),
    [
        (-1.0, 0.5, 0.0, 0.0, 1.0),
        (1.0, -0.5, 0.0, 0.0, 1.0),
        (1.0, 0.5, 0.25, 0.0, 1.75),
        (-1.0, -0.5, -0.25, 0.0, 1.75),
        (1.0, 0.0, 0.0, 0.3, 1.3),
        (-1.0, 0.0, 0.0, -0.3, 1.3),
        (0.0, 0.5, 0.5, -1.0, 2.0),
    ],
)
def test_known_maxima_over_speeds(gravity, square, other, mixed, largest):
    """Of |g + a x^2 + b y^2 + c x y| for x and y in [-1, 1]."""
    monomials = ((), (0, 0), (1, 1), (0, 1))
    rows = np.array([[gravity], [square], [other], [mixed]])
    assert by_tangents(monomials, rows)[0] == pytest.approx(largest)
    assert torque_exceeds(monomials, rows, np.array([0.99 * largest]))
    assert not torque_exceeds(monomials, rows, np.array([1.01 * largest]))


def test_the_exact_program_differs_by_rounding():
    robot = robot_of(robot_document())
    found = difference(robot, torque_program(program_document(), 2), BOX)
    assert set(found.robot[0]) >= {(), (~0,), (~1,)}
    for rows in found.error:
        for ball in rows.values():
            assert np.abs(ball.mid).max() < 1e-14
            assert ball.rad.max() < 1e-13


def test_joints_that_nothing_depends_on_have_one_node():
    """The mass matrix does not depend on the first joint; here gravity does not, either."""
    document = robot_document() | {"gravity": [0.0, 0.0, 0.0]}
    program = program_document() | {"operations": [["const", 0.0]]}
    program["outputs"][0]["values"] = [0, 0]
    found = difference(robot_of(document), torque_program(program, 2), BOX)
    assert found.grid.counts == (1, 5)


def test_large_grids_are_refused(monkeypatch):
    monkeypatch.setattr(module_of_grids, "MOST_POINTS", 4)
    with pytest.raises(RefusedError, match="too many"):
        difference(robot_of(robot_document()), torque_program(program_document(), 2), BOX)


def test_a_torque_of_first_degree_in_a_speed_is_refused():
    document = program_document()
    document["operations"].append(["input", "qd", 0])
    document["outputs"][0]["values"][0] = len(document["operations"]) - 1
    with pytest.raises(RefusedError, match="first degree"):
        difference(robot_of(robot_document()), torque_program(document, 2), BOX)


def test_a_degree_beyond_all_grids_is_refused_before_its_nodes_are_made():
    """Sixty squares of a cosine have the degree 2^60."""
    document = program_document()
    document["operations"] = [["input", "q", 0], ["cos", 0], *(["mul", k, k] for k in range(1, 61))]
    document["outputs"][0]["values"] = [61, 61]
    with pytest.raises(RefusedError, match="too many"):
        difference(robot_of(robot_document()), torque_program(document, 2), BOX)


def test_one_point_of_several_that_exceeds_is_enough():
    """At both points the quick bound is above its limit, at one of them the close one is not."""
    rng = np.random.default_rng(12)
    rows = rng.normal(size=(len(MONOMIALS), 400))
    close, quick = by_tangents(MONOMIALS, rows), by_tangents(MONOMIALS, rows, (1.0, -1.0), 1)
    first, second = np.flatnonzero((quick > 1.01 * close) & (quick < 1.4 * close))[:2]
    pair = rows[:, [first, second]]
    limits = by_tangents(MONOMIALS, pair) * np.array([1.0 + 1e-9, 0.995])
    assert torque_exceeds(MONOMIALS, pair, limits)
    assert torque_exceeds(MONOMIALS, pair[:, ::-1], limits[::-1])
    assert not torque_exceeds(MONOMIALS, pair, np.abs(limits) * np.array([1.0, 1.01]))


def test_nine_speeds_are_tried_no_more():
    """Eight speeds have 3^8 choices; with nine, nothing is known of the largest sum."""
    for count, known in ((8, True), (9, False)):
        pairs = [(j, j) for j in range(count)]
        found = by_tangents(pairs, np.ones((count, 1)), (1.0, -1.0), 1)
        assert np.isfinite(found).all() == known
        if known:
            np.testing.assert_allclose(found, 8.0)


SUMS = [
    34.8222519122911,
    34.8222519122911,
    74.4919296286281,
    77.6534281094189,
    105.418944917021,
    113.85096079981,
    152.770110884567,
    174.121256389916,
]


def test_bounds_by_tangents_keep_their_numbers():
    """Of random coefficients of one to four speeds, with one tangent and with eight."""
    rng, found = np.random.default_rng(7), []
    for count in range(1, 5):
        pairs = [(j, k) for j in range(count) for k in range(j, count)]
        monomials = [(), *((~j,) for j in range(count)), *pairs]
        rows = rng.normal(size=(len(monomials), 6))
        found += [float((by_tangents(monomials, rows) * np.arange(1.0, 7.0)).sum())]
        found += [float((by_tangents(monomials, rows, (1.0, -1.0), 1) * np.arange(1.0, 7.0)).sum())]
    np.testing.assert_allclose(found, SUMS, rtol=1e-12)


def _parallel_arm(rng, sense):
    """Three joints, the last two parallel or opposite, on a tilted base: random inertias and placements."""
    document = robot_document("planar3r")
    turned = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
    for k, body in enumerate(document["bodies"]):
        m, c, radii = rng.uniform(1.0, 3.0), rng.uniform(-0.3, 0.3, 3), rng.uniform(0.1, 0.2, 3) ** 2
        body["inertia"]["m"] = m
        body["inertia"] |= {key: m * x for key, x in zip(("mx", "my", "mz"), c, strict=True)}
        diagonal = zip(("xx", "yy", "zz"), c, radii, strict=True)
        body["inertia"] |= {key: m * (c @ c - x * x + r) for key, x, r in diagonal}
        body["inertia"] |= {a + b: -m * c["xyz".index(a)] * c["xyz".index(b)] for a, b in ("xy", "xz", "yz")}
        rotation = turned if k == 1 else np.eye(3).tolist()
        body["joint"]["placement"] = {"rotation": rotation, "origin": [0.3, 0.1 * k, 0.0]}
        body["joint"]["axis"] = [0.0, 0.0, float(sense) if k == 2 else 1.0]
    document["gravity"] = [2.0, 0.0, -9.0]
    return document


def _largest_errors(exact, other, box):
    """Of every joint, by steps from the best of random positions; at each the largest over corners of the rates."""
    rng, lower, upper = np.random.default_rng(5), np.array(box.lower), np.array(box.upper)
    speeds = np.array([*itertools.product((-1.0, 0.0, 1.0), repeat=3)][:14]) * box.velocity  # ends with zero
    rates = [np.concatenate([speeds, np.zeros((3, 3))]), np.concatenate([np.zeros((14, 3)), np.eye(3)])]
    q = rng.uniform(lower, upper, (200, 3))
    for radius in 0.5 ** np.arange(1, 8):
        given = [[*q.T], *([*rate.T[:, :, None]] for rate in rates)]
        error = np.array(inverse_dynamics(exact, *given)) - np.array(inverse_dynamics(other, *given))
        own = np.abs(error[:, 14:] - error[:, 13:14]) * np.reshape(box.acceleration, (3, 1))
        sizes = np.abs(error[:, :14]).max(axis=1) + own.sum(axis=1)
        best = q[np.argsort(-sizes, axis=1)[:, :6].ravel()]
        near = np.clip(best[:, None] + radius * rng.normal(size=(18, 8, 3)), lower, upper)
        q = np.concatenate([best, near.reshape(-1, 3)])
    return sizes.max(axis=1)


@pytest.mark.parametrize(("sense", "reach"), [(-1, 3.2), (1, 1.0)])
def test_errors_of_arms_with_parallel_joints_are_bounded_closely(sense, reach):
    """Samples never exceed a bound that is proven, and one that is 3 % above the largest found is proven."""
    rng = np.random.default_rng(sense + 1)
    document = json.loads(json.dumps(_parallel_arm(rng, sense)))  # NumPy's numbers as floats
    exact = robot_from_dict(document)
    for body in document["bodies"]:
        body["inertia"] |= {key: x * 1.1 for key, x in body["inertia"].items()}
    box = Box((-reach,) * 3, (reach,) * 3, (1.0, 2.0, 2.0), (2.0, 3.0, 1.0))
    program = torque_program(function_to_dict(trace_quantity(exact, "inverse_dynamics")), 3)
    found = _largest_errors(exact, robot_from_dict(document), box).tolist()

    def check(bounds):
        check_torque_errors(robot_of(document), program, box, bounds, DOUBLE, lambda *_: None)

    check([1.03 * x for x in found])
    for joint in range(3):
        with pytest.raises(RefusedError, match=f"joint{joint + 1}"):
            check([(0.999 if k == joint else 1.03) * x for k, x in enumerate(found)])
