"""`FrictionTerm`: what a term of the friction law knows about itself.

(1)  torque at the shaft  f(v, load),   v the shaft's speed,   load = sum_j |t_j| |tau_j| of the rigid-body torques
(2)  slopes  df/dv  and  df/dload
(3)  columns: the torque per unit of each linear parameter; torque = sum of value times column
(4)  text: the torque for one direction of motion as numbers times factors, for equations
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, TypeAlias

from torquec.dynamics.friction.direction import Direction
from torquec.robot.robot import Friction
from torquec.spatial import Scalar


@dataclass(frozen=True)
class ShaftState:
    """How a shaft moves and what it carries: its speed, which way that is, and the load of (1)."""

    speed: Scalar
    direction: Direction
    load: Scalar = 0.0


Column: TypeAlias = Callable[[Friction, ShaftState], Scalar]
"""(3): reads of the friction only what is no linear parameter, such as a speed at which a term falls."""

Summand: TypeAlias = tuple[float, str]
"""(4): a number and its factor in terms of {v} and {load}; an empty factor is a constant."""


class FrictionTerm:
    """A term; subclasses say what is not zero. `parameters` are the words that it has to have to be there at all."""

    parameters: ClassVar[tuple[str, ...]] = ()
    is_dry: ClassVar[bool] = False
    """Whether it follows the direction of motion, so that a shaft at rest can stick to it."""
    reads_load: ClassVar[bool] = False
    """Whether it depends on the load of (1), which is known only where the rigid-body torques are."""
    is_tried: ClassVar[bool] = True
    """Whether a fit that chooses its own law tries it."""
    columns: ClassVar[Mapping[str, Column]] = MappingProxyType({})
    scales: ClassVar[Mapping[str, tuple[float, ...]]] = MappingProxyType({})
    """Words that are no linear parameters, with the values that a fit compares; the first is the usual one."""

    def is_in(self, friction: Friction) -> bool:
        """Whether a shaft with this friction has the term."""
        return any(friction.value(name) for name in self.parameters)

    def torque(self, friction: Friction, state: ShaftState) -> Scalar:
        """(1)."""
        raise NotImplementedError

    def slope(self, friction: Friction, state: ShaftState) -> Scalar:
        """df/dv of (2)."""
        raise NotImplementedError

    def load_slope(self, friction: Friction, state: ShaftState) -> Scalar:
        """df/dload of (2)."""
        return 0.0

    def summands(self, friction: Friction, *, forwards: bool) -> list[Summand]:
        """(4) for motion forwards or backwards."""
        raise NotImplementedError


def sided_name(name: str, *, forwards: bool) -> str:
    """The word of one direction."""
    return f"{name}_positive" if forwards else f"{name}_negative"


def dry_summand(friction: Friction, value: float, factor: str, *, forwards: bool) -> Summand:
    """A number that follows the direction, with its turnover over a speed, for (4)."""
    width = friction.value("turnover_speed")
    if not width:
        return value if forwards else -value, factor
    turning = f"tanh({{v}}/{width:.6g})"
    return value, f"{turning}*{factor}" if factor else turning
