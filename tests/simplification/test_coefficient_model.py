"""Models made of coefficients: exact ones give the robot's own dynamics, abbreviated ones Clover's."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.closedform import closed_form
from torquec.expr import evaluate
from torquec.model.model import compile
from torquec.proof.torque.coefficient_certificate import Family
from torquec.robot.classics import load_classic
from torquec.simplification.coefficient_model import abbreviated_coefficients, exact_coefficients, fitted_coefficients
from torquec.simplification.fitting.fit_entries import fit_entries
from torquec.simplification.specification import CoefficientThreshold, parse_specification
from torquec.simplification.tolerance import coefficient_tolerances, entry_tasks

INPUTS = {
    "inverse_dynamics": ("q", "qd", "qdd"),
    "mass_matrix": ("q",),
    "gravity_torque": ("q",),
    "velocity_torque": ("q", "qd"),
    "coriolis_matrix": ("q", "qd"),
}


@pytest.mark.parametrize("name", ["planar3r", "scara", "stanford", "puma560"])
@pytest.mark.parametrize("multiple_angles", [False, True])
def test_whole_coefficients_give_the_dynamics_of_the_robot(name, multiple_angles):
    robot = load_classic(name)
    form = closed_form(robot)
    exact = compile(robot)
    model = abbreviated_coefficients(form, CoefficientThreshold(1e-13)) if multiple_angles else exact_coefficients(form)
    rng = np.random.default_rng(0)
    state = dict(zip(("q", "qd", "qdd"), rng.uniform(-1.5, 1.5, (3, 20, robot.n)), strict=True))
    for quantity, program in model.programs().items():
        ours = next(iter(evaluate(program, {key: state[key] for key in INPUTS[quantity]}).values()))
        truth = getattr(exact, quantity)(*(state[key] for key in INPUTS[quantity]))
        assert np.allclose(ours, truth, rtol=0.0, atol=1e-9 * max(1.0, float(np.abs(truth).max()))), quantity


def test_velocity_torques_are_the_coriolis_matrix_times_the_speeds():
    form = closed_form(load_classic("stanford"))
    programs = abbreviated_coefficients(form, CoefficientThreshold(0.05)).programs()
    rng = np.random.default_rng(2)
    q, qd = rng.uniform(-1.0, 1.0, (2, 30, 6))
    matrix = evaluate(programs["coriolis_matrix"], {"q": q, "qd": qd})["C"].reshape(30, 6, 6)
    torque = evaluate(programs["velocity_torque"], {"q": q, "qd": qd})["tau"]
    assert np.allclose(np.einsum("nij,nj->ni", matrix, qd), torque, atol=1e-12)


def test_a_threshold_drops_small_terms_and_rounds_the_others():
    form = closed_form(load_classic("puma560"))
    whole, short = exact_coefficients(form), abbreviated_coefficients(form, CoefficientThreshold(0.01, 4))
    assert short.terms < 0.5 * whole.terms
    inertia = form.robot.drives.reflected_inertia(6)
    for (family, index), value in short.coefficients.items():
        motors = inertia[index[0]][index[1]] if family is Family.M else 0.0
        factor = 2.0 if family is Family.H and index[1] != index[2] else 1.0  # B is what Clover abbreviates
        for harmonic, number in value.terms.items():
            apart = factor * number - (motors if not harmonic.multiples and not harmonic.powers else 0.0)
            assert abs(apart) >= 0.01 - 1e-12 or abs(apart) < 1e-12
            assert apart == pytest.approx(float(f"{apart:.3e}"), abs=1e-12)


def test_fits_stand_in_the_place_of_their_coefficients():
    robot = load_classic("planar2r")
    form = closed_form(robot)
    text = "[every_joint]\nvelocity = 1.0\nacceleration = 1.0\ntorque_error = 40.0\n"
    spec = parse_specification(text, robot)
    tolerances = coefficient_tolerances(form, spec)
    fits = fit_entries(entry_tasks(form, tolerances), spec.box)
    model = fitted_coefficients(form, tolerances, fits)
    assert model.terms < exact_coefficients(form).terms
    for tolerance, fit in zip(tolerances, fits, strict=True):
        assert model.coefficients.get((tolerance.family, tolerance.index), fit.polynomial) == fit.polynomial
