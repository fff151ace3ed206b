"""Coefficients that meet a specification: which of them there are for each kind, and the search that it may name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from torquec.closedform import closed_form
from torquec.errors import RobotError, TimeLimitError
from torquec.expr import count_operations
from torquec.foundation.budget import Budget
from torquec.foundation.work import Work
from torquec.model.quantities import trace_quantity
from torquec.proof.check_certificate import check_certificate
from torquec.proof.torque.coefficient_bound import coefficient_bound
from torquec.proof.torque.coefficient_certificate import Family
from torquec.robot.classics import load_classic
from torquec.robot.robot import Mimic
from torquec.simplification.coefficient_model import exact_coefficients
from torquec.simplification.fitting.fit_entries import BasisSearch, fit_entries
from torquec.simplification.pipeline import meet_specification
from torquec.simplification.specification import load_specification, parse_specification
from torquec.simplification.specification_text import check_specification_met
from torquec.simplification.tolerance import coefficient_tolerances, entry_tasks

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "specifications"
ARM = load_classic("planar2r")
EXACT = trace_quantity(ARM, "inverse_dynamics")
LIMITS = "[every_joint]\nvelocity = 1.0\nacceleration = 2.0\n"
CONTROL = LIMITS + (
    "[every_joint.control]\nstep_error = 0.5\n[every_joint.motor]\narmature_resistance = 1.0\ntorque_constant = 0.1\n"
    "back_emf_constant = 0.1\ngear_ratio = 0.01\nresonance = 30.0\ninertia = 0.5\n"
)


def test_a_threshold_gives_the_abbreviated_coefficients_with_proofs():
    found = meet_specification(ARM, EXACT, parse_specification("[coefficients]\nthreshold = 0.6\n" + LIMITS, ARM))
    assert found.coefficients.torque() == found.certificate.program
    assert set(found.certificate.joints) == {"joint1", "joint2"}
    assert found.certificate.coefficients.coefficients
    check_certificate(ARM, found.certificate)
    unlimited = meet_specification(ARM, EXACT, parse_specification("[coefficients]\nthreshold = 0.6", ARM))
    assert unlimited.certificate.joints == {}
    assert unlimited.certificate.program == found.certificate.program


def test_a_control_requirement_gives_torques_and_coefficients():
    told = []
    found = meet_specification(ARM, EXACT, parse_specification(CONTROL, ARM), work=Work(report=told.append))
    assert count_operations(found.certificate.program).cost <= count_operations(EXACT).cost
    assert found.certificate.coefficients.program == found.coefficients.torque()
    check_certificate(ARM, found.certificate)
    steps = {news.step for news in told}
    assert {"fitting the coefficients", "proving the coefficients", "pruning", "proving the torque errors"} <= steps


def test_a_coefficient_that_is_not_proven_in_time_is_left_exact_and_the_others_stay(monkeypatch):
    """The time is over while the first of them is proven, and only then."""
    stated = parse_specification(CONTROL, ARM)
    whole = meet_specification(ARM, EXACT, stated)
    proofs = whole.certificate.coefficients.coefficients
    first = next(iter(proofs.values()))
    asked = []

    def late(*arguments, **options):
        asked.append(arguments)
        if len(asked) == 1:
            raise TimeLimitError("the time limit is reached", remedy="allow more time")
        return coefficient_bound(*arguments, **options)

    monkeypatch.setattr("torquec.proof.torque.certify_coefficients.coefficient_bound", late)
    found = meet_specification(ARM, EXACT, stated)
    assert set(proofs) - set(found.certificate.coefficients.coefficients) == {first.name}
    assert len(asked) == len(proofs)  # those that were proven are not proven again
    exact = exact_coefficients(closed_form(ARM)).coefficients
    place = (first.family, first.index)
    assert found.coefficients.coefficients == {**whole.coefficients.coefficients, place: exact[place]}
    check_certificate(ARM, found.certificate)
    check_specification_met(ARM, found.certificate)


def test_without_time_for_any_coefficient_all_of_them_are_exact_and_proven():
    work = Work()
    with work.within(Budget(1.0, start=0.0)):
        found = meet_specification(ARM, EXACT, parse_specification(CONTROL, ARM), work=work)
    assert found.coefficients is None
    assert found.certificate.coefficients.program == EXACT
    assert found.certificate.coefficients.coefficients == {}
    check_certificate(ARM, found.certificate)
    check_specification_met(ARM, found.certificate)


@pytest.mark.parametrize("text", ["[coefficients]\nthreshold = 0.3", CONTROL])
def test_coefficients_of_mimic_joints_are_refused(text):
    bodies = list(ARM.bodies)
    bodies[1] = replace(bodies[1], joint=replace(bodies[1].joint, mimic=Mimic("joint1", 1.0, 0.0)))
    robot = replace(ARM, bodies=tuple(bodies))
    stated = parse_specification(text, robot)
    with pytest.raises(RobotError, match="follows another one"):
        meet_specification(robot, trace_quantity(robot, "inverse_dynamics"), stated)


def test_the_search_of_the_specification_fits_the_stanford_arm():
    """Some coefficients by layers, as Chang & Lee print it: within tolerance, with at least as many terms."""
    robot = load_classic("stanford")
    text = (EXAMPLES / "stanford_control.toml").read_text(encoding="utf-8")
    stated = parse_specification('search = "min_basis_gen"\n' + text, robot)
    assert stated.search is BasisSearch.MIN_BASIS_GEN
    form = closed_form(robot)
    chosen = [t for t in coefficient_tolerances(form, stated) if t.name in ("M[2,4]", "M[3,3]", "g[4]")]
    tasks = entry_tasks(form, tuple(chosen))
    assert [t.family for t in chosen] == [Family.M, Family.M, Family.G]
    layered = fit_entries(tasks, stated.box, search=stated.search)
    plain = fit_entries(tasks, stated.box)
    for task, by_layers, other in zip(tasks, layered, plain, strict=True):
        assert by_layers.fit.level <= task.tolerance
        assert len(other.polynomial) <= len(by_layers.polynomial) <= len(task.target)
    assert any(a.fit.level != b.fit.level for a, b in zip(layered, plain, strict=True))  # it was another search


@pytest.mark.slow
def test_a_whole_specification_with_the_printed_search():
    robot = load_classic("stanford")
    text = (EXAMPLES / "stanford_control.toml").read_text(encoding="utf-8")
    stated = parse_specification('search = "min_basis_gen"\n' + text, robot)
    found = meet_specification(robot, trace_quantity(robot, "inverse_dynamics"), stated)
    check_certificate(robot, found.certificate)
    plain = load_specification(EXAMPLES / "stanford_control.toml", robot)
    other = meet_specification(robot, trace_quantity(robot, "inverse_dynamics"), plain)
    assert other.certificate.program == found.certificate.program
    assert other.coefficients.terms <= found.coefficients.terms
