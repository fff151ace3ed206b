"""The checker's own count of roundings: what is stated too small is refused, whatever the search forgot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.single_precision import rounding_found

from torquec.codegen.precision import Precision
from torquec.codegen.sincos import SINGLE_ERROR, SINGLE_SINCOS
from torquec.errors import CheckError
from torquec.expr import Op, trace
from torquec.expr.math import exp, sincos
from torquec.model.quantities import trace_quantity
from torquec.proof.checker import allowances
from torquec.proof.checker.check_certificate import check_certificate
from torquec.proof.checker.check_floats import _number, _Single, _times, _to_float, _turn, check_floats
from torquec.proof.rounding import single_rounding as search
from torquec.proof.torque.certificate import Certificate, RoundingProof
from torquec.proof.torque.certify import certify
from torquec.robot import classics
from torquec.trajectory.motion_box import MotionBox

ROBOT = classics.planar2r()
BOX = MotionBox((-1.5,) * 2, (1.5,) * 2, (1.0,) * 2, (2.0,) * 2)


@pytest.fixture(scope="module")
def exact():
    return trace_quantity(ROBOT, "inverse_dynamics")


@pytest.fixture(scope="module")
def certificate(exact):
    return certify(ROBOT, exact, exact, BOX, precision=Precision.SINGLE)


def test_what_the_checker_allows_for_is_no_less_than_what_was_measured():
    assert allowances.SINGLE_SINE_ERROR >= SINGLE_ERROR
    assert SINGLE_SINCOS.largest_angle == allowances.SINGLE_LARGEST_ANGLE
    assert np.float32(allowances.SINGLE_UNIT) == np.finfo(np.float32).eps / 2
    assert np.float32(allowances.FLUSHED) == np.finfo(np.float32).tiny
    assert np.finfo(np.float32).max > allowances.LARGEST_FLOAT


def test_a_certificate_in_single_precision_is_proven_again_and_is_the_same_after_a_file(certificate):
    slacks = check_certificate(ROBOT, certificate)
    for name, part in certificate.rounding.joints.items():
        assert part < slacks[name] <= certificate.joints[name].bound
    again = Certificate.from_dict(certificate.to_dict())
    assert again == certificate
    assert again.content_hash == certificate.content_hash
    assert again.precision is Precision.SINGLE


def test_certificates_in_double_precision_say_nothing_of_rounding(exact):
    document = certify(ROBOT, exact, exact, BOX).to_dict()
    assert "rounding" not in document
    assert Certificate.from_dict(document).precision is Precision.DOUBLE


PLANTED = {
    "a rounding unit that is half of it": ("UNIT", 2.0**-25),
    "a sine without an error": ("SINGLE_ERROR", 0.0),
    "sums that are not rounded": ("_rounded", lambda low, high, error: search._Value(low, high, error)),
    "products whose second operand is exact": (
        "_product",
        lambda a, b, is_square: search._rounded(
            *(
                f(np.stack(np.broadcast_arrays(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)), axis=0)
                for f in (np.min, np.max)
            ),
            b.size * a.error,
        ),
    ),
    "inputs that are not converted": ("_input", lambda low, high: search._Value(low, high, np.zeros(()))),
}


@pytest.mark.parametrize("name", PLANTED)
def test_what_the_search_forgets_the_checker_finds(name, exact, monkeypatch):
    attribute, wrong = PLANTED[name]
    monkeypatch.setattr(search, attribute, wrong)
    with pytest.raises(CheckError, match="single precision may change torque"):
        check_floats(exact, BOX, search.single_rounding(exact, BOX))


def test_a_constant_that_is_taken_as_it_is_is_found(monkeypatch):
    """Where constants are a good part of all roundings: the torque is a third of the acceleration."""
    third = trace("f", lambda q, qd, qdd: {"tau": [qdd[0] * (1.0 / 3.0)]}, dict.fromkeys(("q", "qd", "qdd"), (1,)))
    box = MotionBox((-1.0,), (1.0,), (1.0,), (1.0,))
    check_floats(third, box, search.single_rounding(third, box))
    monkeypatch.setattr(search, "_constant", lambda value: search._Value(*map(np.asarray, (value, value, 0.0))))
    with pytest.raises(CheckError, match="single precision may change torque"):
        check_floats(third, box, search.single_rounding(third, box))


def test_a_skipped_operation_is_found(exact, certificate):
    """The stated rounding is that of a shorter program: the last sums of both torques are left out."""
    cut = {result: exact.operations[result].args[0] for result in exact.results[0]}
    assert all(exact.operations[k].op in (Op.ADD, Op.SUB) for k in cut)
    shorter = replace(exact, results=(tuple(cut.values()),))
    stated = search.single_rounding(shorter, BOX)
    with pytest.raises(CheckError, match="single precision may change torque"):
        check_floats(exact, BOX, stated)


def stating(certificate, **changes):
    return replace(certificate, rounding=replace(certificate.rounding, **changes))


def test_what_is_tampered_with_is_refused(certificate):
    names = list(certificate.joints)
    smaller = {name: 0.9 * part for name, part in certificate.rounding.joints.items()}
    for joints, message in (
        (smaller, "single precision may change torque"),
        (dict.fromkeys(names, 0.0), "single precision may change torque"),
        (dict.fromkeys(names, -1.0), "its rounding is stated as -1"),
        (dict.fromkeys(names, float("nan")), "its rounding is stated as nan"),
        (dict.fromkeys(names, 1e9), "its rounding is stated as"),
        (dict(list(certificate.rounding.joints.items())[:1]), "the rounding of other joints"),
        (dict(reversed(certificate.rounding.joints.items())), "the rounding of other joints"),
    ):
        with pytest.raises(CheckError, match=message):
            check_certificate(ROBOT, stating(certificate, joints=joints))
    with pytest.raises(CheckError, match="nothing is known of rounding in double precision"):
        check_certificate(ROBOT, stating(certificate, precision=Precision.DOUBLE))


def test_a_bound_that_leaves_no_room_for_rounding_is_refused(certificate):
    name = "joint1"
    part = certificate.rounding.joints[name]
    proof = certificate.joints[name]
    less = {**certificate.joints, name: replace(proof, bound=part, found=0.0)}
    with pytest.raises(CheckError):
        check_certificate(ROBOT, replace(certificate, joints=less))


def test_a_document_with_an_empty_rounding_is_refused(certificate):
    from torquec.errors import ArgumentError
    from torquec.foundation.json_text import checksum

    document = replace(certificate, rounding=None).to_dict()
    del document["sha256"]
    document["rounding"] = None
    document["sha256"] = checksum(document)
    with pytest.raises(ArgumentError, match=r"certificate\.rounding"):
        Certificate.from_dict(document)


def test_the_checker_s_own_bound_is_never_below_what_is_found():
    """The smallest statement that is accepted, by halving, lies above what random motions attain."""
    robot = classics.scara()
    program = trace_quantity(robot, "inverse_dynamics")
    box = MotionBox(
        *(tuple(getattr(j.limits, side) for j in robot.joints) for side in ("lower", "upper")), (1.0,) * 4, (3.0,) * 4
    )
    found = rounding_found(program, box, 4000)
    stated = np.array(search.single_rounding(program, box))
    check_floats(program, box, stated)
    assert np.all(found < stated)
    with pytest.raises(CheckError):
        check_floats(program, box, 0.99 * found)


def test_what_a_float_cannot_be_is_refused():
    ports = dict.fromkeys(("q", "qd", "qdd"), (1,))

    def program(of):
        return trace("f", lambda q, qd, qdd: {"tau": [of(q[0], qdd[0])]}, ports)

    box = MotionBox((-5000.0,), (5000.0,), (1.0,), (1.0,))
    for of, message in (
        (lambda q, a: sincos(q)[0], "an angle may be too large"),
        (lambda q, a: 1e38 * a * 1e3, "too large for a float"),
        (lambda q, a: exp(a), "is not known in single precision"),
    ):
        with pytest.raises(CheckError, match=message):
            check_floats(program(of), box, [1e30])


def test_a_record_is_told_apart():
    assert RoundingProof(Precision.SINGLE, {"a": 1.0}) != RoundingProof(Precision.SINGLE, {"a": 2.0})


def test_boxes_are_cut_across_positions_that_are_read():
    """Here the second, of a joint whose speed is not: on the whole box sin q cos q would be one, it is a half."""

    def algorithm(q, qd, qdd):
        s, c = sincos(q[1])
        return {"tau": [(s * c) * qd[0], 0.0 * qd[0]]}

    program = trace("f", algorithm, dict.fromkeys(("q", "qd", "qdd"), (2,)))
    stated = search.single_rounding(program, BOX)
    check_floats(program, BOX, stated)
    whole = search._MARGIN * search._errors(program, BOX, search._Boxes(np.array([BOX.lower]), np.array([BOX.upper])))
    assert stated[0] < 0.8 * whole[0, 0]


@pytest.mark.parametrize(("wave", "top"), [(np.sin, 0.5 * np.pi), (np.cos, 0.0)])
def test_ranges_of_waves_are_those_of_their_angles(wave, top):
    """On rising and falling parts, over tops and bottoms, many turns away: as many samples show, and hardly wider."""
    rng = np.random.default_rng(8)
    low = rng.uniform(-30.0, 30.0, 300)
    high = low + rng.uniform(0.0, 7.0, 300) ** 2 / 7.0
    found = _turn(_Single(low, high, np.full(300, 1e-3)), wave, top)
    samples = wave(low + (high - low) * np.linspace(0.0, 1.0, 4001)[:, None])
    for end, seen, outwards in ((found.low, samples.min(axis=0), -1.0), (found.high, samples.max(axis=0), 1.0)):
        np.testing.assert_allclose(end, seen, atol=1e-5)
        assert np.all(outwards * (end - seen) >= 0.0)
    np.testing.assert_allclose(found.distance, 1e-3 + allowances.SINGLE_SINE_ERROR, rtol=1e-12)


def test_ends_move_outwards_and_distances_grow_with_every_operation():
    """By eight units of a double, and by a unit of a float of all that the float may be."""
    low, high = np.array([-3.0, 1.0, -5.0]), np.array([2.0, 4.0, -2.0])
    found = _to_float(low, high, np.array([0.0, 0.5, 0.25]))
    outwards = 8.0 * 2.0**-53
    np.testing.assert_array_equal(found.low, low - outwards * np.abs(low))
    np.testing.assert_array_equal(found.high, high + outwards * np.abs(high))
    grown = np.array([3.0, 4.5, 5.25]) * 2.0**-24
    np.testing.assert_allclose(found.distance - [0.0, 0.5, 0.25], grown, rtol=1e-6)
    a, b = _Single(low, high, np.full(3, 0.5)), _Single(-high, -low, np.full(3, 0.125))
    product = _times(a, b, is_square=False)
    np.testing.assert_allclose(product.low, [-9.0, -16.0, -25.0], rtol=1e-12)
    np.testing.assert_allclose(product.high, [6.0, -1.0, -4.0], rtol=1e-12)
    # |a| d_b + d_a d_b + |b| d_a, then rounded.
    moved = np.array([3.0, 4.0, 5.0]) * 0.125 + 0.0625 + np.array([3.0, 4.0, 5.0]) * 0.5
    np.testing.assert_allclose(product.distance, moved, rtol=1e-5)
    square = _times(a, a, is_square=True)
    np.testing.assert_allclose(square.low, [0.0, 1.0, 4.0], atol=1e-12)
    np.testing.assert_allclose(square.high, [9.0, 16.0, 25.0], rtol=1e-12)
    np.testing.assert_allclose(_Single(low, high, low).largest(), [3.0, 4.0, 5.0])


def test_constants_are_off_by_their_rounding_and_that_of_their_digits():
    """2^-25 + 2^-53 of 1 + 2^-25, whose float is one; a number below all normal floats may be taken for zero."""
    digits = 8.0 * 2.0**-53
    found = _number(1.0 + 2.0**-25)
    assert (float(found.low), float(found.high)) == (1.0 + 2.0**-25,) * 2
    assert float(found.distance) == 2.0**-25 + digits * (1.0 + 2.0**-25)
    assert float(_number(-3.0).distance) == digits * 3.0
    assert float(_number(0.0).distance) == 0.0
    tiny = 2.0**-130
    assert float(_number(tiny).distance) == pytest.approx(allowances.FLUSHED, rel=1e-12, abs=0.0)
