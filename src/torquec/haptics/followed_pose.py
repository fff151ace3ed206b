"""Tracking of an object's pose by an arm: inverse kinematics per cycle within joint position and speed limits.

From the joints q of the previous cycle to those of this one, for a pose one cycle later:

(1)  q* = the branch of the closed-form inverse nearest to q, also by whole turns, regardless of limits; or, without a
     closed form, `newton_steps` damped Newton steps from q, enough for the small motion of a cycle
(2)  d = (q* - q) s,   s <= 1 such that no joint exceeds its speed limit: all slow down alike, on the same path; near
     a singularity, also such that no joint speeds up by more than h b_i: a straight arm bends smoothly
(3)  d clipped so that every joint can come to rest at its limit:  |d_i| <= min(gap, h sqrt(2 b_i gap)),  gap to it
(4)  q+ = q + d;   J(q+) qd+ = v, the object's velocity; where (2), (3) or the reach changed anything, qd+ = d/h
(5)  in that case the object is reset to the arm: its pose becomes that of the frame at q+, its velocity J(q+) qd+

Choosing the branch by distance alone, and clipping afterwards, keeps the arm from switching branches where a joint
meets its limit. (5) prevents jumps on return: object and arm are never apart, the hand can turn around at once, and the
object slides along the boundary. With fewer than six joints the object takes the motion of the arm (5) in every cycle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from torquec.dynamics.frame_pose import frame_pose
from torquec.dynamics.jacobian import jacobian
from torquec.expr.math import absolute, maximum, minimum, select, sqrt
from torquec.haptics.admittance_options import HapticStatus, flagged
from torquec.haptics.rendered_object import sane
from torquec.haptics.tuning import TUNING
from torquec.kinematics.angle import nearest_turn
from torquec.kinematics.arm_geometry import PoseTarget
from torquec.kinematics.arm_poses import MISSED
from torquec.kinematics.closed_kinematics import InverseKinematics, KinematicsMethod
from torquec.kinematics.joint_rates import JacobianFactors
from torquec.kinematics.refinement import damped_step, pose_error
from torquec.robot.robot import Limits, Robot
from torquec.spatial import Matrix3, Pose, Scalar, Vector3, matmul, scale, transpose

_ANYWHERE = Limits(lower=-math.inf, upper=math.inf)


@dataclass(frozen=True)
class FollowedJoints:
    """The joints of this cycle: q+, qd+ (n,), the frame's pose and velocity (6,) there; `coupled` > 0 requires (5)."""

    q: list[Scalar]
    qd: list[Scalar]
    pose: Pose
    twist: list[Scalar]
    coupled: Scalar
    flags: Scalar


@dataclass(frozen=True, eq=False)
class ArmFollower:
    """An arm that tracks a pose: its inverse kinematics, `speeds` and `braking` (n,) of the joints, `period` h [s]."""

    kinematics: InverseKinematics
    speeds: tuple[float, ...]
    braking: tuple[float, ...]
    period: float

    @property
    def robot(self) -> Robot:
        """The robot that follows."""
        return self.kinematics.robot

    @property
    def moving(self) -> list[int]:
        """The tracking joints: those that move the frame, without the free one."""
        joints = self.kinematics.arm.joints
        return [joint.index for k, joint in enumerate(joints) if k != self.kinematics.closed.free]

    @property
    def is_deficient(self) -> bool:
        """Whether the arm has fewer joints than a pose has degrees of freedom."""
        return len(self.moving) < 6

    @property
    def is_closed(self) -> bool:
        """Whether the inverse has a closed form."""
        return self.kinematics.method is KinematicsMethod.ANALYTIC

    def follow(
        self, q: Sequence[Scalar], qd: Sequence[Scalar], pose: Pose, velocity: Sequence[Scalar]
    ) -> FollowedJoints:
        """(1)-(4) from q, qd (n,) of the previous cycle to a pose and a velocity (6,) of the frame, in base axes."""
        h, robot, frame = self.period, self.robot, self.kinematics.frame
        found = self._nearest if self.is_closed else self._newton
        goal, missed = found(q, pose.rotation, pose.origin)
        step = [sane(new - old, 0.0) for new, old in zip(goal, q, strict=True)]
        share = self._share(q, qd, step)
        slowed = [share * d for d in step]
        step = [self._within(k, q[k], d) for k, d in enumerate(slowed)]
        excess: Scalar = 1.0 - share
        for before, after in zip(slowed, step, strict=True):
            excess = maximum(excess, absolute(before - after))
        after = [old + d for old, d in zip(q, step, strict=True)]
        full = jacobian(robot, frame, after)
        rates, pivot = self._rates(self._columns(full), velocity)
        for k, rate in zip(self.moving, rates, strict=True):
            excess = maximum(excess, absolute(rate) - self.speeds[k])
        coupled = maximum(excess, missed)
        speed: list[Scalar] = [0.0] * robot.n
        for k, rate in zip(self.moving, rates, strict=True):
            speed[k] = select(-coupled, rate, step[k] * (1.0 / h))
        twist = [sum((full[row][k] * speed[k] for k in self.moving), start=0.0) for row in range(6)]
        flags = (
            flagged(excess, HapticStatus.AT_LIMIT)
            + flagged(missed, HapticStatus.OUT_OF_REACH)
            + flagged(TUNING.singular_pivot - pivot, HapticStatus.SINGULAR)
        )
        return FollowedJoints(after, speed, frame_pose(robot, frame, after), twist, coupled, flags)

    def _share(self, q: Sequence[Scalar], qd: Sequence[Scalar], step: Sequence[Scalar]) -> Scalar:
        """s of (2)."""
        h = self.period
        pivot = JacobianFactors(self._columns(jacobian(self.robot, self.kinematics.frame, q))).size_and_pivot()[1]
        share: Scalar = 1.0
        for k, d in enumerate(step):
            faster = absolute(qd[k]) + h * self.braking[k]
            most = h * minimum(self.speeds[k], select(pivot - TUNING.near_singular_pivot, self.speeds[k], faster))
            share = minimum(share, most / maximum(absolute(d), most))
        return share

    def _columns(self, full: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
        """Columns of the Jacobian (6, n) for the joints that follow."""
        return [[full[row][k] for row in range(6)] for k in self.moving]

    def _nearest(self, q: Sequence[Scalar], rotation: Matrix3, position: Vector3) -> tuple[list[Scalar], Scalar]:
        """The nearest branch (1), and its residual less the tolerance (positive: out of reach)."""
        arm = self.kinematics.arm
        turn = matmul(rotation, transpose(arm.tool.rotation))
        kept = tuple(q[joint.index] for joint in arm.joints)
        best: list[Scalar] = []
        cost: Scalar = None
        for branch in self.kinematics.closed.solve(PoseTarget(turn, position, kept)):
            row = list(q)
            for joint, value in zip(arm.joints, branch.values, strict=True):
                near = q[joint.index]
                row[joint.index] = value if joint.slides else nearest_turn(value, _ANYWHERE, near).value
            apart = sum(((a - b) * (a - b) for a, b in zip(row, q, strict=True)), start=0.0)
            missed = branch.position_miss - MISSED * arm.reach
            if not self.is_deficient:
                missed = maximum(missed, branch.rotation_miss - MISSED)
            values = [*row, missed]
            if cost is None:
                cost, best = apart, values
                continue
            nearer = apart - cost
            best = [select(nearer, old, new) for old, new in zip(best, values, strict=True)]
            cost = select(nearer, cost, apart)
        return best[:-1], best[-1]

    def _newton(self, q: Sequence[Scalar], rotation: Matrix3, position: Vector3) -> tuple[list[Scalar], Scalar]:
        """Newton steps (1), and their residual less the tolerance."""
        robot, frame = self.robot, self.kinematics.frame
        size = 0.5 * self.kinematics.arm.reach
        at = list(q)
        for _ in range(TUNING.newton_steps):
            off, turn = pose_error(frame_pose(robot, frame, at), rotation, position)
            columns = self._weighted(self._columns(jacobian(robot, frame, at)))
            step = damped_step(columns, [*scale(off, 1.0 / size), *turn], TUNING.newton_damping)
            for k, d in zip(self.moving, step, strict=True):
                at[k] = at[k] + d
        if self.is_deficient:
            return at, -1.0
        off, turn = pose_error(frame_pose(robot, frame, at), rotation, position)
        error = [*scale(off, 1.0 / size), *turn]
        return at, sum((x * x for x in error), start=0.0) - TUNING.newton_residual**2

    def _rates(self, columns: list[list[Scalar]], velocity: Sequence[Scalar]) -> tuple[list[Scalar], Scalar]:
        """Speeds of the moving joints, and the pivot (3) of :mod:`torquec.kinematics.joint_rates`."""
        factors = JacobianFactors(columns)
        pivot = factors.size_and_pivot()[1]
        if self.is_closed:
            return factors.solve(velocity), pivot
        size = 0.5 * self.kinematics.arm.reach
        right = [*(value * (1.0 / size) for value in velocity[:3]), *velocity[3:]]
        return damped_step(self._weighted(columns), right, TUNING.newton_damping), pivot

    def _weighted(self, columns: list[list[Scalar]]) -> list[list[Scalar]]:
        """Columns of the Jacobian with lengths over half the arm's size, so that metres and radians compare."""
        size = 0.5 * self.kinematics.arm.reach
        return [[*(value * (1.0 / size) for value in column[:3]), *column[3:]] for column in columns]

    def _within(self, k: int, q: Scalar, d: Scalar) -> Scalar:
        """A joint's step clipped so that it can stop at its limits (3)."""
        limits, h, brake = self.robot.joints[k].limits, self.period, self.braking[k]
        if limits.upper < math.inf:
            d = minimum(d, _stoppable(maximum(limits.upper - q, 0.0), h, brake))
        if limits.lower > -math.inf:
            d = maximum(d, -_stoppable(maximum(q - limits.lower, 0.0), h, brake))
        return d


def _stoppable(gap: Scalar, h: float, brake: float) -> Scalar:
    """The largest step towards a limit that leaves room to brake (3)."""
    return minimum(gap, h * sqrt(2.0 * brake * gap))
