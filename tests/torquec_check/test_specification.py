"""Specifications: every requirement maps to a proof, or is refused."""

from __future__ import annotations

import contextlib

import pytest
from tests.torquec_check.documents import program_document, robot_document
from tests.torquec_check.test_certificate import JOINT, M11, coefficients, document
from tests.torquec_check.test_program_error import _added

from torquec_check.certificate import certificate_of
from torquec_check.document import RefusedError
from torquec_check.program_error import check_coefficients
from torquec_check.specification import check_specification

_RANGE = "range = [-3.0, 3.0]\nvelocity = 1.0\nacceleration = 2.0\n"
_MOTOR = "motor = { inertia = 2.0, resonance = 80.0, gear_ratio = 0.01, torque_constant = 1.0 }\n"


def specification(requirement, *, head="", motions=_RANGE):
    joints = "".join(f'[[joint]]\nname = "joint{k}"\n{motions}{requirement}' for k in (1, 2))
    return f'robot = "planar2r"\n{head}{joints}'


def check(text, **changes):
    check_specification(certificate_of(document(specification=text, **changes)))


def control(**errors):
    stated = ", ".join(f"{name} = {value!r}" for name, value in errors.items())
    return specification(f"control = {{ {stated} }}\n{_MOTOR}")


def test_torque_errors_are_bounds():
    check(specification("torque_error = 1e-6\n"))
    with pytest.raises(RefusedError, match="allows 1e-07, proven is 1e-06"):
        check(specification("torque_error = 1e-7\n"))
    with pytest.raises(RefusedError, match="proven is None"):
        check(specification("torque_error = 1.0\n"), joints={}, coefficients=coefficients())


def test_a_control_requirement_needs_the_proof_of_its_inertia():
    """With no coefficients proven, M may be zero: the damping of the loop would be anything."""
    text = control(damping_error=0.05, step_error=0.1)
    with pytest.raises(RefusedError, match="no coefficients are proven"):
        check(text)
    check(text, coefficients=coefficients())
    near = coefficients(**{"M[1,1]": M11 | {"kind": "relative", "bound": 0.1}})
    check(text, coefficients=near)
    for false in (M11, M11 | {"kind": "relative", "bound": 0.11}):
        with pytest.raises(RefusedError, match="damping"):
            check(text, coefficients=coefficients(**{"M[1,1]": false}))


def test_steady_state_errors_are_torque_bounds():
    """The stiffness is 2 80^2/4 = 3200 N m/rad."""
    wide = {name: JOINT | {"bound": 32.0} for name in ("joint1", "joint2")}
    for kind in ("step_error", "ramp_error"):
        check(control(damping_error=0.05, **{kind: 0.0101}), coefficients=coefficients(), joints=wide)
        with pytest.raises(RefusedError, match="allows"):
            check(control(damping_error=0.05, **{kind: 0.0099}), coefficients=coefficients(), joints=wide)


def test_a_parabolic_error_pays_for_the_tolerance_of_the_inertia():
    """M_11 of planar2r is 8/3 at most: 0.1 of that is 0.26667 N m, of the 3200 e that the error allows."""
    wide = {name: JOINT | {"bound": 1.0} for name in ("joint1", "joint2")}
    check(control(damping_error=0.05, parabolic_error=1.26670 / 3200.0), coefficients=coefficients(), joints=wide)
    with pytest.raises(RefusedError, match="parabolic error is not met"):
        check(control(damping_error=0.05, parabolic_error=1.26660 / 3200.0), coefficients=coefficients(), joints=wide)


def test_thresholds_need_bounds_of_coefficients():
    text = specification("", head="coefficients = { threshold = 0.1 }\n")
    check(text, coefficients=coefficients())
    with pytest.raises(RefusedError, match="none are proven"):
        check(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("robot = 1 2", "cannot be read"),
        (specification("torque_error = 1.0\n").replace("planar2r", "puma560"), "another robot"),
        (specification("torque_error = 1.0\n", head='precision = "single"\n'), "precision"),
        (specification("torque_error = 1.0\n", head="surprise = 1\n"), "'surprise'"),
        (specification("torque_error = 1.0\nsurprise = 1\n"), "not known"),
        (specification(""), "requires nothing"),
        (specification("torque_error = 1.0\n", motions="range = [-1.0, 1.0]\n"), "other motions"),
        (specification("torque_error = 1.0\n", motions="velocity = 2.0\n"), "other motions"),
        ('robot = "planar2r"\n', "joints in order"),
        (control(damping_error=0.05, surprise=1.0), "not known"),
    ],
)
def test_other_requirements_are_refused(text, message):
    with pytest.raises(RefusedError, match=message):
        check(text, coefficients=coefficients())


def test_nothing_is_required_without_a_specification():
    check("", program=_added([["const", 1.0]]))


@pytest.mark.parametrize(
    "text",
    [
        specification("torque_error = 1.0\n", head="search = { proven = 1 }\n"),
        specification("torque_error = 1.0\n", head='search = "tracking error PROVEN"\n'),
        specification("", head="coefficients = { threshold = 0.1, tracking_error = 1e-9 }\n"),
        specification("", head='coefficients = { threshold = "PROVEN" }\n'),
        control(damping_error=0.05).replace("gear_ratio = 0.01", 'gear_ratio = "PROVEN"'),
        specification('torque_error = 1.0\nmotor = { "torque error 1e-9 N m, PROVEN" = 1 }\n'),
        specification('torque_error = 1.0\nmotor = { inertia = "PROVEN" }\n'),
        specification("torque_error = 1.0\nmotor = 1.0\n"),
    ],
)
def test_words_that_nobody_proves_are_refused(text):
    """All of this was printed under `Specification that is met`."""
    with pytest.raises(RefusedError):
        check(text, coefficients=coefficients())


def test_an_inertia_without_a_bound_is_right_everywhere():
    """M_11 = 1 + d^2 to 1e-9 of its largest value, 1e12 at d = 1e6 m, is anything where d is zero."""
    robot = robot_document()
    robot["gravity"] = [0.0, 0.0, 0.0]
    for body, kind, axis, inertia in zip(
        robot["bodies"],
        ("revolute", "prismatic"),
        ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]),
        ({"zz": 1.0}, {"m": 1.0}),
        strict=True,
    ):
        body["joint"] |= {"type": kind, "axis": axis}
        body["joint"]["placement"]["origin"] = [0.0, 0.0, 0.0]
        body["inertia"] = dict.fromkeys(body["inertia"], 0.0) | inertia
    motions = {"lower": [-3.0, 0.0], "upper": [3.0, 1e6], "velocity": [1.0] * 2, "acceleration": [2.0] * 2}
    text = control(damping_error=0.05).replace("range = [-3.0, 3.0]\n", "")
    for own, message in ((1.0, None), (501.0, "attained")):
        steps = [["input", "q", 1], ["mul", 0, 0], ["const", own], ["add", 1, 2], ["input", "qdd", 0], ["mul", 3, 4]]
        steps += [["input", "qd", 0], ["input", "qd", 1], ["mul", 6, 7], ["mul", 8, 0], ["add", 9, 9], ["add", 5, 10]]
        steps += [["input", "qdd", 1], ["mul", 6, 6], ["mul", 13, 0], ["sub", 12, 14]]
        program = program_document() | {"operations": steps}
        program["outputs"][0]["values"] = [11, 15]
        inner = coefficients(program) | {"box": {"lower": [-3.0, 0.0], "upper": [3.0, 1e6]}}
        certificate = certificate_of(
            document(specification=text, robot_document=robot, program=program, motions=motions, coefficients=inner)
        )
        check_coefficients(certificate.robot, certificate.program, certificate.box, (), (1e3, 1e3), lambda *_: None)
        with pytest.raises(RefusedError, match=message) if message else contextlib.nullcontext():
            check_specification(certificate)


def test_bounds_of_other_coefficients_do_not_serve_a_control_requirement():
    text = control(damping_error=0.05, step_error=0.1)
    m22 = M11 | {"index": [1, 1], "kind": "relative", "bound": 0.5}
    check(
        text,
        coefficients=coefficients(
            **{"M[1,1]": M11 | {"kind": "relative", "bound": 0.1}, "M[1,2]": M11 | {"index": [0, 1]}}
        ),
    )
    with pytest.raises(RefusedError, match="damping"):
        check(text, coefficients=coefficients(**{"M[1,1]": M11 | {"kind": "relative", "bound": 0.01}, "M[2,2]": m22}))


def test_a_stiffness_is_rounded_down():
    """3200 N m/rad times 0.01 rad is the bound, 32 N m."""
    wide = {name: JOINT | {"bound": 32.0} for name in ("joint1", "joint2")}
    with pytest.raises(RefusedError, match="allows 32, proven is 32"):
        check(control(damping_error=0.05, step_error=0.01), coefficients=coefficients(), joints=wide)


def test_motions_may_be_left_out_and_others_are_refused():
    check(specification("torque_error = 1e-6\n", motions=""))
    for motions in ("velocity = 2.0\n", "acceleration = 3.0\n", "range = [-3.0, 2.0]\n"):
        with pytest.raises(RefusedError, match="about other motions"):
            check(specification("torque_error = 1e-6\n", motions=motions))
