"""The native stream of a robot's regressor: the same triangles as of the dense matrix, whoever adds them up."""

from __future__ import annotations

import itertools
import pickle
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot

from torquec.errors import ArgumentError
from torquec.identification.estimators.joint_factors import JointFactors, joint_factors
from torquec.identification.estimators.regressor_factors import (
    RegressorSum,
    blocks_of,
    joint_columns,
    regressor_factors,
)
from torquec.identification.torque.friction_law import CoulombShape, FrictionLaw, Turnover, friction_block
from torquec.identification.torque.torque_columns import GasSpring
from torquec.identification.torque.torque_model import torque_model
from torquec.robot import classics
from torquec.robot.robot import JointType


def states(robot, size, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.uniform(-2.0, 2.0, (size, robot.n)) for _ in range(4)]


def dense(model, q, qd, qdd, tau):
    rows = np.concatenate([model.rigid(q, qd, qdd), friction_block(model.shafts, model.friction, qd)], axis=2)
    return rows, joint_factors(rows, tau)


def gram(factors: JointFactors):
    return np.einsum("jab,jac->jbc", factors.triangles, factors.triangles)


def grams_agree(a: JointFactors, b: JointFactors, tolerance: float) -> bool:
    """Whether all products of columns agree, relative to their norms; columns of rounding errors count as none."""
    norms = np.sqrt(np.einsum("jbb->jb", gram(b)))
    present = norms > 1e-12 * norms.max(axis=1, keepdims=True)
    norms = np.where(present, norms, np.inf)
    return bool(np.all(np.abs(gram(a) - gram(b)) <= tolerance * norms[:, :, None] * norms[:, None, :]))


@pytest.mark.parametrize("name", ["planar2r", "puma560", "stanford"])
@pytest.mark.parametrize("friction", ["none", "offset", "stribeck"])
def test_the_same_triangles_as_of_the_dense_matrix(name, friction):
    robot = classics.load_classic(name)
    model = torque_model(robot, friction=friction, rotors=name == "puma560")
    block = states(robot, 3000)
    found = regressor_factors(model, blocks_of(*block, size=700))
    assert found.count == 3000
    assert grams_agree(found, dense(model, *block)[1], 1e-12)


@pytest.mark.parametrize("seed", range(1, 5))
def test_random_robots(seed):
    robot = random_robot(seed, bodies=3 + seed, mimic=False, types=(JointType.REVOLUTE, JointType.PRISMATIC))
    model = torque_model(robot, rotors=False)
    block = states(robot, 2500, seed)
    assert grams_agree(regressor_factors(model, blocks_of(*block)), dense(model, *block)[1], 1e-11)


def test_r_of_every_joint_is_that_of_one_qr():
    model = torque_model(classics.puma560())
    block = states(model.robot, 4000)
    rows, _ = dense(model, *block)
    found = regressor_factors(model, blocks_of(*block, size=900), threads=1)
    for j, joint in enumerate(joint_columns(model)):
        places = [*joint.kept, model.size]
        one = np.linalg.qr(np.column_stack([rows[:, j, list(joint.kept)], block[3][:, j]]), mode="r")
        many = np.linalg.qr(found.triangles[j][:, places], mode="r")
        one, many = (r * np.sign(np.diag(r))[:, None] for r in (one, many))
        norms = np.linalg.norm(one, axis=0)
        assert np.abs((many - one) / norms).max() <= 1e-12


def test_workers_merge_in_any_order_to_the_same_factors():
    model = torque_model(classics.puma560(), rotors=False)
    block = states(model.robot, 4000)
    parts = []
    for part in blocks_of(*block, size=1000):
        worker = RegressorSum(model)
        worker.add(*part)
        parts.append(pickle.loads(pickle.dumps(worker.factors())))
    whole = dense(model, *block)[1]
    x = np.random.default_rng(1).normal(size=model.size)
    for order in itertools.islice(itertools.permutations(parts), 0, None, 7):
        one_by_one = order[0].merged(order[1]).merged(order[2]).merged(order[3])
        in_pairs = order[0].merged(order[1]).merged(order[2].merged(order[3]))
        for merged in (one_by_one, in_pairs, order[0].merged(*order[1:])):
            assert merged.count == 4000
            assert grams_agree(merged, whole, 1e-13)
            assert np.allclose(merged.squares(x), whole.squares(x), rtol=1e-13, atol=0.0)


def _factors_of(model, block):
    worker = RegressorSum(model)
    worker.add(*block)
    return worker.factors()


@pytest.mark.slow
def test_processes_of_an_executor():
    model = torque_model(classics.planar2r())
    block = states(model.robot, 4000)
    with ProcessPoolExecutor(2) as pool:
        parts = list(pool.map(partial(_factors_of, model), blocks_of(*block, size=1000)))
    assert grams_agree(parts[0].merged(*parts[1:]), dense(model, *block)[1], 1e-13)


def test_threads_always_add_the_same_blocks():
    model = torque_model(classics.planar2r())
    block = states(model.robot, 5000)
    first, second = (regressor_factors(model, blocks_of(*block, size=600), threads=3) for _ in range(2))
    assert np.array_equal(first.triangles, second.triangles)


def test_a_generator_is_dropped_as_it_goes():
    model = torque_model(classics.planar2r())
    alive = []

    def endless():
        for k in range(40):
            block = states(model.robot, 500, k)
            alive.append(k)
            yield block

    assert regressor_factors(model, endless()).count == 20000
    assert len(alive) == 40


def test_misuse():
    model = torque_model(classics.planar2r())
    block = states(model.robot, 50)
    with pytest.raises(ArgumentError, match="no samples"):
        regressor_factors(model, [])
    with pytest.raises(ArgumentError, match="different shapes"):
        regressor_factors(model, [(*block[:3], block[3][:5])])
    block[3][7, 1] = np.nan
    with pytest.raises(ArgumentError, match="finite"):
        regressor_factors(model, [block])
    with pytest.raises(ArgumentError, match="one state at a time"):
        regressor_factors(model.with_friction(FrictionLaw(shape=CoulombShape(Turnover.DISTANCE, 0.1))), [block])
    spring = GasSpring("joint1", base=1.0, lever=0.2, area=1.0, pressure_volume=1.0, volume=9.0)
    with pytest.raises(ArgumentError, match="counterbalance"):
        regressor_factors(torque_model(model.robot, columns=[spring]), [block])
