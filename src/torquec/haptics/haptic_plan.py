"""Plans of haptic experiments: those of Clover IV, section V, and their options.

| experiment   | object                   | hand                                                      | Table II       |
|---|---|---|---|
| mass-5       | 5 kg                     | circle of 20 cm, 0.75 turns a second                      | 5.099 +- .615  |
| mass-150     | 150 kg                   | circle of 20 cm, 2.4 rad/s (133 N allow 0.89 m/s^2)       | 146.9 +- 15.89 |
| inertia-0.83 | 0.83 kg m^2, 5 kg        | +-0.4 rad, 3.8 rad/s                                      | .851 +- .085   |
| inertia-12.5 | 12.5 kg m^2, 5 kg        | +-0.5 rad, 1.2 rad/s (11.3 N m allow 0.90 rad/s^2)        | 12.65 +- 4.541 |
| combined     | 5 kg, 0.83 kg m^2        | circle of 12 cm and +-0.3 rad at once, 3.8 rad/s          | (section V)    |
| wall         | 10 kg, a cube of 12.5 cm | pushed against a wall of 25 Hz, critically damped, let go | Figures 20, 21 |
| two-cubes    | the same                 | pushed against a corner of a second, fixed cube          | (Table I)      |

Values that the paper does not state are chosen here: speeds of the hand, a handle of 0.4 kg beyond the sensor, the
sensor's filter and noise (:mod:`force_sensor`), encoders of 1e-4 rad, the hand (:mod:`simulated_hand`), the
configuration (`default_posture`), inertias of the mass experiments (the cube's, at least 0.05 kg m^2), size and
speed of the combined motion, of which the paper states only that the system can do it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from torquec.errors import ArgumentError
from torquec.haptics.haptic_choices import HapticExperiment
from torquec.haptics.haptic_loop import USUAL_SETTING, HapticSetting
from torquec.haptics.simulated_hand import HandMotion
from torquec.haptics.tuning import TUNING
from torquec.spatial import Vector3


@dataclass(frozen=True)
class ExperimentPlan:
    """An experiment: rendered object, motion of the hand, required motions of the frame, results of the paper.

    Without a `motion` the object is pushed against an obstacle.
    """

    mass: float
    inertia: float
    needs: tuple[str, ...]
    motion: HandMotion | None = None
    printed: tuple[float, float] | None = None

    @property
    def turns(self) -> bool:
        """Whether moments are measured, not forces."""
        return self.motion is not None and self.motion.radius == 0.0

    @property
    def is_combined(self) -> bool:
        """Whether the hand moves and turns the object at once."""
        return self.motion is not None and self.motion.radius > 0.0 and self.motion.swing > 0.0

    @property
    def nominal(self) -> float:
        """The nominal mass, or inertia where the object turns."""
        return self.inertia if self.turns else self.mass


def _cube(mass: float) -> float:
    return max(mass * TUNING.cube_edge**2 / 6.0, TUNING.smallest_inertia)


_CIRCLE = ("moving along x", "moving along y")
_SWING = ("turning about z",)

EXPERIMENTS: Mapping[HapticExperiment, ExperimentPlan] = MappingProxyType(
    {
        HapticExperiment.MASS_5: ExperimentPlan(
            5.0, _cube(5.0), _CIRCLE, HandMotion(1.5 * math.pi, 6.0, radius=0.1), (5.099, 0.615)
        ),
        HapticExperiment.MASS_150: ExperimentPlan(
            150.0, _cube(150.0), _CIRCLE, HandMotion(2.4, 10.0, radius=0.1, start=2.0), (146.9, 15.89)
        ),
        HapticExperiment.INERTIA_083: ExperimentPlan(
            5.0, 0.83, _SWING, HandMotion(3.8, 8.0, swing=0.4), (0.851, 0.085)
        ),
        HapticExperiment.INERTIA_125: ExperimentPlan(
            5.0, 12.5, _SWING, HandMotion(1.2, 16.0, swing=0.5, start=2.0), (12.65, 4.541)
        ),
        HapticExperiment.COMBINED: ExperimentPlan(
            5.0, 0.83, (*_CIRCLE, *_SWING), HandMotion(3.8, 8.0, radius=0.06, swing=0.3)
        ),
        HapticExperiment.WALL: ExperimentPlan(10.0, _cube(10.0), ("moving along x",)),
        HapticExperiment.TWO_CUBES: ExperimentPlan(10.0, _cube(10.0), ("moving along x",)),
    }
)


@dataclass(frozen=True)
class ExperimentOptions:
    """Options of an experiment.

    `frame` (the hand's unless given), initial configuration `posture` (n,), `poles` [1/s] of the law, `effort`: the
    fraction of the drives' limits (0.5 is the paper's fuse); `setting`: sensor, encoders, hand, friction and seed;
    `period` of a cycle [s]; `free` joint; `pace`: how fast the hand moves, 1 as in the table, less for an arm with slow
    joints.

    Of the object: `mass` [kg], `inertia` [kg m^2] about every axis, `offset` of its mass centre from the held frame [m,
    the frame's axes], `damping` along [N s/m] and about [N m s] every axis, `gravity`: whether the hand feels its
    weight. Of the obstacle: the `impact` speed [m/s], whether contact is `two_sided`, `wall_frequency`
    [Hz] and `wall_damping` ratio for the object's mass.
    """

    frame: str | None = None
    posture: tuple[float, ...] | None = None
    poles: complex = -45 + 45j
    effort: float = 1.0
    impact: float | None = None
    two_sided: bool | None = None
    setting: HapticSetting = USUAL_SETTING
    period: float = 0.002
    free: str | None = None
    pace: float = 1.0
    mass: float | None = None
    inertia: float | None = None
    offset: Vector3 = (0.0, 0.0, 0.0)
    damping: tuple[float, float] = (0.0, 0.0)
    gravity: bool = False
    wall_frequency: float | None = None
    wall_damping: float | None = None


def experiment_plan(name: HapticExperiment, options: ExperimentOptions) -> ExperimentPlan:
    """The plan with the object and the pace of the options; the paper's result belongs to the paper's object only."""
    plan = EXPERIMENTS[name]
    if options.mass is not None or options.inertia is not None:
        mass = plan.mass if options.mass is None else options.mass
        inertia = plan.inertia if options.inertia is None else options.inertia
        if not (0.0 < mass < math.inf and 0.0 < inertia < math.inf):
            raise ArgumentError(
                f"an object of {mass} kg and {inertia} kg m^2", remedy="give a positive, finite mass and inertia"
            )
        plan = replace(plan, mass=mass, inertia=inertia, printed=None)
    motion = plan.motion
    if motion is None or options.pace == 1.0:
        return plan
    slower = replace(
        motion,
        speed=options.pace * motion.speed,
        start=motion.start / options.pace,
        duration=motion.duration / options.pace,
    )
    return replace(plan, motion=slower)


def checked_options(name: HapticExperiment, options: ExperimentOptions) -> ExperimentOptions:
    """The options with defaults filled in. Raises `ArgumentError` where they contradict the experiment."""
    of_contact = ("impact", "two_sided", "wall_frequency", "wall_damping")
    given = [word for word in of_contact if getattr(options, word) is not None]
    if EXPERIMENTS[name].motion is not None and given:
        raise ArgumentError(
            f"{name.value} has no wall: {', '.join(given).replace('_', ' ')} was given",
            remedy="give that with the experiment wall or two-cubes",
        )
    impact = 0.3 if options.impact is None else options.impact
    frequency = TUNING.wall_frequency if options.wall_frequency is None else options.wall_frequency
    ratio = 1.0 if options.wall_damping is None else options.wall_damping
    if not 0.0 < impact <= 0.5:
        raise ArgumentError(f"an impact at {impact} m/s", remedy="give a speed above 0, up to 0.5 m/s")
    if not 0.0 < frequency <= 0.25 / options.period or not 0.0 <= ratio < math.inf:
        raise ArgumentError(
            f"a wall of {frequency} Hz with the damping ratio {ratio}",
            remedy=f"give a frequency up to a quarter of the rate, {0.25 / options.period:g} Hz, and a ratio from 0 on",
        )
    if not 0.0 < options.pace <= 1.0:
        raise ArgumentError(f"a pace of {options.pace}", remedy="give a share above 0, up to 1")
    if not 0.0 < options.effort <= 1.0:
        raise ArgumentError(f"{options.effort} of the effort limits", remedy="give a share above 0, up to 1")
    if len(options.offset) != 3 or not all(map(math.isfinite, options.offset)):
        raise ArgumentError(f"an offset {options.offset}", remedy="give three finite numbers [m]")
    return replace(
        options,
        impact=impact,
        two_sided=True if options.two_sided is None else options.two_sided,
        wall_frequency=frequency,
        wall_damping=ratio,
    )
