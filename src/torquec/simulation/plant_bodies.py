"""The rigid bodies of a plant: what they need at rest in acceleration, and how they answer to torques.

(1)  M(q) qdd = torque - bias,     bias = c(q, qd) + g(q)
(2)  where the robot's own algorithms run: M by composite bodies and bias by one pass of inverse dynamics, which share
     sines, cosines and turned vectors; inertias may be scaled from run to run
(3)  where a program P stands for inverse dynamics: bias = P(q, qd, 0), and the answer is the model's forward dynamics
(4)  what is carried besides adds its own inertia and bias: M + M_carried                (bodies of :mod:`plant_force`)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from torquec.dynamics.forward_dynamics import regular_mechanism
from torquec.dynamics.inverse_dynamics import joint_torques
from torquec.dynamics.joint_space_solve import Factors, factorize, solve
from torquec.dynamics.mass_matrix import joint_inertias
from torquec.dynamics.mechanism import mechanism, place
from torquec.dynamics.motion import motions
from torquec.linearization.linearized_torque import runs_recursion
from torquec.model.model import Model
from torquec.spatial import Inertia, Scalar


@dataclass(frozen=True)
class PlantBodies:
    """(1) at a state: `bias` (n,) and `solve`, from torques (n,) to accelerations (n,), M^-1 alone."""

    bias: list[Scalar]
    solve: Callable[[Sequence[Scalar]], list[Scalar]]


def plant_bodies(
    model: Model,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    *,
    carried: Sequence[Sequence[Sequence[Scalar]]] = (),
    scales: Sequence[Scalar] = (),
) -> PlantBodies:
    """The bodies at (q, qd), (n,) each; `carried` are inertias (n, n) of (4), `scales` a factor per body (2).

    Raises what the model's forward dynamics is refused with (3).
    """
    still = [0.0] * model.robot.n
    if not runs_recursion(model):
        bias = list(model.at("inverse_dynamics", q, qd, still))

        def answer(torque: Sequence[Scalar]) -> list[Scalar]:
            needed = [t + b for t, b in zip(torque, bias, strict=True)]
            return list(model.at("forward_dynamics", q, qd, needed))

        return PlantBodies(bias, answer)
    m = regular_mechanism(model.robot)
    if scales:
        bodies = zip(model.robot.bodies, scales, strict=False)
        m = mechanism(model.robot, inertias=[_scaled(body.inertia, scale) for body, scale in bodies])
    placed = place(m, q)
    bias = joint_torques(m, placed, motions(placed, m.coordinates, m.gravity, qd, still), still)

    @cache
    def factors() -> Factors:
        inertia = joint_inertias(m, placed)
        for more in carried:
            inertia = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(inertia, more, strict=True)]
        return factorize(inertia)

    return PlantBodies(bias, lambda torque: solve(factors(), torque))


def _scaled(inertia: Inertia, factor: Scalar) -> Inertia:
    return Inertia(*(factor * value for value in inertia.parameters))
