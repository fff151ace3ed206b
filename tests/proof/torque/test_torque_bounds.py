"""The worst motions attain the errors that are stated, and no other motion tried is worse."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from tests.proof.arms import arm, motions, programs

from torquec.errors import TimeLimitError
from torquec.expr import evaluate
from torquec.foundation.budget import Budget
from torquec.foundation.work import Work
from torquec.proof.check_certificate import check_certificate
from torquec.proof.enclosure.branch_and_bound import Exhausted, Refutation, ShownBoxes
from torquec.proof.torque import torque_bound as module
from torquec.proof.torque.certify import UnprovenError, certify
from torquec.proof.torque.torque_bounds import error_program, worst_motions
from torquec.proof.torque.torque_residual import torque_residual
from torquec.proof.torque.torque_tables import torque_tables
from torquec.robot.state_coordinate import position_bases


def errors(exact, simplified, q, qd, qdd):
    state = {"q": q, "qd": qd, "qdd": qdd}
    return np.abs(evaluate(exact, state)["tau"] - evaluate(simplified, state)["tau"])


@pytest.mark.parametrize("name", ["planar3r", "scara", "stanford"])
def test_worst_motions_attain_the_error(name):
    robot = arm(name)
    exact, simplified = programs(robot, 1, 0.9)
    box = motions(robot)
    worst = worst_motions(error_program(exact, simplified), box)
    rng = np.random.default_rng(4)
    q = rng.uniform(box.lower, box.upper, (20_000, robot.n))
    qd = rng.uniform(-1.0, 1.0, q.shape) * box.velocity
    qdd = rng.uniform(-1.0, 1.0, q.shape) * box.acceleration
    sampled = errors(exact, simplified, q, qd, qdd).max(axis=0)
    for joint in range(robot.n):
        states = worst.states[joint]
        assert np.all(states[:, 0] >= box.lower)
        assert np.all(states[:, 0] <= box.upper)
        assert np.all(np.abs(states[:, 1:]) <= [box.velocity, box.acceleration])
        attained = errors(exact, simplified, *(states[:, k] for k in range(3)))[:, joint].max()
        assert attained == pytest.approx(worst.found[joint], rel=1e-9, abs=1e-11)
        assert sampled[joint] <= worst.found[joint] * (1.0 + 1e-6) + 1e-12


def test_the_search_repeats_itself():
    robot = arm("planar3r")
    error = error_program(*programs(robot, 1, 0.9))
    first, again = (worst_motions(error, motions(robot), seed=3) for _ in range(2))
    assert np.array_equal(first.states, again.states)


def test_equal_programs_have_no_error():
    robot = arm("scara")
    exact, _ = programs(robot, 1, 0.9)
    assert np.all(worst_motions(error_program(exact, exact), motions(robot)).found == 0.0)


def test_few_samples_are_all_climbed_from():
    robot = arm("planar3r")
    error = error_program(*programs(robot, 1, 0.9))
    few, many = (worst_motions(error, motions(robot), samples=samples) for samples in (5, 2000))
    assert few.states.shape == (3, 5, 3, 3)
    assert np.all(few.found[:2] > 0.5 * many.found[:2])


PARTS = "proving a torque error in parts"


@pytest.fixture(scope="module")
def given():
    robot = arm("planar3r")
    return (robot, *programs(robot, 1, 0.8), motions(robot))


@pytest.fixture(scope="module")
def whole(given):
    return certify(*given)


@pytest.fixture
def small_tasks(monkeypatch):
    """Tasks leave off after a few boxes, so that small proofs take many rounds of parts."""
    monkeypatch.setattr(module, "_OF_A_TASK", 0)
    monkeypatch.setattr(module, "_LEAST_BOXES", 6)
    monkeypatch.setattr(module, "_PARTS", 4)


def steps_of(given, executor=None, **options):
    steps = []
    work = Work(executor=executor, report=lambda report: steps.append(report.step))
    return certify(*given, work=work, **options), steps


def test_parts_give_the_proof_that_is_found_at_once(given, whole, small_tasks):
    """Round after round: boxes are left open at any depth, and gone on with from there."""
    found, steps = steps_of(given)
    assert steps.count(PARTS) > 20
    assert found == whole
    check_certificate(given[0], found)


@pytest.mark.parametrize("workers", [1, 3])
def test_who_works_on_the_parts_decides_nothing(given, whole, small_tasks, workers):
    with ThreadPoolExecutor(workers) as pool:
        found, steps = steps_of(given, pool)
    assert PARTS in steps
    assert found == whole


def test_small_robots_are_not_done_in_parts(given, whole):
    found, steps = steps_of(given)
    assert PARTS not in steps
    assert found == whole


def test_the_joint_that_uses_most_of_what_is_allowed_comes_first(given, whole):
    names = given[0].joint_names
    notes = []
    work = Work(report=lambda report: notes.append(report.note))
    limits = {name: (1.1 if k == 1 else 3.0) * max(whole.joints[name].found, 1e-3) for k, name in enumerate(names)}
    certify(*given, limits=list(limits.values()), work=work)
    assert next(note for note in notes if note).startswith(f"{names[1]}:")
    # And where it fails, nothing else is waited for.
    notes.clear()
    limits[names[1]] = 0.9 * whole.joints[names[1]].found
    with pytest.raises(UnprovenError, match=names[1]):
        certify(*given, limits=list(limits.values()), work=work)
    assert [note for note in notes if note] == [f"{names[1]}: not proven"]


def search_of(given, whole, factor):
    """The first joint's search at a multiple of its largest error, begun and left off."""
    robot, exact, simplified, box = given
    bases = position_bases(robot)
    tables = [torque_tables(program, bases, range(robot.n)) for program in (exact, simplified)]
    found = whole.joints[robot.joint_names[0]].found
    error = module.joint_error(torque_residual(*tables), 0, box, limit=factor * found)
    return error, module.pursued(error, replace(module.bound_search(error, found), targets=(error.limit,)))


def test_the_first_part_that_shows_nothing_decides(given, whole, small_tasks):
    error, search = search_of(given, whole, 1.05)
    parts = module.open_parts(error, search)
    assert len(parts) == 4
    shown = module.show_part(parts[0])
    assert isinstance(shown, ShownBoxes)
    value = 1.01 * search.found
    asked = []

    def outcomes(*kinds):
        for kind in kinds:
            asked.append(kind)
            yield kind

    refuted = module.with_parts(error, search, outcomes(shown, Refutation(value), Exhausted(9), Refutation(2 * value)))
    assert refuted.is_over
    assert refuted.found == value
    assert len(asked) == 2
    assert module.with_parts(error, search, outcomes(Refutation(2.0 * search.found))).best is None
    assert module.with_parts(error, search, outcomes(shown, Exhausted(9))).is_over


def test_boxes_of_all_parts_count_together(given, whole, small_tasks, monkeypatch):
    """However few each of them has: a proof of as many boxes is found, one with fewer is not."""
    error, search = search_of(given, whole, 1.02)

    def proven(most):
        monkeypatch.setattr(module, "_most_boxes", lambda *_: most)
        state = search
        while state.trees:
            state = module.with_parts(error, state, map(module.show_part, module.open_parts(error, state)))
        return state.best

    best = proven(10**6)
    assert best.boxes > 6 * 4
    assert proven(best.boxes) == best
    assert proven(best.boxes // 2) is None


def test_time_that_is_over_in_a_part_leaves_the_best_bound(given, whole, small_tasks, monkeypatch):
    """Joints are within their limits, and bounds are made closer, in parts: there time is over."""
    limits = [1.5 * max(proof.bound, 1e-3) for proof in whole.joints.values()]
    parts = module.with_parts
    monkeypatch.setattr(module, "sum_of_amplitudes", lambda *_: None)
    within = certify(*given, limits=limits, closer=False)

    def late(error, search, outcomes):
        def over():
            if search.best is not None:
                raise TimeLimitError("the time limit is reached")
            yield from outcomes

        return parts(error, search, over())

    monkeypatch.setattr("torquec.proof.torque.torque_bounds.with_parts", late)
    work = Work()
    with work.within(Budget.after(3600.0)):
        found = certify(*given, limits=limits, work=work)
    for name, proof in found.joints.items():
        assert proof.bound <= within.joints[name].bound
    check_certificate(given[0], found)
