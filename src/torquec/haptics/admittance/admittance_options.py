"""How a haptic arm renders an object: the options of :mod:`torquec.haptics.admittance.admittance`."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from torquec.control.poles import PoleArgument
from torquec.errors import ArgumentError
from torquec.haptics.admittance.haptic_caps import HapticCaps
from torquec.haptics.admittance.tool_load import NO_TOOL, ToolLoad
from torquec.haptics.objects.virtual_object import SUBSTEPS
from torquec.spatial import Vector3

SENSOR_RANGE = (133.0, 133.0, 266.0, 11.3, 11.3, 11.3)
"""Of the ATI Gamma in the paper [N, N m]."""

_USUAL_CAPS = HapticCaps()


@dataclass(frozen=True)
class AdmittanceOptions:
    """How an arm renders an object.

    `period` [s] of a cycle; `poles` of the default law (pole placement, friction compensated at the reference's speed,
    smoothed over `smoothing` [rad/s]); `tool`: the handle beyond the sensor; `contact_point`: the held frame seen from
    the object's mass centre, in the frame's axes [m]; `sensor_range` (6,) [N, N m], at which a measurement counts as
    saturated; `caps`; `settling` [s]: the time constant of a change of settings; `rest` [s]: that of coming to rest
    where a measurement is invalid; `speed_share`: how much of a new difference of positions enters the measured
    speed (1: no filter); `free`: the joint that stands still where there is one more than needed; `substeps` of the
    object's motion in a cycle.
    """

    period: float = 0.002
    poles: PoleArgument = -45 + 45j
    smoothing: float = 0.02
    tool: ToolLoad = NO_TOOL
    contact_point: Vector3 = (0.0, 0.0, 0.0)
    sensor_range: tuple[float, ...] = SENSOR_RANGE
    caps: HapticCaps = _USUAL_CAPS
    settling: float = 0.2
    rest: float = 0.02
    speed_share: float = 1.0
    free: str | None = None
    substeps: int = SUBSTEPS

    def __post_init__(self) -> None:
        for name in ("period", "settling", "rest"):
            value = getattr(self, name)
            if not 0.0 < value < math.inf:
                raise ArgumentError(f"{name} is {value}", remedy="give a positive number of seconds")
        if len(self.sensor_range) != 6 or not all(value > 0.0 for value in self.sensor_range):
            raise ArgumentError(f"a sensor range of {self.sensor_range}", remedy="give six positive numbers")
        if len(self.contact_point) != 3 or not all(map(math.isfinite, self.contact_point)):
            raise ArgumentError(f"a contact point {self.contact_point}", remedy="give three finite numbers")
        if not 0.0 < self.speed_share <= 1.0 or not self.smoothing >= 0.0 or self.substeps < 1:
            raise ArgumentError(
                f"speed_share {self.speed_share}, smoothing {self.smoothing}, substeps {self.substeps}",
                remedy="give a share above 0 up to 1, a smoothing of 0 or more, at least one substep",
            )


def with_effort(options: AdmittanceOptions, share: float) -> AdmittanceOptions:
    """The options with another share of the effort limits: 0.5 is the paper's fuse."""
    return replace(options, caps=replace(options.caps, effort=share))
