"""What a closed loop remembers from sample to sample, in one row of numbers per run.

| part         | size            | what                                                                        |
|---|---|---|
| left, step   | 1, 1            | time left in the interval and the step to try (adaptive integration only)   |
| motion       | 2n or more      | q, qd, currents of motors, states of forces, the time where a force uses it |
| torque       | n               | what the drives are asked for, held until the next sample                   |
| memory       | m               | the controller's                                                            |
| sensors      | -               | positions on their way, the last position and speed                         |
| squares      | n               | sum of squared tracking errors so far                                       |
| largest      | n               | largest tracking error so far                                               |
| saturated    | n               | how many samples asked for more than the drive has                          |
| factors      | -               | inertia per body, friction per joint (`Plant.varies`)                       |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from torquec.control.controller import Controller
from torquec.simulation.integrators import DormandPrince, Integrator
from torquec.simulation.plant import Plant
from torquec.simulation.sensors import Sensors


@dataclass(frozen=True)
class LoopState:
    """Where each part stands in a row."""

    plant: Plant
    controller: Controller
    sensors: Sensors
    integrator: Integrator

    @cached_property
    def parts(self) -> Mapping[str, slice]:
        """Every part by name."""
        n = self.plant.n
        clock = 1 if isinstance(self.integrator, DormandPrince) else 0
        sizes = {
            "left": clock,
            "step": clock,
            "motion": self.plant.motion_size,
            "torque": n,
            "memory": len(self.controller.initial_state),
            "sensors": self.sensors.memory_size(n),
            "squares": n,
            "largest": n,
            "saturated": n,
            "factors": self.plant.variation_size,
        }
        parts, start = {}, 0
        for name, size in sizes.items():
            parts[name] = slice(start, start + size)
            start += size
        return parts

    @property
    def size(self) -> int:
        """How many numbers a row has."""
        return int(self.parts["factors"].stop)

    @property
    def position(self) -> slice:
        """Where q stands."""
        start = self.parts["motion"].start
        return slice(start, start + self.plant.n)

    @property
    def speed(self) -> slice:
        """Where qd stands."""
        return slice(self.position.stop, self.position.stop + self.plant.n)

    def split(self, row: Sequence[Any]) -> dict[str, list[Any]]:
        """A row by part."""
        return {name: list(row[part]) for name, part in self.parts.items()}

    def join(self, parts: Mapping[str, Sequence[Any]]) -> list[Any]:
        """The row of parts."""
        return [value for name in self.parts for value in parts[name]]
