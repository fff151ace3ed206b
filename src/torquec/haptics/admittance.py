"""Admittance control of a haptic arm: force in, motion of a virtual object, torques out (Clover IV, Figure 1).

One call is one haptic cycle, at the sample t_k with the period h. Inputs are the state (the object, the reference q_k
and qd_k of the arm) and the measurements (wrench of the hand by the force sensor, joints by encoders):

(1)  hand = measured wrench - weight and inertia of the tool   `admittance_options.py`
(2)  settings move towards the commanded ones   `rendered_object.py`
(3)  one integration step of the object under the hand's wrench, held, and under walls, guides, springs and dampers
     `virtual_object.py`
(4)  caps of speed and power   `admittance_options.py`
(5)  inverse kinematics: q_k+1, qd_k+1 of the object's pose and velocity; where the arm must stop, so does the object
     `followed_pose.py`
(6)  qdd = (qd_k+1 - qd_k)/h: the mean acceleration of the interval in which the torque will be held. It equals the
     acceleration by inverse kinematics to first order in h, and makes the held torque reach qd_k+1
(7)  tau = law(q_k, qd_k, qdd; measured) - J(q_k)' hand,   within the effort limits

The law is any joint-space controller with its own feedforward, friction compensation and feedback. Its model includes
the tool.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from torquec.control.controller import JOINT_REFERENCE, Controller
from torquec.control.model_terms import FrictionAt, FrictionCompensation
from torquec.control.pole_placement import pole_placement
from torquec.dynamics.frame_pose import frame_pose
from torquec.dynamics.mass_matrix import mass_matrix
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.haptics.admittance_options import AdmittanceOptions
from torquec.haptics.followed_pose import ArmFollower
from torquec.haptics.haptic_cycle import HapticCycle, cycle_slots
from torquec.haptics.rendered_object import RenderedObject
from torquec.haptics.tuning import TUNING
from torquec.haptics.virtual_object import Field, quaternion_of
from torquec.kinematics.inverse_kinematics import inverse_kinematics
from torquec.model.model_function import ModelFunction
from torquec.robot.robot import Robot
from torquec.spatial import matvec, subtract

_USUAL = AdmittanceOptions()


@dataclass(frozen=True, repr=False, kw_only=True)
class Admittance(ModelFunction):
    """A haptic cycle as a function, made by `admittance`; call it once per `period`:

        state = cycle.start(q)                                   # (m,), the arm at rest at q
        state, tau, status, hand = cycle.native.call(state, wrench, q, settings)

    inputs    state (m,)          `next_state` of the previous call
              wrench (6,)         force [N] and moment [N m] at the sensor's origin, as it measures them (frame's axes)
              q (n,)              measured joints
              settings (32,)      parameters of the object: `RenderedObject.settings`; may change at any call
    outputs   next_state (m,), tau (n,) to be held until the next call, status (): a sum of `HapticStatus`
              hand (6,)           the hand's own wrench, without the tool's and within caps, in the frame's axes

    `read(state)` gives the parts of a state by name (`slots` says which stand where): position, orientation, velocity,
    angular_velocity of the object's mass centre; shown settings; q_ref, qd_ref, to be reached at the next call;
    acceleration (6,) of the held frame in between, base axes.
    """

    KIND: ClassVar[str] = "admittance"

    robot: Robot
    frame: str
    options: AdmittanceOptions
    follower: ArmFollower
    rendered: RenderedObject
    carrying: Robot
    """The robot with its tool."""

    def start(self, q: npt.ArrayLike) -> Array:
        """The state of an arm at rest at q (n,), the object with it.

        Raises `ArgumentError` for another number of joints, numbers that are not finite and joints beyond their limits.
        """
        joints = np.asarray(q, dtype=np.float64)
        if joints.shape != (self.n,) or not np.isfinite(joints).all():
            raise ArgumentError(f"joints of shape {joints.shape}", remedy=f"give {self.n} finite numbers")
        for joint, value in zip(self.robot.joints, joints, strict=True):
            if not joint.limits.lower <= value <= joint.limits.upper:
                raise ArgumentError(
                    f"joint '{joint.name}' starts at {value:g}, beyond its limits",
                    remedy=f"start between {joint.limits.lower:g} and {joint.limits.upper:g}",
                )
        pose = frame_pose(self.robot, self.frame, [float(x) for x in joints])
        row = self.initial_state
        row[self.slot("position")] = subtract(pose.origin, matvec(pose.rotation, self.options.contact_point))
        row[self.slot("orientation")] = quaternion_of(pose.rotation)
        row[self.slot("q_ref")] = row[self.slot("q_seen")] = joints
        return row

    def read(self, state: npt.ArrayLike) -> dict[str, Array]:
        """The parts of one state (m,), or of many (.., m), by name."""
        rows = np.asarray(state, dtype=np.float64)
        return {slot.name: rows[..., self.slot(slot.name)] for slot in self.slots}


def admittance(
    robot: Robot,
    rendered: RenderedObject,
    frame: str | None = None,
    *,
    options: AdmittanceOptions = _USUAL,
    environment: Field | None = None,
    law: Controller | None = None,
) -> Admittance:
    """Make the haptic cycle that renders an object at a frame of a robot, its hand unless given.

    `robot` is the arm without the tool of the options. `environment`: walls and guides around the object
    (`contact_field`, `guide_field`). `law` is a controller of joint motions for the robot with its tool; without it,
    pole placement. Raises `ArgumentError` for a frame that does not exist, joints or a period of the law that do not
    match, and a law that is not a joint-space controller.
    """
    arm = inverse_kinematics(robot, frame, free=options.free)
    carrying = options.tool.carried_by(robot, arm.frame)
    if law is None:
        friction = FrictionCompensation(FrictionAt.REFERENCE, options.smoothing)
        law = pole_placement(carrying, options.poles, period=options.period, friction=friction)
    _check_law(law, robot, options.period)
    follower = ArmFollower(arm, _speeds(robot), _braking(carrying), options.period)
    slots = cycle_slots(robot.n, rendered, law)
    function = HapticCycle(robot, arm.frame, options, environment, law, follower, slots).function()
    return Admittance(
        function.name,
        robot.joint_names,
        function,
        slots,
        options.period,
        law.origin,
        robot=robot,
        frame=arm.frame,
        options=options,
        follower=follower,
        rendered=rendered,
        carrying=carrying,
    )


def _speeds(robot: Robot) -> tuple[float, ...]:
    """The largest speed of every joint."""
    return tuple(TUNING.unlimited_speed if math.isinf(v := joint.limits.velocity) else v for joint in robot.joints)


def _braking(robot: Robot) -> tuple[float, ...]:
    """The braking deceleration of every joint before a limit, from its effort limit and its own inertia."""
    M = mass_matrix(robot, [0.0] * robot.n)
    return tuple(
        TUNING.unlimited_braking
        if math.isinf(most := joint.limits.effort)
        else TUNING.braking_share * most / max(float(M[k][k]), 1e-9)
        for k, joint in enumerate(robot.joints)
    )


def _check_law(law: Controller, robot: Robot, period: float) -> None:
    if law.joints != robot.joint_names:
        raise ArgumentError(
            f"the joints of the law are {', '.join(law.joints)}",
            remedy=f"the robot's are {', '.join(robot.joint_names)}",
        )
    if law.reference != JOINT_REFERENCE or law.schedule is not None:
        raise ArgumentError(
            f"'{law.name}' needs more inputs than a joint motion",
            remedy="use a joint-space law without a schedule",
        )
    if law.period is not None and abs(law.period - period) > 1e-9 * period:
        raise ArgumentError(
            f"a law for {law.period:g} s in a cycle of {period:g} s", remedy="make the law for the cycle's period"
        )
