"""The plant of a simulation: rigid-body dynamics with friction, springs, saturating drives and motors.

(1)  M(q) qdd = tau + forces - c(q, qd) - g(q) - springs(q) - friction(qd)
(2)  tau = clip(wanted torque, +-share x effort limit); behind a motor, the torque of its current (see `plant_bodies`)

Dry friction (Coulomb, Stribeck, load-dependent), four ways (`DryFriction`):

(3)  SMOOTH:  level qd / sqrt(qd^2 + w^2), with w a small slip speed: any integrator, creeps instead of sticking
(4)  SIGN:    level by the sign of qd, like the friction torque of the model: exact while sliding, chatters at rest
(5)  STICK:   set-valued: sticks at rest, breaks away at `breakaway` times its level at rest, see `stick`
(7)  MEMORY:  turns over the shaft's `turnover_distance`, see `bristles`: keeps its torque at rest

Load-dependent friction G |rigid| depends on the torque of the rigid bodies, so that (6) is solved for `rigid`:

(6)  rigid + G |rigid| = torque,   rigid_i = (torque_i - sum_k G_ik |rigid_k|)/(1 + G_ii sign(rigid_i)),   k != i

M, c and g are those of the robot, or of any `Model`: an identified or simplified model can be the plant too. For
parameter mismatch, use a plant other than the controller's nominal model, or one that `varies`: its inertias and
friction differ from run to run. For applied forces and unknown payloads see `plant_force.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from torquec.dynamics.friction import TERMS, Direction, OneWay, Rounded, ShaftState, direction_of, terms_of
from torquec.dynamics.friction_torque import (
    FrictionPart,
    Shaft,
    friction_torque,
    has_load_friction,
    load_matrix,
    rubbing_shafts,
    shaft_friction,
    spread_torque,
)
from torquec.dynamics.spring_torque import spring_torque
from torquec.errors import ArgumentError
from torquec.expr.math import absolute, maximum, minimum, select, sqrt
from torquec.foundation.choice import chosen
from torquec.linearization.linearized_torque import runs_recursion
from torquec.model.model import Model, as_model
from torquec.robot.configuration import position_rates
from torquec.robot.friction import Friction
from torquec.robot.robot import Robot
from torquec.simulation.bristles import Bristles, sliders
from torquec.simulation.plant_bodies import DcMotor, PlantBodies, plant_bodies
from torquec.simulation.plant_force import CarriedLoad, ForceWithState, PlantForce, PlantInstant
from torquec.simulation.tuning import TUNING
from torquec.spatial import PARAMETER_NAMES, Scalar, product, total


class DryFriction(StrEnum):
    """How Coulomb friction behaves near rest; see the module."""

    NONE = "none"
    SMOOTH = "smooth"
    SIGN = "sign"
    STICK = "stick"
    MEMORY = "memory"


class Variation(StrEnum):
    """Inputs of each run of a plant, besides a friction factor per joint."""

    NOTHING = "nothing"
    FACTORS = "factors"
    """A factor on the inertia of each body."""
    PARAMETERS = "parameters"
    """The standard parameters of bodies, and the rotor inertias of motors beyond their own."""


@dataclass(frozen=True)
class Plant:
    """A robot, or a model of one, as the plant of a simulation.

    `slip_speed` [rad/s or m/s] is w of (3), `breakaway` the ratio of static to Coulomb friction (STICK only), `motors`
    one per joint, `saturates` whether the joints' effort limits apply, `effort` the fraction of them that the drives
    may give (a fuse of 0.5 halves them), `varies` which inertias differ from run to run (True: factors), `forces`
    applied besides the drives. Raises `ArgumentError` for values out of range, for forces on frames that do not exist
    and for inertias that vary where the model has no bodies.
    """

    source: Robot | Model
    friction: DryFriction = DryFriction.SMOOTH
    slip_speed: float = 1e-2
    breakaway: float = 1.0
    motors: tuple[DcMotor, ...] = ()
    saturates: bool = True
    varies: Variation | bool = Variation.NOTHING
    effort: float = 1.0
    forces: tuple[PlantForce, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", chosen(DryFriction, self.friction, "friction model"))
        varies = (Variation.NOTHING, Variation.FACTORS)[self.varies] if isinstance(self.varies, bool) else self.varies
        object.__setattr__(self, "varies", chosen(Variation, varies, "variation"))
        if not (math.isfinite(self.slip_speed) and self.slip_speed > 0.0):
            raise ArgumentError(f"a slip speed of {self.slip_speed!r}", remedy="give a small positive speed")
        if not (math.isfinite(self.breakaway) and self.breakaway >= 1.0):
            raise ArgumentError(f"a breakaway ratio of {self.breakaway!r}", remedy="give 1 or more")
        if self.breakaway > 1.0 and self.friction is not DryFriction.STICK:
            raise ArgumentError("breakaway without sticking", remedy="use DryFriction.STICK")
        if self.motors and len(self.motors) != self.robot.n:
            raise ArgumentError(
                f"{len(self.motors)} motors for {self.robot.n} joints", remedy="give one per joint, or none"
            )
        if not (math.isfinite(self.effort) and self.effort > 0.0):
            raise ArgumentError(f"{self.effort!r} of the effort limits", remedy="give a positive share, as in 0.5")
        memory = () if self.friction is not DryFriction.MEMORY or Bristles() in self.forces else (Bristles(),)
        object.__setattr__(self, "forces", (*self.forces, *memory))
        self._check_bodies()

    def _check_bodies(self) -> None:
        for force in self.forces:
            if not isinstance(force, PlantForce):
                raise ArgumentError(
                    f"a force is given as {type(force).__name__}",
                    remedy="derive it from torquec.simulation.plant_force.PlantForce",
                )
            force.check(self.robot)
        if self.varies is not Variation.NOTHING and not runs_recursion(self.model):
            raise ArgumentError(
                f"inertias that vary need bodies, and this model ({self.model.kind.value}) is a program without any",
                where=f"robot '{self.robot.name}'",
                remedy="let the plant be the robot, or a model that was identified from logs: these have bodies",
            )

    @cached_property
    def model(self) -> Model:
        """The dynamic model of the plant."""
        return as_model(self.source, any_joint=True)

    @property
    def robot(self) -> Robot:
        """Its robot: joints, frames, limits, friction, springs."""
        return self.model.robot

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.robot.n

    def position(self, y: Sequence[Scalar]) -> Sequence[Scalar]:
        """q (nq,) in the integrated state y."""
        return y[: self.robot.nq]

    def speed(self, y: Sequence[Scalar]) -> Sequence[Scalar]:
        """qd (n,) in the integrated state y."""
        return y[self.robot.nq : self.robot.nq + self.n]

    @property
    def efforts(self) -> tuple[float, ...]:
        """Effort limits (n,) times the allowed fraction; infinite where nothing saturates."""
        limits = (each.limits.effort if self.saturates else math.inf for each in self.robot.coordinates)
        return tuple(self.effort * limit for limit in limits)

    @property
    def keeps_time(self) -> bool:
        """Whether a force depends on the time, which is then part of the integrated state."""
        return any(force.depends_on_time for force in self.forces)

    @property
    def motion_size(self) -> int:
        """Size of the integrated state: positions, speeds, currents, states of forces, the time if a force needs it."""
        return self._states_start + sum(self._state_sizes) + (1 if self.keeps_time else 0)

    @property
    def _states_start(self) -> int:
        """Start index of the states of forces in the integrated state."""
        return self.robot.nq + (2 if self.motors else 1) * self.n

    @cached_property
    def _state_sizes(self) -> tuple[int, ...]:
        """Size of the state of each force."""
        return tuple(f.state_size(self.robot) if isinstance(f, ForceWithState) else 0 for f in self.forces)

    def force_states(self, y: Sequence[Scalar]) -> list[Sequence[Scalar]]:
        """The state of each force in y, which `motion_size` counts; empty for a force without one."""
        found, start = [], self._states_start
        for size in self._state_sizes:
            found.append(y[start : start + size])
            start += size
        return found

    def first_motion(self, q: Sequence[float], qd: Sequence[float], *, time: float = 0.0) -> list[float]:
        """Initial integrated state (`motion_size`,): q, qd (n,), no currents, the first states of forces."""
        states = [x for f in self.forces if isinstance(f, ForceWithState) for x in f.first_state(self.robot, q, qd)]
        return [*q, *qd, *[0.0] * (self._states_start - len(q) - self.n), *states, *([time] if self.keeps_time else [])]

    @property
    def variation_size(self) -> int:
        """Number of inputs of a run: those of inertias, then a friction factor per joint."""
        count, motors = len(self.robot.bodies), len(self.robot.drives.motors)
        match self.varies:
            case Variation.FACTORS:
                return count + self.n
            case Variation.PARAMETERS:
                return len(PARAMETER_NAMES) * count + motors + self.n
            case _:
                return 0

    @property
    def identity(self) -> str:
        """Key of everything that the code of the plant depends on."""
        parts = (self.friction.value, self.slip_speed, self.breakaway, self.motors, self.saturates, self.varies)
        further = "" if self.effort == 1.0 and not self.forces else f" {self.effort!r} {self.forces!r}"
        return f"{self.model.content_hash} {parts!r}{further}"


def as_plant(source: Plant | Robot | Model) -> Plant:
    """The plant itself, or that of a robot or model, with smooth friction at rest."""
    return source if isinstance(source, Plant) else Plant(source)


def dry_level(slider: Shaft, *, forwards: bool, speed: Scalar = 0.0, load: Scalar = 0.0) -> Scalar:
    """The magnitude of a slider's dry friction in one direction, at a speed and under a load: at rest unless given."""
    level = shaft_friction(slider.friction, ShaftState(speed, OneWay(forwards), load), FrictionPart.DRY)
    return level if forwards else -level


def drive_torque(plant: Plant, wanted: Sequence[Scalar]) -> list[Scalar]:
    """The commanded torques (n,) after saturation (2)."""
    return [
        value if math.isinf(limit) else minimum(limit, maximum(-limit, value))
        for value, limit in zip(wanted, plant.efforts, strict=True)
    ]


@dataclass(frozen=True)
class Balance:
    """The two sides of (1) at a state: the bodies, the torque that accelerates them, and the torque that the shafts
    transmit to them; load-dependent friction depends on the latter.
    """

    bodies: PlantBodies
    torque: list[Scalar]
    rigid: list[Scalar]

    @property
    def acceleration(self) -> list[Scalar]:
        """qdd (n,)."""
        return self.bodies.solve(self.torque)


@dataclass(frozen=True)
class Dynamics:
    """(1) of a plant whose inputs `scales` (see `Plant.variation_size`) are numbers, nodes or absent."""

    plant: Plant
    scales: Sequence[Scalar] = ()

    def motion_rate(self, y: Sequence[Scalar], tau: Sequence[Scalar], signs: Sequence[Scalar] = ()) -> list[Scalar]:
        """dy/dt of y = (q, qd[, currents][, states of forces][, time]) under drive torques tau (n,), held."""
        robot, q, qd, current = self.plant.robot, self.plant.position(y), self.plant.speed(y), self.currents(y)
        rates = [*position_rates(robot, q, qd), *self.acceleration(y, tau, signs)]
        rates += [
            motor.current_rate(i, speed, wanted)
            for motor, i, speed, wanted in zip(self.plant.motors, current, qd, tau, strict=False)
        ]
        for force, now in zip(self.plant.forces, self.instants(y), strict=True):
            if isinstance(force, ForceWithState):
                rates += force.state_rate(robot, now)
        return [*rates, 1.0] if self.plant.keeps_time else rates

    def acceleration(self, y: Sequence[Scalar], tau: Sequence[Scalar], signs: Sequence[Scalar] = ()) -> list[Scalar]:
        """qdd (n,) at y under drive torques tau (n,)."""
        return self.balance(y, self.torque_of(self.currents(y), tau), signs).acceleration

    def instants(self, y: Sequence[Scalar]) -> list[PlantInstant]:
        """The instant y as each force sees it, with its own state."""
        q, qd, time = self.plant.position(y), self.plant.speed(y), y[-1] if self.plant.keeps_time else 0.0
        return [PlantInstant(q, qd, time, state) for state in self.plant.force_states(y)]

    def currents(self, y: Sequence[Scalar]) -> Sequence[Scalar]:
        """The motors' currents in y, (n,) or none."""
        start = self.plant.robot.nq + self.plant.n
        return y[start : start + self.plant.n] if self.plant.motors else ()

    def torque_of(self, current: Sequence[Scalar], tau: Sequence[Scalar]) -> list[Scalar]:
        """The torques (n,) at the joints: the drives' own, or the motors'."""
        if not self.plant.motors:
            return list(tau)
        return [motor.torque_per_ampere * i for motor, i in zip(self.plant.motors, current, strict=True)]

    def balance(self, y: Sequence[Scalar], torque: Sequence[Scalar], signs: Sequence[Scalar] = ()) -> Balance:
        """Both sides of (1) at y under torques (n,) at the joints; `signs`: directions of set-valued sliders."""
        robot, forces = self.plant.robot, self.plant.forces
        if self.plant.friction is DryFriction.MEMORY:
            signs = self.plant.force_states(y)[forces.index(Bristles())]
        q, qd = self.plant.position(y), self.plant.speed(y)
        carried = [force.inertia(robot, q) for force in forces if isinstance(force, CarriedLoad)]
        bodies = plant_bodies(self.plant.model, q, qd, carried=carried, inertias=self._inertias)
        losses = zip(self._smooth_friction(qd), self.coulomb(qd, signs), self._springs(q), strict=True)
        rigid = [t - ((f + c) + s) for t, (f, c, s) in zip(torque, losses, strict=True)]
        if has_load_friction(robot) and self.plant.friction is not DryFriction.NONE:
            rigid = self._below_load_friction(rigid, qd, signs)
        left = [t - b for t, b in zip(rigid, bodies.bias, strict=True)]
        for force, now in zip(forces, self.instants(y), strict=True):
            left = [t + more for t, more in zip(left, force.torque(robot, now), strict=True)]
        return Balance(bodies, left, rigid)

    def damped_bodies(self, q: Sequence[Scalar], qd: Sequence[Scalar], h: Scalar) -> PlantBodies:
        """The bodies with M + h D/2 in place of M, D the slope of smooth friction: effective inertia over a time h."""
        robot = self.plant.robot
        added = [force.inertia(robot, q) for force in self.plant.forces if isinstance(force, CarriedLoad)]
        damping: list[list[Scalar]] = [[0.0] * self.plant.n for _ in range(self.plant.n)]
        for shaft in rubbing_shafts(robot):
            smooth = [term for term in terms_of(shaft.friction) if not term.is_dry]
            slope = sum((term.slope(shaft.friction, shaft.state(qd, None)) for term in smooth), 0.0)
            share = product(0.5 * self.slider_scale(shaft), product(slope, h))
            for i, left in enumerate(shaft.row):
                for j, right in enumerate(shaft.row):
                    damping[i][j] = total(damping[i][j], product(left * right, share))
        return plant_bodies(self.plant.model, q, qd, carried=[*added, damping], inertias=self._inertias)

    def coulomb(self, qd: Sequence[Scalar], signs: Sequence[Scalar] = ()) -> list[Scalar]:
        """Dry friction torques (n,) without load-dependent friction: (3), (4), or by given directions (5)."""
        found: list[Scalar] = [0.0] * self.plant.n
        if self.plant.friction is DryFriction.NONE:
            return found
        for k, slider in enumerate(sliders(self.plant.robot)):
            state = slider.state(qd, None, self._direction(slider, slider.speed(qd), signs[k] if signs else None))
            share = self.slider_scale(slider) * shaft_friction(slider.friction, state, FrictionPart.DRY)
            found = spread_torque(found, slider, share)
        return found

    def _direction(self, slider: Shaft, speed: Scalar, sign: Scalar | None) -> Direction:
        """The direction of dry friction: a given sign, its bristle state, or (3)."""
        if sign is not None and self.plant.friction in (DryFriction.STICK, DryFriction.MEMORY):
            return Rounded(sign)
        if self.plant.friction is DryFriction.SIGN or slider.friction.value("turnover_speed"):
            return direction_of(slider.friction, speed)
        return Rounded(speed / sqrt(speed * speed + self.plant.slip_speed**2))

    def _below_load_friction(
        self, torque: Sequence[Scalar], qd: Sequence[Scalar], signs: Sequence[Scalar]
    ) -> list[Scalar]:
        """The torques (n,) on the rigid bodies after load-dependent friction, (6)."""
        places = {slider.name: k for k, slider in enumerate(sliders(self.plant.robot))}

        def direction(slider: Shaft, speed: Scalar) -> Direction:
            known = bool(signs) and slider.name in places
            return self._direction(slider, speed, signs[places[slider.name]] if known else None)

        gain = load_matrix(self.plant.robot, qd, direction=direction)
        gain = [[product(self._friction_scale(i), entry) for entry in row] for i, row in enumerate(gain)]
        coupled = any(not slider.is_joint and slider.friction.value("load") for slider in sliders(self.plant.robot))
        rigid = list(torque)
        for _ in range(TUNING.load_sweeps if coupled else 1):
            for i, row in enumerate(gain):
                rest = torque[i]
                for k, entry in enumerate(row):
                    if k != i and not (isinstance(entry, float) and entry == 0.0):
                        rest = rest - entry * absolute(rigid[k])
                rigid[i] = rest / (1.0 + select(rest, row[i], -row[i]))
        return rigid

    def slider_scale(self, slider: Shaft) -> Scalar:
        """The friction factor of the (first) joint that a slider moves with."""
        joint = next(k for k, way in enumerate(slider.row) if way)
        return self._friction_scale(joint)

    def _smooth_friction(self, qd: Sequence[Scalar]) -> list[Scalar]:
        """Smooth friction torques (n,): viscous, nonlinear viscous, offsets."""
        if self.plant.friction is DryFriction.NONE:
            return [0.0] * self.plant.n
        smooth = friction_torque(self.plant.robot, qd, part=FrictionPart.SMOOTH)
        return [self._friction_scale(i) * f for i, f in enumerate(smooth)]

    def _springs(self, q: Sequence[Scalar]) -> list[Scalar]:
        return spring_torque(self.plant.robot, q)

    def _friction_scale(self, joint: int) -> Scalar:
        return self.scales[len(self.scales) - self.plant.n + joint] if self.scales else 1.0

    @property
    def _inertias(self) -> Sequence[Scalar]:
        return self.scales[: len(self.scales) - self.plant.n] if self.scales else ()


def without_dry_friction(robot: Robot) -> Robot:
    """The robot with smooth friction only: no Coulomb, Stribeck or load-dependent friction."""
    dry = {name for term in TERMS.values() if term.is_dry for name in term.parameters}

    def without(f: Friction) -> Friction:
        return Friction.of({name: value for name, value in f.values.items() if name not in dry})

    bodies = tuple(
        replace(body, joint=replace(body.joint, friction=without(body.joint.friction))) for body in robot.bodies
    )
    motors = tuple(replace(motor, friction=without(motor.friction)) for motor in robot.drives.motors)
    return replace(robot, bodies=bodies, drives=replace(robot.drives, motors=motors))
