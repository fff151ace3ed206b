"""Moments to leave out: errors of fits are those of the programs, and what is left out stays within the tolerance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from torquec.dynamics.mechanism import mechanism
from torquec.expr import count_operations, evaluate
from torquec.foundation.work import silent
from torquec.robot.classics import load_classic
from torquec.robot.robot import Drives
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.moment_search import MomentSearch
from torquec.trajectory.motion_box import MotionBox, sampled_motions

TOLERANCE = np.array([0.5, 0.5, 2.0, 0.05])


@pytest.fixture
def search():
    box = MotionBox((-1.0, -1.0, 0.0, -1.0), (1.0, 1.0, 0.2, 1.0), (1.0,) * 4, (3.0,) * 4)
    return MomentSearch(mechanism(replace(load_classic("scara"), drives=Drives())), box, TOLERANCE)


def test_errors_are_those_of_the_program(search):
    kept = search.left_out(silent)
    assert len(kept) < len(search.parameters)
    program = torque_program(search.simplified(kept, search.least_squares(kept)))
    states = sampled_motions(search.motions, 1500)
    given = {name: states[:, k] for k, name in enumerate(("q", "qd", "qdd"))}
    wrong = evaluate(program, given)["tau"] - evaluate(torque_program(search.exact), given)["tau"]
    largest = float(np.abs(wrong / TOLERANCE).max())
    assert search.error_of_least_squares(kept) == pytest.approx(largest, rel=1e-9)
    assert search.error(kept) <= 0.99
    operations = count_operations(program)
    assert search.cost(kept) == operations.mul + operations.add


def test_a_fit_errs_no_more_at_its_worst_motions_than_it_says(search):
    fitted = search.first_within(silent)
    assert fitted.ratio <= 1.0
    program = torque_program(search.simplified(fitted.kept, fitted.beta))
    states = sampled_motions(search.motions, 20_000, rng=np.random.default_rng(5))
    given = {name: states[:, k] for k, name in enumerate(("q", "qd", "qdd"))}
    wrong = np.abs(evaluate(program, given)["tau"] - evaluate(torque_program(search.exact), given)["tau"])
    assert np.all(wrong.max(axis=0) <= fitted.found * (1.0 + 1e-6) + 1e-12)


def test_nothing_left_out_is_exact(search):
    every = list(range(len(search.parameters)))
    search.left_out(silent)
    assert search.error_of_least_squares(every) <= 1e-9
