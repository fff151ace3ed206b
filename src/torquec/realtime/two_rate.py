"""Two-rate computed torque as functions: coefficients in the background, a few products in every cycle.

Zeroth order (Izaguirre et al., section 3), n products and n sums for a joint:

(1)  background_inertia(q) -> M, gravity, springs;  background_velocity(q, qd) -> velocity;
     background_friction(qd) -> friction;  springs and friction where the robot has them
(2)  hold(gravity, springs, velocity, friction) -> held, their sum, once for every new coefficient
(3)  synchronous(M, held, qdd) -> tau = M qdd + held

First order, three times as many: the background also gives the slopes at the state (q0, qd0, qdd0),

(4)  background_first_order(q0, qd0, qdd0) -> M, held, dtau_dq, dtau_dqd
(5)  synchronous_first_order(..) -> tau = M qdd + held + dtau_dq (q - q0) + dtau_dqd (qd - qd0)

Parameters that change at run time enter as `constants`, which update_parameters computes from them; for a model that
follows a program P, only their change enters,

(6)  P + tau(parameters) - tau(the robot's own),   exact in the change, so that the error bound of P remains valid
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torquec.closedform.closed_dynamics import closed_gravity_torque, closed_mass_matrix
from torquec.dynamics.composite import composite_gravity
from torquec.dynamics.friction_torque import has_load_friction, rubbing_shafts
from torquec.dynamics.inverse_dynamics import joint_torques
from torquec.dynamics.inverse_dynamics_derivatives import torque_derivatives
from torquec.dynamics.mass_matrix import joint_inertias
from torquec.dynamics.mechanism import Grouping, Mechanism, place
from torquec.dynamics.motion import motions
from torquec.dynamics.spring_torque import spring_stiffness, spring_torque
from torquec.errors import ArgumentError
from torquec.expr import Function, Node, Op, jacobian_nodes, operation_cost, trace
from torquec.expr.replay import staged
from torquec.foundation.choice import chosen
from torquec.model.model import Model, as_model
from torquec.model.routes import CLOSED, Route
from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.background_period import FrictionTask
from torquec.realtime.run_time_parameters import ParameterGroup, RunTimeRobot, parameter_groups, run_time_robot
from torquec.robot.robot import Robot
from torquec.spatial import Inertia, Scalar

Vector = Sequence[Any]
Matrix = list[list[Any]]

UPDATE, NOMINAL = "update_parameters", "nominal_parameters"


@dataclass(frozen=True)
class TwoRateFunctions:
    """The functions by name, in the order in which they are called; `groups` change at run time."""

    model: Model
    functions: dict[str, Function]
    groups: tuple[ParameterGroup, ...]
    friction: FrictionTask
    order: HoldOrder

    @property
    def robot(self) -> Robot:
        """The robot of the model."""
        return self.model.robot


def two_rate(
    source: Robot | Model,
    *,
    update: Sequence[str] = (),
    friction: FrictionTask | str = FrictionTask.BACKGROUND,
    order: HoldOrder | str = HoldOrder.FIRST,
) -> TwoRateFunctions:
    """The functions (1)-(5) of a model; `update` names parameters or groups that change at run time.

    Raises `ArgumentError` for an unknown word or choice, `RobotError` for a robot without inertias.
    """
    model = as_model(source)
    task, held = chosen(FrictionTask, friction, "task of friction"), chosen(HoldOrder, order, "order of the hold")
    if not rubbing_shafts(model.robot) and not any("friction" in word for word in update):
        task = FrictionTask.NONE
    groups = parameter_groups(model.robot, update)
    tracer = _Tracer(model, groups, task)
    made = [tracer.inertia(), tracer.velocity()]
    if task is FrictionTask.BACKGROUND:
        made.append(tracer.friction_function())
    made += [tracer.hold(), tracer.synchronous()]
    if held is HoldOrder.FIRST:
        made += [tracer.first_order(), tracer.synchronous_first_order()]
    if groups:
        parts = staged(made, {_early(group) for group in groups}, name=UPDATE)
        prepare = _renamed(parts.prepare, {_early(group): group.port for group in groups})
        made = [_nominal(groups), *_load_makers(groups), prepare, *parts.functions]
    return TwoRateFunctions(model, {function.name: function for function in made}, groups, task, held)


class _Tracer:
    """Traces the functions of one model."""

    def __init__(self, model: Model, groups: tuple[ParameterGroup, ...], task: FrictionTask) -> None:
        self.model, self.groups, self.task = model, groups, task
        self.robot = model.robot
        self.by_quantity = model.kind.follows_program or bool(model.robot.dependent)  # loops are projected
        self.sprung = any(body.joint.spring or body.joint.counterbalances for body in model.robot.bodies)
        self.ports: dict[str, tuple[int, ...]] = {_early(group): (len(group.parameters),) for group in groups}
        if not model.kind.follows_program:
            self.robot.check_inertias()
        if self.sprung and task is FrictionTask.SYNCHRONOUS and has_load_friction(self.robot):
            raise ArgumentError(
                "friction that depends on the load cannot be separated from held springs in every cycle",
                remedy="compute friction in the background",
            )

    # --- rigid bodies, over nodes -----------------------------------------------------------------------------------

    def inertia_and_gravity(self, q: Vector, now: RunTimeRobot) -> tuple[Matrix, Vector]:
        """M and gravity of (1)."""
        if not self.by_quantity:
            m = now.mechanism()
            placed = place(m, q)
            return joint_inertias(m, placed), composite_gravity(m, placed)
        M, g = self.model.at("mass_matrix", q), self.model.at("gravity_torque", q)
        for m in self._changes(now):
            placed = place(m, q)
            if m.reflected_inertia:
                M = _sum_of_rows(M, joint_inertias(m, placed))
            g = _sum(g, composite_gravity(m, placed))
        return M, g

    def velocity_torque(self, q: Vector, qd: Vector, now: RunTimeRobot, grouping: Grouping) -> Vector:
        """Velocity torque of (1)."""
        if not self.by_quantity:
            return _velocity(now.mechanism(grouping), q, qd)
        tau = self.model.at("velocity_torque", q, qd)
        return _sum(tau, _velocity(now.changed_mechanism(), q, qd)) if now.inertial else tau

    def derivatives(self, q: Vector, qd: Vector, qdd: Vector, now: RunTimeRobot) -> tuple[Matrix, Matrix]:
        """The slopes of the rigid-body torques and the springs."""
        if not self.by_quantity:
            m = now.mechanism()
            found = torque_derivatives(m, place(m, q), qd, qdd)
            by_q, by_qd = found.dtau_dq, found.dtau_dqd
        else:
            by_q, by_qd = self.model.at("inverse_dynamics_derivatives", q, qd, qdd)
            for m in self._changes(now):
                still = not m.reflected_inertia
                speeds = [0.0] * m.n if still else qd
                found = torque_derivatives(m, place(m, q), speeds, [0.0] * m.n if still else qdd)
                by_q, by_qd = _sum_of_rows(by_q, found.dtau_dq), _sum_of_rows(by_qd, found.dtau_dqd)
        stiffness = spring_stiffness(self.robot, q)
        for i, own in enumerate(stiffness):
            by_q[i][i] = by_q[i][i] + own
        return by_q, by_qd

    def _changes(self, now: RunTimeRobot) -> list[Mechanism]:
        """(6): the changed bodies under the current gravity, and the file's own bodies under the change of gravity.

        The second one has no rotors and gives gravity torques only.
        """
        found = [now.changed_mechanism()] if now.inertial or now.geared else []
        if now.tilted:
            found.append(_without_rotors(now.gravity_change()))
        return found

    def _springs(self, q: Vector) -> dict[str, Vector]:
        return {"springs": spring_torque(self.robot, q)} if self.sprung else {}

    # --- the functions ----------------------------------------------------------------------------------------------

    def inertia(self) -> Function:
        """M and gravity by the cheapest algorithm; a closed form only where no parameter changes."""
        n = self.robot.n

        def recursive(q: Vector, **values: Any) -> dict[str, Any]:
            M, g = self.inertia_and_gravity(q, self._now(values))
            return {"M": M, "gravity": g, **self._springs(q)}

        found = [trace("background_inertia", recursive, {"q": (n,), **self.ports})]
        exact = not self.groups and not self.by_quantity and self.model.route is not Route.RECURSIVE
        if exact and len(self.robot.bodies) <= CLOSED["mass_matrix"][1]:

            def closed(q: Vector) -> dict[str, Any]:
                M, g = closed_mass_matrix(self.robot, q), closed_gravity_torque(self.robot, q)
                return {"M": M, "gravity": g, **self._springs(q)}

            found.append(trace("background_inertia", closed, {"q": (n,)}))
        return min(found, key=operation_cost)

    def velocity(self) -> Function:
        """(1), with the grouping that is cheaper."""
        n = self.robot.n

        def program(grouping: Grouping) -> Function:
            return trace(
                "background_velocity",
                lambda q, qd, **values: {"velocity": self.velocity_torque(q, qd, self._now(values), grouping)},
                {"q": (n,), "qd": (n,), **self.ports},
            )

        ways = [Grouping.BALANCED] if self.by_quantity else [Grouping.BALANCED, Grouping.REGROUPED]
        return min((program(way) for way in ways), key=operation_cost)

    def friction_function(self) -> Function:
        """(1); load-dependent friction also takes the rigid-body torques."""
        n = self.robot.n
        rubbing = self._friction_groups()

        def algorithm(qd: Vector, rigid: Vector | None = None, **values: Any) -> dict[str, Any]:
            return {"friction": self._robot(rubbing, values).friction(qd, rigid)}

        loaded = {"rigid": (n,)} if has_load_friction(self.robot) else {}
        changed = {_early(group): self.ports[_early(group)] for group in rubbing}
        return trace("background_friction", algorithm, {"qd": (n,), **loaded, **changed})

    def hold(self) -> Function:
        """(2)."""
        names = ["gravity", *(["springs"] if self.sprung else []), "velocity"]
        names += ["friction"] if self.task is FrictionTask.BACKGROUND else []

        def algorithm(**parts: Any) -> dict[str, Any]:
            first, *others = (parts[name] for name in names)
            for other in others:
                first = _sum(first, other)
            return {"held": first}

        return trace("hold", algorithm, dict.fromkeys(names, (self.robot.n,)))

    def synchronous(self) -> Function:
        """(3), and friction where it is computed in every cycle."""
        n = self.robot.n

        def algorithm(M: Matrix, held: Vector, qdd: Vector, qd: Vector = (), **values: Any) -> dict[str, Any]:
            return {"tau": self._with_friction(_affine(M, qdd, held), qd, values)}

        return trace("synchronous", algorithm, {"M": (n, n), "held": (n,), "qdd": (n,), **self._rubbing_ports()})

    def first_order(self) -> Function:
        """(4)."""
        n = self.robot.n

        def algorithm(q: Vector, qd: Vector, qdd: Vector, **values: Any) -> dict[str, Any]:
            now = self._now(values)
            M, g = self.inertia_and_gravity(q, now)
            held: Vector
            if self.by_quantity:
                held = _sum(g, self.velocity_torque(q, qd, now, Grouping.REGROUPED))
            else:
                held = _bias(now.mechanism(), q, qd)
            by_q, by_qd = self.derivatives(q, qd, qdd, now)
            rigid, held = held, _sum(held, spring_torque(self.robot, q))
            if self.task is FrictionTask.BACKGROUND:
                rubbing = now.friction(qd, _affine(M, qdd, rigid))
                held = _sum(held, rubbing)
                slopes = jacobian_nodes([_node(q, value) for value in rubbing], [*q, *qd])
                by_q = _sum_of_rows(by_q, [row[:n] for row in slopes])
                by_qd = _sum_of_rows(by_qd, [row[n:] for row in slopes])
            return {"M": M, "held": held, "dtau_dq": by_q, "dtau_dqd": by_qd}

        return trace("background_first_order", algorithm, {**dict.fromkeys(("q", "qd", "qdd"), (n,)), **self.ports})

    def synchronous_first_order(self) -> Function:
        """(5)."""
        n = self.robot.n
        matrices, vectors = ("M", "dtau_dq", "dtau_dqd"), ("held", "q0", "qd0", "q", "qd", "qdd")
        shapes: dict[str, tuple[int, ...]] = {**dict.fromkeys(matrices, (n, n)), **dict.fromkeys(vectors, (n,))}
        order = ("M", "held", "dtau_dq", "dtau_dqd", "q0", "qd0", "q", "qd", "qdd")

        def algorithm(**given: Any) -> dict[str, Any]:
            dq = [now - then for now, then in zip(given["q"], given["q0"], strict=True)]
            dqd = [now - then for now, then in zip(given["qd"], given["qd0"], strict=True)]
            tau = _affine(given["dtau_dqd"], dqd, _affine(given["dtau_dq"], dq, given["held"]))
            return {"tau": self._with_friction(_affine(given["M"], given["qdd"], tau), given["qd"], given)}

        ports = {name: shapes[name] for name in order}
        rubbing = {name: shape for name, shape in self._rubbing_ports().items() if name != "qd"}
        return trace("synchronous_first_order", algorithm, {**ports, **rubbing})

    def _now(self, values: dict[str, Any]) -> RunTimeRobot:
        return self._robot(self.groups, values)

    def _robot(self, groups: tuple[ParameterGroup, ...], values: dict[str, Any]) -> RunTimeRobot:
        return run_time_robot(self.robot, groups, {group.port: values[_early(group)] for group in groups})

    def _rubbing_ports(self) -> dict[str, tuple[int, ...]]:
        if self.task is not FrictionTask.SYNCHRONOUS:
            return {}
        return {"qd": (self.robot.n,), **{_early(g): self.ports[_early(g)] for g in self._friction_groups()}}

    def _friction_groups(self) -> tuple[ParameterGroup, ...]:
        return tuple(group for group in self.groups if group.changes_friction)

    def _with_friction(self, rigid: Vector, qd: Vector, values: dict[str, Any]) -> Vector:
        if self.task is not FrictionTask.SYNCHRONOUS:
            return rigid
        return _sum(rigid, self._robot(self._friction_groups(), values).friction(qd, rigid))


def _early(group: ParameterGroup) -> str:
    """Temporary name of the group's input while tracing: one that no quantity has."""
    return f"parameters of {group.port}"


def _renamed(function: Function, names: dict[str, str]) -> Function:
    """The function with other names of its inputs."""
    inputs = tuple(dataclasses.replace(port, name=names.get(port.name, port.name)) for port in function.inputs)
    steps = tuple(dataclasses.replace(step, port=names.get(step.port, step.port)) for step in function.operations)
    return dataclasses.replace(function, inputs=inputs, operations=steps)


def _without_rotors(m: Mechanism) -> Mechanism:
    return dataclasses.replace(m, reflected_inertia=())


def _nominal(groups: tuple[ParameterGroup, ...]) -> Function:
    """The model's own values of everything that can change."""
    return trace(NOMINAL, lambda: {group.port: list(group.values) for group in groups}, {})


def _load_makers(groups: tuple[ParameterGroup, ...]) -> list[Function]:
    """For a load: its ten parameters from data-sheet values (mass, center, inertia)."""
    if not any(group.frame for group in groups):
        return []

    def algorithm(mass: Any, center: Vector, inertia: Matrix) -> dict[str, Any]:
        x, y, z = center
        a, b, c = (tuple(row) for row in inertia)
        made = Inertia.from_center_of_mass(mass, (x, y, z), (a, b, c))
        return {"load": list(made.parameters)}

    return [trace("load_parameters", algorithm, {"mass": (), "center": (3,), "inertia": (3, 3)})]


def _velocity(m: Mechanism, q: Vector, qd: Vector) -> Vector:
    still = [0.0] * m.n
    placed = place(m, q)
    return joint_torques(m, placed, motions(placed, m.coordinates, (0.0, 0.0, 0.0), qd, still), still)


def _bias(m: Mechanism, q: Vector, qd: Vector) -> Vector:
    still = [0.0] * m.n
    placed = place(m, q)
    return joint_torques(m, placed, motions(placed, m.coordinates, m.gravity, qd, still), still)


def _affine(A: Matrix, x: Vector, b: Vector) -> list[Scalar]:
    """A x + b, n products and n sums a row."""
    found = []
    for row, start in zip(A, b, strict=True):
        total = start
        for entry, value in zip(row, x, strict=True):
            total = total + entry * value
        found.append(total)
    return found


def _sum(a: Vector, b: Vector) -> list[Any]:
    return [x + y for x, y in zip(a, b, strict=True)]


def _sum_of_rows(A: Matrix, B: Matrix) -> Matrix:
    return [_sum(a, b) for a, b in zip(A, B, strict=True)]


def _node(q: Vector, value: Any) -> Node:
    node: Node = q[0].graph.make(Op.ADD, value, 0.0)
    return node
