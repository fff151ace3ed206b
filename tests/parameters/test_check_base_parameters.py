"""The independent check: good bases pass, every sabotaged one is refused."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot
from tests.parameters.serial_arms import random_arm

from torquec.errors import CheckError
from torquec.parameters.base_parameters import BasisMethod, base_parameters
from torquec.parameters.check_base_parameters import check_base_parameters
from torquec.robot import classics


def changed(rows, i, k, by):
    """Sparse rows with `by` added to one entry, which may have been zero."""
    row = dict(rows[i])
    row[k] = row.get(k, 0.0) + by
    return tuple(tuple(sorted(row.items())) if j == i else old for j, old in enumerate(rows))


def coefficient(record, draw):
    """One coefficient of one combination changed by 1e-6, zeros included."""
    i, k = draw.randrange(len(record.names)), draw.randrange(len(record.parameters))
    return dataclasses.replace(record, projection=changed(record.projection, i, k, draw.choice([-1e-6, 1e-6])))


def coefficient_that_is_there(record, draw):
    i = draw.randrange(len(record.names))
    k = draw.choice(record.projection[i])[0]
    return dataclasses.replace(record, projection=changed(record.projection, i, k, draw.choice([-1e-6, 1e-6])))


def expansion(record, draw):
    """The regressor's side changed by 1e-6."""
    k, i = draw.randrange(len(record.parameters)), draw.randrange(len(record.names))
    return dataclasses.replace(record, expansion=changed(record.expansion, k, i, draw.choice([-1e-6, 1e-6])))


def dropped(record, draw):
    """One combination left out, everywhere."""
    out = draw.randrange(len(record.names))
    kept = [i for i in range(len(record.names)) if i != out]
    return dataclasses.replace(
        record,
        names=tuple(record.names[i] for i in kept),
        projection=tuple(record.projection[i] for i in kept),
        expansion=tuple(tuple((i - (i > out), v) for i, v in row if i != out) for row in record.expansion),
        values=None if record.values is None else tuple(record.values[i] for i in kept),
    )


def redundant(record, draw):
    """A combination of two others added, with half of what one of them explained."""
    first, second = draw.sample(range(len(record.names)), 2)
    count = len(record.names)
    mixed = dict(record.projection[first])
    for k, value in record.projection[second]:
        mixed[k] = mixed.get(k, 0.0) + value
    share = draw.choice([0.0, 0.5, 1.0])
    shared = []
    for row in record.expansion:
        entries = dict(row)
        if entries.get(first):
            entries[count] = share * entries[first]
        shared.append(tuple((i, v) for i, v in entries.items() if v))
    values = record.values
    return dataclasses.replace(
        record,
        names=(*record.names, "redundant"),
        projection=(*record.projection, tuple(sorted(mixed.items()))),
        expansion=tuple(shared),
        values=None if values is None else (*values, values[first] + values[second]),
    )


SABOTAGES = (coefficient, coefficient_that_is_there, dropped, redundant)


def specimens():
    """Robots of every kind with their bases."""
    for name in ("puma560", "stanford", "scara", "planar2r"):
        robot = classics.load_classic(name)
        for method in BasisMethod:
            yield robot, base_parameters(robot, method=method, friction=method is not BasisMethod.SVD).record
    for seed in range(6):
        robot = random_arm(seed)
        yield robot, base_parameters(robot).record
        tree = random_robot(seed, placements=("generic", "right-angled", "parallel"))
        yield tree, base_parameters(tree, friction=True).record


def is_refused(robot, record):
    try:
        check_base_parameters(robot, record)
    except CheckError:
        return True
    return False


def refused(count, seed):
    draw = random.Random(seed)
    collection = list(specimens())
    for robot, record in collection:
        check_base_parameters(robot, record)
    for _ in range(count):
        robot, record = draw.choice(collection)
        if len(record.names) < 2:
            continue
        sabotage = draw.choice(SABOTAGES)
        assert is_refused(robot, sabotage(record, draw)), f"{sabotage.__name__} of {record.robot}, {record.method}"


def test_sabotaged_sets_are_refused():
    refused(100, seed=1)


@pytest.mark.slow
def test_a_thousand_sabotaged_sets_are_refused():
    refused(1000, seed=2)


def test_a_sabotaged_regressor_is_refused():
    robot = classics.puma560()
    record = base_parameters(robot, friction=True).record
    draw = random.Random(3)
    assert all(is_refused(robot, expansion(record, draw)) for _ in range(40))


def test_it_says_what_is_wrong():
    robot = classics.planar2r()
    record = base_parameters(robot).record
    with pytest.raises(CheckError, match="'m_link2' is off by"):
        check_base_parameters(robot, dataclasses.replace(record, projection=changed(record.projection, 0, 19, 1e-6)))
    with pytest.raises(CheckError, match="values are not those of this robot"):
        check_base_parameters(robot, dataclasses.replace(record, values=(*record.values[:-1], 1.0)))
    with pytest.raises(CheckError, match="rows in place of"):
        check_base_parameters(robot, dataclasses.replace(record, projection=record.projection[1:]))
    with pytest.raises(CheckError, match="holds nan"):
        check_base_parameters(
            robot, dataclasses.replace(record, projection=changed(record.projection, 0, 0, float("nan")))
        )


def test_a_base_of_another_robot_is_refused():
    record = base_parameters(classics.puma260(), motors=False).record
    with pytest.raises(CheckError, match="standard parameters are not those"):
        check_base_parameters(classics.planar2r(), record)
    other = dataclasses.replace(classics.puma260(), gravity=(2.0, 1.3, -9.0))
    with pytest.raises(CheckError, match="does not give the torques"):
        check_base_parameters(other, record)


def map_between(source, target):
    """M with beta_target = M beta_source: both sets are minimal exactly when it exists (Lin 1994, Corollary 6)."""
    return target.projection @ source.expansion


@pytest.mark.parametrize(
    ("name", "gravity", "condition"),
    [
        ("puma560", None, 7.3),
        ("stanford", None, 7.5),
        ("scara", None, 4.3),
        ("planar2r", None, 2.9),
        ("planar2r", (0.0, 0.0, -9.81), 2.4),
    ],
)
def test_condition_between_the_theorem_and_an_orthonormal_base(name, gravity, condition):
    robot = classics.load_classic(name, gravity=gravity)
    theorem, svd = (base_parameters(robot, method=method, motors=False) for method in ("theorem", "svd"))
    found = map_between(theorem, svd)
    np.testing.assert_allclose(found @ theorem.projection, svd.projection, atol=1e-13)
    assert np.linalg.cond(found) == pytest.approx(condition, abs=0.06)


def test_maps_compose_and_invert():
    robot = classics.puma560()
    a, b, c = (base_parameters(robot, method=method, friction=True) for method in ("elimination", "theorem", "qr"))
    there, back, on = map_between(a, b), map_between(b, a), map_between(b, c)
    np.testing.assert_allclose(back @ there, np.eye(len(a)), atol=1e-12)
    np.testing.assert_allclose(on @ there, map_between(a, c), atol=1e-11)
    np.testing.assert_allclose(there @ a.values, b.values, rtol=1e-11, atol=1e-12)
