"""`Model`: a robot whose quantities are native callables, each compiled when it is first asked for.

`model.inverse_dynamics` is the compiled callable itself, not a Python function around it: the first access traces the
quantity, compiles it (or finds it in the cache on disk, which skips both) and stores it on the instance, so that every
later access is a plain attribute.
"""

from __future__ import annotations

import dataclasses
import hashlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

from torquec.errors import ArgumentError
from torquec.expr import Function, OperationCount, count_operations
from torquec.expr.replay import replay
from torquec.model.quantities import QUANTITIES, quantity_of
from torquec.model.routes import Route, route_function, routes
from torquec.robot.robot import Robot

if TYPE_CHECKING:
    from torquec.codegen.llvm import NativeFunction
    from torquec.proof.certificate import Certificate

NativeCall = Callable[..., Any]
"""A compiled callable: inputs (n,) or (N, n) in its quantity's order, outputs of the same form; `out=` accepted."""

_COMPILING = threading.RLock()
"""Held while a callable is made, so that two threads which ask for one quantity compile it once."""


class _Compiled:
    """A quantity as an attribute: compiled on first access, a plain instance attribute from then on."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.__doc__ = QUANTITIES[name].summary

    @overload
    def __get__(self, instance: None, owner: type) -> _Compiled: ...
    @overload
    def __get__(self, instance: Model, owner: type) -> NativeCall: ...
    def __get__(self, instance: Model | None, owner: type) -> _Compiled | NativeCall:
        if instance is None:
            return self
        call = instance._native_call(self.name)
        instance.__dict__[self.name] = call  # an instance attribute is found before this descriptor
        return call


class ModelKind(StrEnum):
    """Where the numbers of a model come from, and what stands behind them."""

    EXACT = "exact"
    """The robot's own parameters."""
    BASE_PARAMETERS = "base parameters"
    """Values of the base parameters, whatever bodies they belong to."""
    IDENTIFIED = "identified"
    """Parameters estimated from logs, with their covariance."""
    ABBREVIATED = "abbreviated"
    """Equations without small terms (Clover's rule), no error proven."""
    CERTIFIED_TORQUE = "certified torque"
    """A simplified inverse dynamics whose torque error is proven."""
    CERTIFIED_COEFFICIENTS = "certified coefficients"
    """Simplified coefficients M, c and g whose errors are proven."""

    @property
    def follows_program(self) -> bool:
        """True where every quantity follows from one program of inverse dynamics, not from the robot's bodies."""
        return self not in (ModelKind.EXACT, ModelKind.IDENTIFIED)


@dataclass(frozen=True)
class Model:
    """A robot and its compiled quantities; made by `compile` or `load_model`.

    `functions` holds programs that serve a quantity in place of the traced recursion (those of a saved model);
    `threads` is how many threads a batch may use, `route` how quantities are computed. Each quantity is a native
    callable: arrays (n,) give one result, arrays (N, n) give N of them. `record` is what a simplified model comes with.
    """

    robot: Robot
    functions: Mapping[str, Function] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    threads: int = 1
    route: Route = Route.AUTOMATIC
    record: Certificate | None = None
    kind: ModelKind = ModelKind.EXACT
    _made: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    inverse_dynamics = _Compiled()
    mass_matrix = _Compiled()
    gravity_torque = _Compiled()
    velocity_torque = _Compiled()
    coriolis_matrix = _Compiled()
    forward_dynamics = _Compiled()
    inverse_dynamics_derivatives = _Compiled()
    forward_dynamics_derivatives = _Compiled()
    regressor = _Compiled()
    friction_torque = _Compiled()
    spring_torque = _Compiled()
    total_torque = _Compiled()
    kinetic_energy = _Compiled()
    potential_energy = _Compiled()
    base_regressor = _Compiled()
    base_inverse_dynamics = _Compiled()

    def frame_pose(self, frame: str) -> NativeCall:
        """The callable q -> rotation (3, 3), origin (3,) of the named frame, seen from the base."""
        return self._native_call(f"frame_pose:{frame}")

    def jacobian(self, frame: str) -> NativeCall:
        """The callable q -> J (6, n) of the named frame: velocity of its origin, then angular velocity, base axes."""
        return self._native_call(f"jacobian:{frame}")

    def jacobian_derivative(self, frame: str) -> NativeCall:
        """The callable (q, qd) -> dJ/dt (6, n) of `jacobian`."""
        return self._native_call(f"jacobian_derivative:{frame}")

    def pushed_inverse_dynamics(self, frame: str) -> NativeCall:
        """The callable (q, qd, qdd, wrench (6,)) -> torques (n,) while force and moment act on the named frame.

        The wrench is in the frame's axes, its moment about the frame's origin.
        """
        return self._native_call(f"pushed_inverse_dynamics:{frame}")

    def function(self, quantity: str) -> Function:
        """The straight-line program of a quantity; a frame's quantity is named as in "frame_pose:tool"."""
        key = f"function {quantity}"
        with _COMPILING:
            if key not in self._made:
                self._made[key] = self.functions.get(quantity) or route_function(self.robot, quantity, self.route)
            function: Function = self._made[key]
            return function

    def at(self, quantity: str, *inputs: Any) -> Any:
        """The quantity over any scalar: floats, batches, complex numbers or expression nodes.

        One output comes as it is, nested like its shape; more come as a list in the quantity's order. This is what
        controllers, linear models and plants are traced from; where the model's programs are the robot's own
        algorithms these run directly, so that what several quantities share is computed once.
        """
        row, frame = quantity_of(quantity)
        if not self.kind.follows_program and quantity not in self.functions:
            result = row.algorithm(self.robot, *((frame,) if row.of_frame else ()), *inputs)
            return result if len(row.outputs) == 1 else [getattr(result, name) for name in row.outputs]
        outputs = replay(self.function(quantity), dict(zip(row.inputs, inputs, strict=True)))
        return outputs[row.outputs[0]] if len(row.outputs) == 1 else [outputs[name] for name in row.outputs]

    def operation_count(self, quantity: str) -> OperationCount:
        """Multiplications, additions and so on of one evaluation."""
        return count_operations(self.function(quantity))

    def route_counts(self, quantity: str) -> dict[Route, OperationCount]:
        """Operations of a quantity by each route that it has, the recursion and the closed form."""
        return {
            route: count_operations(function) for route, function in routes(self.robot, quantity, every=True).items()
        }

    def native(self, quantity: str) -> NativeFunction:
        """The compiled quantity with its ports and addresses."""
        from torquec.codegen.llvm import CompileOptions, load_or_compile

        key = f"native {quantity}"
        with _COMPILING:
            if key not in self._made:
                self._made[key] = load_or_compile(
                    self._content_key(quantity),
                    lambda: self.function(quantity),
                    options=CompileOptions(threads=self.threads),
                )
            native: NativeFunction = self._made[key]
            return native

    def address(self, quantity: str) -> int:
        """Address of the scalar kernel, a C function: inputs first, outputs last, all `double *`, row by row."""
        return self.native(quantity).address

    @property
    def content_hash(self) -> str:
        """SHA-256 of all that the quantities depend on; that of the robot where no program stands in for it."""
        if not self.functions:
            return self.robot.content_hash
        given = [f"{name} {function.content_hash}" for name, function in sorted(self.functions.items())]
        return hashlib.sha256("\n".join([self.robot.content_hash, self.kind, *given]).encode()).hexdigest()

    def _native_call(self, quantity: str) -> NativeCall:
        call: NativeCall = self.native(quantity).call
        return call

    def _content_key(self, quantity: str) -> str:
        """What the compiled code depends on, known without tracing."""
        given = self.functions.get(quantity)
        return f"function {given.content_hash}" if given else f"robot {self.robot.content_hash} {quantity} {self.route}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Callables stay behind when a model goes to another process; they are found in the cache there."""
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.init}
        return _restore, ({**fields, "functions": dict(self.functions)},)


def _restore(fields: dict[str, Any]) -> Model:
    return Model(**{**fields, "functions": MappingProxyType(fields["functions"])})


def as_model(source: Robot | Model) -> Model:
    """The model itself, or the exact model of a robot: what every room above takes; raises `ArgumentError` otherwise.

    >>> from torquec.robot import classics
    >>> as_model(classics.planar2r()).kind.value
    'exact'
    """
    if isinstance(source, Model):
        return source
    if isinstance(source, Robot):
        return Model(source)
    raise ArgumentError(
        f"a robot or a model is needed, not {type(source).__name__}",
        remedy="load one first: torquec.load('arm.urdf') or torquec.load_model('arm.tq.json')",
    )


def compile(robot: Robot, *, threads: int = 1, route: Route | str = Route.AUTOMATIC) -> Model:
    """The model of a robot, its quantities compiled to native code as they are first used.

    `threads`: how many threads a batch may use. `route`: the recursion, the closed form, or for each quantity the
    cheaper one. Raises `ArgumentError` when threads is not positive or there is no such route. A robot without
    inertias still has its poses and Jacobians; its dynamics raise `RobotError`.

    >>> from torquec.robot import classics
    >>> arm = compile(classics.planar2r())
    >>> arm.gravity_torque([0.0, 0.0]).shape
    (2,)
    """
    if not isinstance(robot, Robot):
        raise ArgumentError(
            f"compile takes a Robot, not {type(robot).__name__}", remedy="load one first: torquec.load('arm.urdf')"
        )
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise ArgumentError(f"threads must be a positive integer, not {threads!r}")
    try:
        chosen = Route(route)
    except ValueError:
        raise ArgumentError(f"no route '{route}'", remedy=f"the routes are {', '.join(Route)}") from None
    return Model(robot, threads=threads, route=chosen)
