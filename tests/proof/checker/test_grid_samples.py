"""What samples on a grid say of a row everywhere: never too little, and a single wave exactly."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.proof.arms import arm, motions, programs
from tests.proof.tampering import with_term

from torquec.dynamics import inverse_dynamics
from torquec.errors import CheckError, TimeLimitError
from torquec.expr import trace
from torquec.expr.math import sincos
from torquec.foundation.budget import Budget
from torquec.foundation.work import Work
from torquec.proof.checker.grid_samples import grid_samples
from torquec.proof.checker.harmonic_table import HarmonicTable
from torquec.proof.checker.residual_grid import ResidualGrid


def samples_of(robot, program, *, whole=False):
    box = motions(robot)
    return grid_samples(ResidualGrid(robot, program, box.lower, box.upper), robot=whole)


@pytest.mark.parametrize("name", ["planar3r", "scara"])
def test_no_row_is_anywhere_larger_than_its_samples_allow(name):
    robot = arm(name)
    _, simplified = programs(robot, 1, 0.8)
    box = motions(robot)
    samples = samples_of(robot, simplified, whole=True)
    q = np.random.default_rng(3).uniform(box.lower, box.upper, (4000, robot.n))
    robot_rows, error_rows = samples.grid.both_at(q)
    for sampled, rows in ((samples.error, error_rows), (samples.robot, robot_rows)):
        for joint, row in np.ndindex(*sampled.radius.shape):
            most = samples.reach(sampled.value[joint, row], float(sampled.radius[joint, row]))
            assert np.abs(rows.value[row, :, joint]).max() <= most


def test_a_wave_is_no_larger_than_its_amplitude():
    """3 cos(q1 + 2 q2 - q3) with a little of another: by Lebesgue constants alone it would be thirteen."""
    robot = arm("planar3r")

    def algorithm(q, qd, qdd):
        tau = list(inverse_dynamics(robot, q, qd, qdd))
        tau[1] = tau[1] - 3.0 * sincos(q[0] + 2.0 * q[1] - q[2])[1] + 0.25 * sincos(q[2])[0]
        return {"tau": tau}

    program = trace("inverse_dynamics", algorithm, dict.fromkeys(("q", "qd", "qdd"), (3,)))
    samples = samples_of(robot, program)
    gravity = samples.error.value[1, -1]
    assert samples.reach(gravity, 0.0) == pytest.approx(3.25, rel=1e-6)
    assert samples.reach(gravity, 0.0) >= 3.25
    assert samples.grid.lebesgue * np.abs(gravity).max() > 10.0
    assert samples.reach(gravity, 0.01) == pytest.approx(3.25 + 0.01 * samples.grid.lebesgue, rel=1e-6)


def test_a_table_in_fewer_joints_is_that_of_its_functions():
    """Functions of two of four joints, in another order and of lower or higher degree, are found again."""
    robot = arm("scara")
    exact, _ = programs(robot, 0, 1.0)
    samples = samples_of(robot, exact)
    slides = [joint.type.is_prismatic for joint in robot.joints]
    other, sliding = slides.index(False), slides.index(True)
    for degrees in [(1, 0), (1, 1), (2, 1)]:
        sizes = [2 * degrees[0] + 1, degrees[1] + 1]
        table = np.random.default_rng(5).normal(size=(2, *sizes))
        if degrees[1] > samples.grid.degrees[sliding] or degrees[0] > samples.grid.degrees[other]:
            table[:, 2 * samples.grid.degrees[other] + 1 :] = 0.0
            table[:, :, samples.grid.degrees[sliding] + 1 :] = 0.0
        small = HarmonicTable((((other, 1),), ((sliding, 1),)), (False, True), degrees, table)
        found = samples.table(small.at(samples.grid.positions).value, (other, sliding), degrees)
        assert (found.variables, found.sliding, found.degrees) == (small.variables, small.sliding, small.degrees)
        np.testing.assert_allclose(found.table, small.table, atol=1e-12)
        np.testing.assert_allclose(
            samples.on_grid(found).value, small.at(samples.grid.positions).value, atol=1e-12
        )  # fmt: skip


def test_more_samples_than_memory_holds_are_refused(monkeypatch):
    robot = arm("planar3r")
    exact, _ = programs(robot, 0, 1.0)
    monkeypatch.setattr("torquec.proof.checker.grid_samples._MOST_SAMPLES", 100)
    with pytest.raises(CheckError, match="too many joints"):
        samples_of(robot, exact)


def of_displacement(still):
    """A term of second degree in the displacement of a SCARA, beside waves in an angle."""
    robot = arm("scara")
    slides = [joint.type.is_prismatic for joint in robot.joints].index(True)
    exact, _ = programs(robot, 0, 1.0)
    program = with_term(exact, 0, lambda q, qd, qdd: 2.0 * q[slides] * q[slides] * sincos(q[1])[1])
    box = motions(robot)
    lower = tuple(box.upper[j] if j == slides and still else low for j, low in enumerate(box.lower))
    return grid_samples(ResidualGrid(robot, program, lower, box.upper)), slides


def test_displacements_are_bounded_by_lebesgue_constants():
    """They have no waves: what is known of a row that depends on one is its largest value on the grid."""
    samples, slides = of_displacement(still=False)
    assert (samples.grid.degrees[1], samples.grid.degrees[slides]) == (1, 2)
    assert samples.has_tables
    row = samples.error.value[0, -1]
    largest = np.abs(row).max()
    assert largest == pytest.approx(2.0 * 0.6**2)
    assert samples.reach(row, 0.0) == pytest.approx(samples.grid.lebesgue * largest, rel=1e-8)
    assert samples.reach(row, 0.1) == pytest.approx(samples.grid.lebesgue * (largest + 0.1), rel=1e-8)
    # Where every value is rounding nothing is closer than that.
    assert samples.reach(0.01 * row, 0.1) == pytest.approx(samples.grid.lebesgue * (0.01 * largest + 0.1), rel=1e-8)


def test_nodes_of_a_displacement_that_stands_still_make_no_tables():
    assert not of_displacement(still=True)[0].has_tables


def test_samples_are_the_rows_of_every_joint(monkeypatch):
    """Also where they are evaluated a few at a time; radii are the largest of the whole grid."""
    monkeypatch.setattr("torquec.proof.checker.residual_grid._CHUNK", 7)
    robot = arm("planar3r")
    samples = samples_of(robot, programs(robot, 1, 0.8)[1], whole=True)
    whole, error = samples.grid.both_at(samples.grid.positions)
    assert len(samples.grid.parts(len(samples.grid.positions))) > 3
    for sampled, rows in ((samples.error, error), (samples.robot, whole)):
        np.testing.assert_array_equal(sampled.value, rows.value.transpose(2, 0, 1))
        np.testing.assert_array_equal(sampled.radius, rows.radius.max(axis=1).T)
    largest = samples.grid.largest_coefficient()
    assert largest == np.abs(whole.value).max()


@pytest.mark.parametrize("turned", [False, True])
def test_a_table_has_the_joints_that_are_asked_for(turned):
    """2 d^2 cos q2 in its own two joints, in either order."""
    samples, slides = of_displacement(still=False)
    joints, degrees = (1, slides), (1, 2)
    expected = np.zeros((1, 3, 3))
    expected[0, 1, 2] = -2.0  # of exact - program
    if turned:
        joints, degrees, expected = joints[::-1], degrees[::-1], expected.transpose(0, 2, 1)
    found = samples.table([samples.error.value[0, -1]], joints, degrees)
    np.testing.assert_allclose(found.table, expected, atol=1e-12)
    np.testing.assert_allclose(samples.on_grid(found).value[0], samples.error.value[0, -1], atol=1e-12)


def test_parts_of_a_grid_are_tasks_of_the_work(monkeypatch):
    """By another thread as by this one, and not begun any more when the time is over."""
    monkeypatch.setattr("torquec.proof.checker.residual_grid._CHUNK", 7)
    robot = arm("planar3r")
    box = motions(robot)
    grid = ResidualGrid(robot, programs(robot, 1, 0.8)[1], box.lower, box.upper)
    here = grid_samples(grid, robot=True)
    with ThreadPoolExecutor(2) as pool:
        elsewhere = grid_samples(grid, robot=True, work=Work(executor=pool))
    for one, other in ((here.error, elsewhere.error), (here.robot, elsewhere.robot)):
        np.testing.assert_array_equal(one.value, other.value)
        np.testing.assert_array_equal(one.radius, other.radius)
    work = Work()
    with pytest.raises(TimeLimitError), work.within(Budget(1.0, start=0.0)):
        grid_samples(grid, work=work)
