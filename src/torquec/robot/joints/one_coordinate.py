"""What joints with one coordinate share: positions form a line, so that rates are derivatives of positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.robot.joints.kind import KindCoordinate
from torquec.robot.joints.unit_twist import UnitTwist
from torquec.spatial import Scalar


@dataclass(frozen=True)
class OneCoordinate:
    """A joint kind with nq = nv = 1; `name` is also its word in URDF and DH tables."""

    name: str
    coordinate: KindCoordinate
    has_position_limits: bool
    letter: str
    mjcf: str

    @property
    def coordinates(self) -> tuple[KindCoordinate, ...]:
        """Its only rate."""
        return (self.coordinate,)

    @property
    def motion_subspace(self) -> tuple[UnitTwist, ...]:
        """Its only column of S, rotation about or translation along z."""
        return (self.coordinate.column,)

    @property
    def nq(self) -> int:
        """One position coordinate."""
        return 1

    @property
    def nv(self) -> int:
        """One rate."""
        return 1

    @property
    def neutral(self) -> tuple[float, ...]:
        """Zero."""
        return (0.0,)

    @property
    def urdf(self) -> str:
        """Its word in URDF."""
        return self.name

    @property
    def dh(self) -> str:
        """Its word in DH tables."""
        return self.name

    def integrate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """q + v."""
        return (q[0] + v[0],)

    def difference(self, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """q1 - q0; turns are counted, not taken away."""
        return (q1[0] - q0[0],)

    def rate_map(self, q: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], ...]:  # noqa: ARG002 - as for all kinds
        """1: the rate is the derivative of the position."""
        return ((1.0,),)
