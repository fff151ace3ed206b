"""A robot with closed loops seen as its raw tree: what Pinocchio computes of the tree, with the loops as constraints.

The oracle shares nothing with the closure: constraint Jacobians are differences of Pinocchio's frame Jacobians,
accelerations come from the KKT system  [M J'; J 0] [vd; -lambda] = [S tau - h; -Jd v]  by least squares.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.dynamics.test_any_joint import Peer

from torquec.robot.joints import JointType
from torquec.robot.loops.closed_loops import LoopKind
from torquec.robot.loops.closure import loop_state
from torquec.robot.urdf import read_urdf

EXAMPLES = Path(__file__).parents[2] / "examples" / "closed_loops"


def tree_values(robot, q, *rates):
    """Positions, then rates of all joints by name at independent q and given rates (qd, and qdd) of the robot."""
    if robot.dependent:
        state = loop_state(robot, [float(x) for x in q])
        v = state.rate(rates[0]) if rates else []
        moving = [v, *([state.acceleration(v, rates[1])] if len(rates) > 1 else [])] if rates else []
        own = [state.q, *moving]
    else:
        own = [list(q), *map(list, rates)]
    places = {}
    at_q = at_v = 0
    for joint in robot.tree.joints:
        places[joint.name] = (slice(at_q, at_q + joint.kind.nq), slice(at_v, at_v + joint.kind.nv))
        at_q, at_v = at_q + joint.kind.nq, at_v + joint.kind.nv
    found = [{} for _ in own]
    for body in robot.bodies:
        mimic = body.joint.mimic
        leader, ratio, offset = (
            (body.joint.name, 1.0, 0.0) if mimic is None else (mimic.joint, mimic.multiplier, mimic.offset)
        )
        for k, values in enumerate(own):
            part = np.array(values[places[leader][k > 0]], dtype=float)
            found[k][body.joint.name] = part if mimic is None else ratio * part + (offset if k == 0 else 0.0)
    return found


class LoopOracle:
    """Pinocchio on the raw tree, one-coordinate joints alone."""

    def __init__(self, robot, tree):
        self.robot, self.tree, self.peer = robot, tree, Peer(tree)
        self.names = [joint.name for joint in tree.joints]

    def stacked(self, q, *rates):
        return [np.concatenate([values[name] for name in self.names]) for values in tree_values(self.robot, q, *rates)]

    def constraint(self, q, v):
        """J and Jd v of all loops, in Pinocchio's order; and the largest gap."""
        pin, model, data = self.peer.pin, self.peer.model, self.peer.data
        pq, pv = self.peer.there(q, v)
        pin.computeJointJacobians(model, data, pq)
        pin.computeJointJacobiansTimeVariation(model, data, pq, pv)
        pin.updateFramePlacements(model, data)
        rows, drifts, gap = [], [], 0.0
        world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        for loop in self.robot.loops.file.loops:
            a, b = (model.getFrameId(name) for name in (loop.frame_a, loop.frame_b))
            size = {LoopKind.POINT: 3, LoopKind.WELD: 6, LoopKind.AXIS: 6}[loop.kind]
            j = [pin.getFrameJacobian(model, data, f, world) for f in (a, b)]
            jd = [pin.getFrameJacobianTimeVariation(model, data, f, world) for f in (a, b)]
            place = [data.oMf[f] for f in (a, b)]
            gap = max(gap, np.abs(place[0].translation - place[1].translation).max())
            row, drift = (j[1] - j[0])[:size], ((jd[1] - jd[0]) @ pv)[:size]
            if loop.kind is LoopKind.AXIS:  # rotations across the common axis; the axis itself moves
                turn = place[0].rotation
                spin = (j[0] @ pv)[3:]
                slip = ((j[1] - j[0]) @ pv)[3:]
                drift[3:] -= np.cross(spin, slip)
                row[3:], drift[3:] = turn.T @ row[3:], turn.T @ drift[3:]
                row, drift = row[:5], drift[:5]
            rows.append(row)
            drifts.append(drift)
        for coupling in self.robot.loops.file.couplings:
            index = [model.joints[model.getJointId(name)].idx_v for name in (coupling.joint, coupling.of)]
            x = q[self.names.index(coupling.of)]
            p = np.polynomial.Polynomial(coupling.polynomial)
            row = np.zeros((1, model.nv))
            row[0, index[0]], row[0, index[1]] = 1.0, -p.deriv()(x)
            rows.append(row)
            drifts.append(np.array([-p.deriv(2)(x) * pv[index[1]] ** 2]))
            gap = max(gap, abs(q[self.names.index(coupling.joint)] - p(x)))
        return np.concatenate(rows), np.concatenate(drifts), gap

    def forward_dynamics(self, q, qd, tau):
        """Accelerations of the independent joints under torques tau (n,) at them."""
        pin, model, data = self.peer.pin, self.peer.model, self.peer.data
        tq, tv = self.stacked(q, qd)
        pq, pv = self.peer.there(tq, tv)
        mass = pin.crba(model, data, pq)
        mass = np.triu(mass) + np.triu(mass, 1).T
        bias = pin.nonLinearEffects(model, data, pq, pv).copy()
        own = [model.joints[model.getJointId(joint.name)].idx_v for joint in self.robot.joints]
        drive = np.zeros(model.nv)
        drive[own] = tau
        rows, drift, _ = self.constraint(tq, tv)
        m = len(rows)
        system = np.block([[mass, rows.T], [rows, np.zeros((m, m))]])
        found = np.linalg.lstsq(system, np.concatenate([drive - bias, -drift]), rcond=1e-11)[0]
        return found[: model.nv][own]

    def gap(self, q):
        tq, tv = self.stacked(q, [0.0] * self.robot.n)
        return self.constraint(tq, tv)[2]


def raw_tree(name):
    """The tree of an example, before its loops are read."""
    assert JointType
    return read_urdf(EXAMPLES / f"{name}.urdf")
