"""The equations of one haptic cycle, over any scalar: (1)-(7) of :mod:`torquec.haptics.admittance`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from torquec.control.controller import TORQUE, Controller
from torquec.dynamics.jacobian import jacobian
from torquec.dynamics.sampled_function import NEXT_STATE, STATE, StateSlot
from torquec.expr import Function, inline, trace
from torquec.expr.math import absolute, maximum, minimum, select
from torquec.haptics.admittance_options import (
    AdmittanceOptions,
    FrameMotion,
    HapticStatus,
    capped_speed,
    capped_wrench,
    flagged,
)
from torquec.haptics.followed_pose import ArmFollower, FollowedJoints
from torquec.haptics.rendered_object import SETTING_COUNT, RenderedObject, ShownObject, moved_settings, sane
from torquec.haptics.virtual_object import (
    Field,
    ObjectParameters,
    ObjectState,
    ObjectWrench,
    object_step,
    quaternion_of,
    rotation_of,
)
from torquec.robot.robot import Robot
from torquec.spatial import Matrix3, Pose, Scalar, Vector3, add, cross, matvec, scale, subtract, transpose

WRENCH, JOINTS, SETTINGS, STATUS, HAND = "wrench", "q", "settings", "status", "hand"

_ZERO_WRENCH = ObjectWrench((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


class _Hand(NamedTuple):
    """The hand's wrench in the frame's axes, 1 where the measurement is invalid (else 0), and the flags."""

    wrench: ObjectWrench
    distrust: Scalar
    flags: Scalar


class _Seen(NamedTuple):
    """Measured joints and speeds (n,), and the flag."""

    q: list[Scalar]
    qd: list[Scalar]
    flag: Scalar


def cycle_slots(n: int, rendered: RenderedObject, law: Controller) -> tuple[StateSlot, ...]:
    """The state of a cycle by parts."""
    zeros = {"position": 3, "orientation": 4, "velocity": 3, "angular_velocity": 3}
    joints = {"q_ref": n, "qd_ref": n, "q_seen": n, "qd_seen": n, "acceleration": 6}
    return (
        *(StateSlot(name, (0.0,) * size) for name, size in zeros.items()),
        StateSlot("settings", tuple(rendered.settings.tolist())),
        *(StateSlot(name, (0.0,) * size) for name, size in joints.items()),
        StateSlot("law", tuple(law.initial_state.tolist())),
    )


@dataclass(frozen=True, eq=False)
class HapticCycle:
    """The equations of a cycle, over any scalar."""

    robot: Robot
    frame: str
    options: AdmittanceOptions
    environment: Field | None
    law: Controller
    follower: ArmFollower
    slots: tuple[StateSlot, ...]

    def function(self) -> Function:
        """The cycle as a program."""
        size = sum(slot.size for slot in self.slots)
        ports: dict[str, tuple[int, ...]] = {STATE: (size,), WRENCH: (6,), JOINTS: (self.robot.n,)}
        return trace(f"{_word(self.robot.name)}_haptic_cycle", self._cycle, {**ports, SETTINGS: (SETTING_COUNT,)})

    def _cycle(self, **given: Any) -> dict[str, Any]:
        options, h = self.options, self.options.period
        state = self._split(given[STATE])
        graph = given[STATE][0].graph
        found_hand, seen = self._hand(state, given[WRENCH]), self._seen(state, given[JOINTS])
        hand = found_hand.wrench
        settings = moved_settings(state["settings"], given[SETTINGS], 1.0 - math.exp(-h / options.settling))
        shown = ShownObject.of(settings)
        body = shown.parameters(options.contact_point)

        # (3), (4); after an invalid measurement the object slows down instead.
        before = _object(state)
        moved = object_step(body, before, hand, h, field=shown.field(self.environment), substeps=options.substeps)
        velocity, turning = _held_velocity(body, moved)
        cap = capped_speed(options.caps, velocity, turning, _turned(rotation_of(moved.orientation), hand))
        share = cap.share * select(-maximum(found_hand.distrust, seen.flag), 1.0, math.exp(-h / options.rest))
        moved = moved._replace(
            velocity=scale(moved.velocity, share), angular_velocity=scale(moved.angular_velocity, share)
        )

        # (5)
        rotation = rotation_of(moved.orientation)
        velocity, turning = scale(velocity, share), scale(turning, share)
        place = add(moved.position, matvec(rotation, body.contact_point))
        pose = Pose(rotation, place)
        found = self.follower.follow(state["q_ref"], state["qd_ref"], pose, [*velocity, *turning])
        moved = self._coupled(moved, body, found)

        # (6), (7)
        qdd = [(new - old) * (1.0 / h) for new, old in zip(found.qd, state["qd_ref"], strict=True)]
        signals = {"q_ref": state["q_ref"], "qd_ref": state["qd_ref"], "qdd_ref": qdd, "q": seen.q, "qd": seen.qd}
        if self.law.slots:
            signals[STATE] = state["law"]
        asked = inline(self.law.function, graph, signals)
        tau, limited = self._torque(asked[TORQUE], state["q_ref"], _turned(rotation_of(before.orientation), hand))
        was = [part for vector in _held_velocity(body, before) for part in vector]
        now = [part for vector in _held_velocity(body, moved) for part in vector]
        after = {
            **{name: list(value) for name, value in moved._asdict().items()},
            "settings": settings,
            "q_ref": found.q,
            "qd_ref": found.qd,
            "q_seen": seen.q,
            "qd_seen": seen.qd,
            "acceleration": [(new - old) * (1.0 / h) for new, old in zip(now, was, strict=True)],
            "law": asked.get(NEXT_STATE, []),
        }
        flags = found_hand.flags + seen.flag + cap.flag + found.flags + limited
        kept = [x for slot in self.slots for x in after[slot.name]]
        return {NEXT_STATE: kept, TORQUE: tau, STATUS: flags, HAND: [*hand.force, *hand.moment]}

    def _split(self, row: Sequence[Any]) -> dict[str, list[Any]]:
        parts, start = {}, 0
        for slot in self.slots:
            parts[slot.name] = list(row[start : start + slot.size])
            start += slot.size
        return parts

    def _hand(self, state: Mapping[str, Any], wrench: Sequence[Scalar]) -> _Hand:
        """(1)."""
        clean = [sane(value, 0.0) for value in wrench]
        invalid: Scalar = 0.0
        saturated: Scalar = -1.0
        for value, good, most in zip(wrench, clean, self.options.sensor_range, strict=True):
            invalid = maximum(invalid, select(-absolute(sane(value, 1.0) - good), 0.0, 1.0))
            saturated = maximum(saturated, absolute(good) - most * (1.0 - 1e-9))
        saturated = select(saturated, 1.0, 0.0)
        measured = ObjectWrench((clean[0], clean[1], clean[2]), (clean[3], clean[4], clean[5]))
        back = transpose(rotation_of(state["orientation"]))
        a = state["acceleration"]
        motion = FrameMotion(
            matvec(back, (a[0], a[1], a[2])),
            tuple(state["angular_velocity"]),
            matvec(back, (a[3], a[4], a[5])),
            matvec(back, self.robot.gravity),
        )
        tool = self.options.tool.wrench(motion) if self.options.tool.mass else _ZERO_WRENCH
        hand = ObjectWrench(subtract(measured.force, tool.force), subtract(measured.moment, tool.moment))
        hand, capped = capped_wrench(self.options.caps, hand)
        distrust = maximum(invalid, saturated)
        trust = 1.0 - distrust
        flags = flagged(invalid, HapticStatus.FORCE_INVALID) + flagged(saturated, HapticStatus.FORCE_SATURATED) + capped
        return _Hand(ObjectWrench(scale(hand.force, trust), scale(hand.moment, trust)), distrust, flags)

    def _seen(self, state: Mapping[str, Any], q: Sequence[Scalar]) -> _Seen:
        """Measured joints; where one is invalid, all are replaced by the reference."""
        c, h = self.options.speed_share, self.options.period
        missing: Scalar = 0.0
        for value in q:
            missing = maximum(missing, select(-absolute(sane(value, 1.0) - sane(value, 0.0)), 0.0, 1.0))
        seen = [select(-missing, sane(new, ref), ref) for new, ref in zip(q, state["q_ref"], strict=True)]
        raw = [(new - old) * (1.0 / h) for new, old in zip(seen, state["q_seen"], strict=True)]
        speed = [old + c * (new - old) for new, old in zip(raw, state["qd_seen"], strict=True)]
        speed = [select(-missing, new, ref) for new, ref in zip(speed, state["qd_ref"], strict=True)]
        return _Seen(seen, speed, flagged(missing, HapticStatus.JOINTS_INVALID))

    def _coupled(self, moved: ObjectState, body: ObjectParameters, found: FollowedJoints) -> ObjectState:
        """The object reset to the arm (5), if the arm could not follow."""
        rotation, d = found.pose.rotation, body.contact_point
        turning = (found.twist[3], found.twist[4], found.twist[5])
        velocity = (found.twist[0], found.twist[1], found.twist[2])
        arm = matvec(rotation, d)
        there = ObjectState(
            subtract(found.pose.origin, arm),
            quaternion_of(rotation),
            subtract(velocity, cross(turning, arm)),
            matvec(transpose(rotation), turning),
        )
        apart = 1.0 if self.follower.is_deficient else found.coupled
        return ObjectState(
            *(
                tuple(select(-apart, free, held) for free, held in zip(*parts, strict=True))
                for parts in zip(moved, there, strict=True)
            )
        )

    def _torque(self, wanted: Sequence[Scalar], q: Sequence[Scalar], hand: ObjectWrench) -> tuple[list[Scalar], Scalar]:
        """(7): the law's torques less those of the hand, within limits; and the flag."""
        J = jacobian(self.robot, self.frame, q)
        pushed: list[Scalar] = list(wanted)
        for row, value in zip(J, (*hand.force, *hand.moment), strict=True):
            pushed = [t - entry * value for t, entry in zip(pushed, row, strict=True)]
        tau: list[Scalar] = []
        excess: Scalar = 0.0
        for value, joint in zip(pushed, self.robot.joints, strict=True):
            most = joint.limits.effort * self.options.caps.effort
            if math.isinf(most):
                tau.append(value)
                continue
            tau.append(minimum(most, maximum(-most, value)))
            excess = maximum(excess, absolute(value) - most)
        return tau, flagged(excess, HapticStatus.TORQUE_LIMITED)


def _object(state: Mapping[str, Any]) -> ObjectState:
    names = ("position", "orientation", "velocity", "angular_velocity")
    return ObjectState(*(tuple(state[name]) for name in names))


def _held_velocity(body: ObjectParameters, state: ObjectState) -> tuple[Vector3, Vector3]:
    """Velocity of the held point and angular velocity, base axes."""
    rotation = rotation_of(state.orientation)
    turning = matvec(rotation, state.angular_velocity)
    return add(state.velocity, cross(turning, matvec(rotation, body.contact_point))), turning


def _turned(rotation: Matrix3, wrench: ObjectWrench) -> ObjectWrench:
    return ObjectWrench(matvec(rotation, wrench.force), matvec(rotation, wrench.moment))


def _word(name: str) -> str:
    """A robot's name as a valid identifier in every target language."""
    return "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in name)
