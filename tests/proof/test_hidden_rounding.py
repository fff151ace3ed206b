"""What rounding hides on a grid is refused: in torques, in coefficients and in the parts of a torque."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from tests.proof.arms import arm, motions, programs
from tests.proof.coefficient_models import check_coefficients, exact_program, narrow_box, shortened
from tests.proof.hidden_rounding import KINDS, hidden
from tests.proof.sabotage import largest_errors
from tests.proof.tampering import refuses, seeds

from torquec.errors import CheckError
from torquec.expr import evaluate
from torquec.model.quantities import trace_quantity
from torquec.proof.check_certificate import check_certificate, check_parts
from torquec.proof.torque.certify import certify
from torquec.proof.torque.certify_coefficients import certify_coefficients

pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")


def certified(name):
    robot = arm(name)
    certificate = certify(robot, *programs(robot, robot.n - 1, 0.9), motions(robot))
    check_certificate(robot, certificate)
    return robot, certificate


@pytest.fixture(scope="module")
def case():
    return certified("planar2r")


@pytest.mark.parametrize("kind", KINDS)
def test_terms_that_rounding_hides_are_refused(case, kind):
    robot, certificate = case
    for rng in seeds(4):
        assert refuses(check_certificate, robot, replace(certificate, program=hidden(certificate.program, kind, rng)))


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_hidden_makes_the_claim_false(case, kind):
    """Where the program runs, in doubles, its errors exceed the bounds, or are no numbers."""
    robot, certificate = case
    exceeded = 0
    for rng in seeds(4):
        false = replace(certificate, program=hidden(certificate.program, kind, rng, size=1e6))
        error = largest_errors(robot, false, false.motions, rng)[0]
        exceeded += not error <= certificate.joints[robot.joint_names[0]].bound
    # A sum of which all is lost in doubles is zero there, and wrong in real numbers alone.
    assert exceeded or kind.__name__ in ("lost_number", "lost_multiple")


@pytest.mark.slow
def test_five_hundred_terms_that_rounding_hides():
    cases = [certified(name) for name in ("planar2r", "planar3r", "scara")]
    accepted, tried = [], Counter()
    for k, rng in enumerate(seeds(500, start=7)):
        robot, certificate = cases[k % len(cases)]
        kind = KINDS[k % len(KINDS)]
        program = hidden(certificate.program, kind, rng, size=10.0 ** rng.uniform(1.0, 6.0), nodes=(3, 3, 5, 7))
        tried[kind.__name__] += 1
        if not refuses(check_certificate, robot, replace(certificate, program=program)):
            accepted.append((k, kind.__name__))
    assert not accepted, tried


@pytest.mark.parametrize("kind", KINDS)
def test_coefficients_of_programs_that_rounding_hides(kind):
    robot = arm("planar2r")
    certificate = certify_coefficients(robot, exact_program(robot), shortened(robot, 1.5).torque(), narrow_box(robot))
    check_coefficients(robot, certificate)
    for rng in seeds(3):
        assert refuses(check_coefficients, robot, replace(certificate, program=hidden(certificate.program, kind, rng)))


@pytest.mark.parametrize("kind", KINDS)
def test_parts_that_rounding_hides(kind):
    """They are put together by tracing, which folds numbers: M may be wrong by 800 kg m^2 and look right."""
    robot = arm("planar2r")
    program, M = trace_quantity(robot, "inverse_dynamics"), trace_quantity(robot, "mass_matrix")
    check_parts(robot, program, {"mass_matrix": M}, motions(robot))
    for rng in seeds(3):
        with pytest.raises(CheckError):
            check_parts(robot, program, {"mass_matrix": hidden(M, kind, rng)}, motions(robot))


def test_an_error_of_a_thousand_newton_metres():
    """The first of these that was found: 1 N m was claimed, and proven."""
    robot, certificate = certified("planar2r")
    q = np.random.default_rng(0).uniform(-1.0, 1.0, (100, 2))
    still = np.zeros_like(q)
    false = hidden(certificate.program, KINDS[0], np.random.default_rng(1))
    state = {"q": q, "qd": still, "qdd": still}
    change = evaluate(false, state)["tau"] - evaluate(certificate.program, state)["tau"]
    assert np.abs(change).max() > 100.0
    assert certificate.joints["joint1"].bound < 2.0
    assert refuses(check_certificate, robot, replace(certificate, program=false))
