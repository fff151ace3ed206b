"""Bodies behind base parameters: the same torques, and consistent wherever that is possible."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from torquec.identification.estimators.prior_estimators import robot_prior
from torquec.identification.estimators.pseudo_inertia import WIDTH, is_consistent, thickened
from torquec.identification.result.estimate import bind_parameters
from torquec.identification.result.realization import realize
from torquec.identification.torque.torque_model import torque_model
from torquec.parameters.base_parameters import base_parameters
from torquec.robot import classics
from torquec.spatial import Inertia


def bodies_of(model, standard):
    return standard[: WIDTH * len(model.robot.bodies)].reshape(-1, WIDTH)


def test_a_robots_own_parameters_are_kept():
    model = torque_model(classics.puma560(), rotors=True)
    prior = robot_prior(model)
    found = realize(model, prior.projection @ prior.center)
    assert found.physically_consistent
    assert found.standard == pytest.approx(prior.center, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["puma560", "planar2r", "stanford"])
def test_other_bodies_are_found_from_their_base_parameters(name, seed):
    """Random solid bodies, known only by their base parameters: the bodies found give the same, and are solid."""
    model = torque_model(classics.load_classic(name), rotors=False)
    rng = np.random.default_rng(seed)
    prior = robot_prior(model)
    truth = prior.center.copy()
    for i in range(prior.bodies):
        block = slice(WIDTH * i, WIDTH * (i + 1))
        truth[block] = thickened(truth[block] * (1.0 + 0.5 * rng.normal(size=WIDTH)))
    x = prior.projection @ truth
    found = realize(model, x)
    assert prior.projection @ found.standard == pytest.approx(x, abs=1e-11 * np.abs(x).max())
    assert found.physically_consistent
    assert is_consistent(bodies_of(model, found.standard), slack=0.0)
    values = base_parameters(bind_parameters(model, found.standard), motors=False).values
    assert values == pytest.approx(x[: len(values)], abs=1e-9)


def test_a_robot_without_inertias_gets_some():
    arm = classics.puma560()
    model = torque_model(arm, rotors=False)
    bare = dataclasses.replace(arm, bodies=tuple(dataclasses.replace(body, inertia=Inertia()) for body in arm.bodies))
    empty = torque_model(bare, rotors=False)
    x = np.concatenate([model.base.values, np.zeros(model.size - len(model.base))])
    found = realize(empty, x)
    assert found.physically_consistent
    assert empty.projection @ found.standard == pytest.approx(x, abs=1e-9)


def test_regrouped_moments_that_belong_to_no_body():
    """The classic PUMA 260 has a first moment without mass: what is near to it is a ball."""
    model = torque_model(classics.puma260(), rotors=True)
    x = np.concatenate([model.base.values, np.zeros(model.size - len(model.base))])
    assert model.projection @ realize(model, x).standard == pytest.approx(x, abs=1e-9)


def test_base_parameters_of_no_robot():
    """A negative moment of inertia about the first axis is felt by torques, and no robot has it."""
    model = torque_model(classics.planar2r(), rotors=False, friction="none")
    x = np.array(model.base.values)
    x[model.names.index("Izz_link1+")] = -5.0
    found = realize(model, x)
    assert not found.physically_consistent
    assert model.projection @ found.standard == pytest.approx(x)


def test_rotors_are_not_negative():
    model = torque_model(classics.planar2r(), rotors=True, friction="none")
    prior = robot_prior(model)
    truth = prior.center.copy()
    truth[-2:] = 0.0
    found = realize(model, prior.projection @ truth)
    assert found.physically_consistent
    assert np.all(found.standard[-2:] >= 0.0)
