"""How the torque of a model answers to small deviations in one direction, by the way that its kind has.

(1)  dtau = M dqdd + C dqd + K dq, without friction and springs
(2)  where the robot's own algorithms run: one pass of the linearized recursion (:mod:`linearized_recursion`)
(3)  where a program stands for inverse dynamics: one pass of its derivative in that direction, so that the answer
     belongs to the torques that the program gives and not to those of the bodies that it was made from
"""

from __future__ import annotations

from torquec.errors import ArgumentError
from torquec.expr.differentiate import directional_nodes
from torquec.expr.graph import Node
from torquec.linearization.linearized_recursion import State, linearized_recursion
from torquec.model.model import Model
from torquec.spatial import Scalar


def runs_recursion(model: Model) -> bool:
    """Whether the inverse dynamics of the model are the robot's own recursion.

    They are where its quantities come from bodies, the robot's own or identified ones, also where the model comes from
    a file: the programs in it were compared with the bodies when it was read.
    """
    return not model.kind.follows_program


def linearized_torque(model: Model, state: State, deviation: State) -> list[Scalar]:
    """dtau (n,) of (1) at a state of expression nodes, for a deviation of nodes or numbers."""
    if runs_recursion(model):
        return linearized_recursion(model.robot, state, deviation)
    variables = [node for part in state for node in part]
    direction = [value for part in deviation for value in part]
    tau = list(model.at("inverse_dynamics", *state))
    moving = [k for k, value in enumerate(tau) if isinstance(value, Node)]  # a torque may be a number: no slope
    slopes = directional_nodes([tau[k] for k in moving], variables, direction)
    found: list[Scalar] = [0.0] * len(tau)
    for k, slope in zip(moving, slopes, strict=True):
        found[k] = slope
    return found


def check_abbreviation(model: Model) -> None:
    """Raise `ArgumentError` for a model whose equations are not the robot's own: a rule abbreviates those."""
    if not runs_recursion(model):
        raise ArgumentError(
            f"a rule abbreviates a robot's own equations, and this model ({model.kind.value}) is a program already",
            where=f"robot '{model.robot.name}'",
            remedy="leave the rule out, or give the robot: model.robot",
        )
