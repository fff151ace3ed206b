"""Operation counts: exact and the same on every machine, so they are tested and not timed."""

from __future__ import annotations

from pathlib import Path

import pytest

from torquec.dynamics import inverse_dynamics, inverse_dynamics_derivatives, mass_matrix
from torquec.expr import count_operations, trace
from torquec.robot import classics
from torquec.robot.load import load

MODELS = Path(__file__).resolve().parents[2].parent / "shared" / "bench" / "models"


def counts(robot):
    """(mul, add) of inverse dynamics, mass matrix and derivatives."""
    n = (robot.n,)
    functions = (
        trace("tau", lambda q, qd, qdd: {"tau": inverse_dynamics(robot, q, qd, qdd)}, {"q": n, "qd": n, "qdd": n}),
        trace("M", lambda q: {"M": mass_matrix(robot, q)}, {"q": n}),
        trace(
            "D", lambda q, qd, qdd: vars(inverse_dynamics_derivatives(robot, q, qd, qdd)), {"q": n, "qd": n, "qdd": n}
        ),
    )
    return [(count.mul, count.add) for count in map(count_operations, functions)]


def assert_at_most(found, limits):
    assert all(a <= b for pair, limit in zip(found, limits, strict=True) for a, b in zip(pair, limit, strict=True)), (
        found
    )


@pytest.mark.parametrize(
    ("model", "limits"),
    [
        ("panda", [(278, 271), (153, 169), (1371, 1254)]),
        ("ur5", [(144, 126), (69, 70), (642, 542)]),
        ("puma560", [(167, 150), (79, 82), (757, 640)]),
    ],
)
def test_benchmark_models(model, limits):
    file = MODELS / f"{model}.urdf"
    if not file.exists():
        pytest.skip("the benchmark models are not here")
    assert_at_most(counts(load(file)), limits)


def test_puma560_of_the_package():
    # Rotors add a product and a sum per joint to the torques, and nothing to a folded diagonal.
    assert_at_most(counts(classics.puma560()), [(173, 152), (82, 85), (764, 640)])
