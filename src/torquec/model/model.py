"""`Model`: a robot whose quantities are native callables, each compiled on first access.

`model.inverse_dynamics` is the compiled callable itself, not a Python function around it: the first access traces the
quantity, compiles it (or finds it in the cache on disk, which skips both) and stores it on the instance, so that every
later access is a plain attribute.

A model has one source: its quantities come from the robot's parameters, or all of them from one program of inverse
dynamics (:mod:`torquec.model.followed_program`). A simplified model has no exact quantities; `model.exact` has them.
"""

from __future__ import annotations

import dataclasses
import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

from torquec.codegen.precision import Precision
from torquec.errors import ArgumentError
from torquec.expr import Function, OperationCount, count_operations
from torquec.expr.replay import replay
from torquec.foundation.notebook_display import NotebookDisplay
from torquec.model.followed_program import FollowedProgram, box_of
from torquec.model.model_parameters import ModelKind, ModelParameters
from torquec.model.quantities import QUANTITIES, default_quantities, quantity_of, served_quantities
from torquec.model.routes import Route, route_function
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import check_single_coordinates

if TYPE_CHECKING:
    from torquec.codegen.llvm import NativeFunction
    from torquec.model.proven import Proven
    from torquec.proof.inertia.nonsingular_mass_matrix import MassMatrixRegularity
    from torquec.proof.torque.certificate import Certificate
    from torquec.trajectory.motion_box import MotionBox

__all__ = ["Model", "ModelKind", "NativeCall", "as_model", "compile"]

NativeCall = Callable[..., Any]
"""A compiled callable: inputs (n,) or (N, n) in its quantity's order, outputs of the same form; `out=` accepted."""

_COMPILING = threading.RLock()
"""Lock held during compilation, so that two threads that request one quantity compile it once."""


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


if TYPE_CHECKING:
    from torquec.model.typed_quantities import (
        FramePose,
        InfluenceCoefficients,
        Jacobian,
        JacobianDerivative,
        PushedInverseDynamics,
        TypedQuantities,
    )
else:
    TypedQuantities = type(
        "TypedQuantities", (), {name: _Compiled() for name, row in QUANTITIES.items() if not row.of_frame}
    )


@dataclass(frozen=True, repr=False)
class Model(NotebookDisplay, TypedQuantities):
    """A robot and its compiled quantities; made by `compile`, `load_model`, `simplify` and the makers of other kinds.

    `functions` holds programs, by quantity, that replace traced ones; a kind that follows a program has its inverse
    dynamics there. `threads` is how many threads a batch may use, `route` how the robot's own quantities are computed.
    Each quantity is a native callable: arrays (n,) give one result, arrays (N, n) give N of them. `precision` applies
    to calls whose arrays are all float32; all others are computed in double precision.

    `record` is the certificate of a certified model; `parameters` are those of an identified model, or of one in base
    parameters. `coefficients` is the second model of a control requirement, made of coefficients instead of torques.
    `assumed_regular`: see `assuming_regular_mass_matrix`. `kept` are the quantities that the model's file holds, if it
    comes from one.
    """

    robot: Robot
    functions: Mapping[str, Function] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    threads: int = 1
    route: Route = Route.AUTOMATIC
    record: Certificate | None = None
    kind: ModelKind = ModelKind.EXACT
    parameters: ModelParameters | None = None
    coefficients: Model | None = None
    assumed_regular: bool = False
    kept: tuple[str, ...] | None = None
    precision: Precision = Precision.DOUBLE
    _made: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    _natives: dict[str, NativeFunction] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.kind.follows_program and "inverse_dynamics" not in self.functions:
            raise ArgumentError(
                f"a model of the kind '{self.kind}' needs its program of inverse dynamics",
                remedy="give it in functions, or make the model with the function for its kind",
            )

    def __repr__(self) -> str:
        return f"Model({self.robot!r}, {self.kind})"

    def frame_pose(self, frame: str) -> FramePose:
        """The callable q -> rotation (3, 3), origin (3,) of the named frame, seen from the base."""
        return self._native_call(f"frame_pose:{frame}")

    def jacobian(self, frame: str) -> Jacobian:
        """The callable q -> J (6, n) of the named frame: velocity of its origin, then angular velocity, base axes."""
        return self._native_call(f"jacobian:{frame}")

    def jacobian_derivative(self, frame: str) -> JacobianDerivative:
        """The callable (q, qd) -> dJ/dt (6, n) of `jacobian`."""
        return self._native_call(f"jacobian_derivative:{frame}")

    def pushed_inverse_dynamics(self, frame: str) -> PushedInverseDynamics:
        """The callable (q, qd, qdd, wrench (6,)) -> torques (n,) while force and moment act on the named frame.

        The wrench is in the frame's axes, its moment about the frame's origin.
        """
        return self._native_call(f"pushed_inverse_dynamics:{frame}")

    def influence_coefficients(self, frame: str) -> InfluenceCoefficients:
        """The callable q -> first- and second-order influence coefficients of the frame's origin and of its link.

        Four arrays in base axes: of the point G (3, n) and H (n, n, 3), of the link the same.
        """
        return self._native_call(f"influence_coefficients:{frame}")

    @property
    def exact(self) -> Model:
        """The exact model of the same robot."""
        if "exact" not in self._made:
            self._made["exact"] = Model(self.robot, threads=self.threads, route=self.route, precision=self.precision)
        exact: Model = self._made["exact"]
        return exact

    def function(self, quantity: str) -> Function:
        """The straight-line program of a quantity; a frame's quantity is named as in "frame_pose:tool".

        Raises `RefusedQuantityError` where this kind of model does not have the quantity.
        """
        key = f"function {quantity}"
        with _COMPILING:
            if key not in self._made:
                self._made[key] = self.functions.get(quantity) or self._traced(quantity)
            function: Function = self._made[key]
            return function

    def at(self, quantity: str, *inputs: Any) -> Any:
        """The quantity over any scalar: floats, batches, complex numbers or expression nodes.

        A single output is returned nested like its shape; several are returned as a list in the quantity's order.
        Controllers, linear models and plants are traced from it. Where the model's programs are the robot's own
        algorithms, these run directly, so that intermediate results of several quantities are computed once.
        """
        row, frame = quantity_of(quantity)
        own = self.kind.follows_program and self._followed.makes(quantity)
        if quantity not in self.functions and not own:
            result = row.algorithm(self.robot, *((frame,) if row.of_frame else ()), *inputs)
            return result if len(row.outputs) == 1 else [getattr(result, name) for name in row.outputs]
        outputs = replay(self.function(quantity), dict(zip(row.inputs, inputs, strict=True)))
        return outputs[row.outputs[0]] if len(row.outputs) == 1 else [outputs[name] for name in row.outputs]

    def refusal(self, quantity: str) -> str:
        """Why this model does not have a quantity; empty where it has it. Raises `ArgumentError` for an unknown one."""
        quantity_of(quantity)
        if not self.kind.follows_program or quantity in self.functions:
            return ""
        return self._followed.refusal(quantity)

    def served(self) -> tuple[str, ...]:
        """The quantities that a file or a package of this model contains by default."""
        if self.kept is not None:
            return self.kept
        return tuple(name for name in served_quantities(self.robot) if not self.refusal(name))

    def refused(self) -> dict[str, str]:
        """Standard dynamics quantities that this model does not have, each with the reason."""
        reasons = {name: self.refusal(name) for name in default_quantities()}
        return {name: reason for name, reason in reasons.items() if reason}

    def proven(self, quantity: str) -> Proven:
        """Proven error bounds of a quantity against the robot's own; raises as `function` where the model has none."""
        from torquec.model.proven import Proven, Standing, proven_of_program

        quantity_of(quantity)
        if self.kind is ModelKind.EXACT:
            return Proven(Standing.EXACT, "computed from the robot's own parameters")
        if self.kind is ModelKind.IDENTIFIED:
            text = "computed from the identified parameters, whose uncertainty is statistics: model.parameters"
            return Proven(Standing.EXACT, text)
        if quantity not in self.functions and self._followed.makes(quantity):
            self._followed.check_had(quantity)
        return proven_of_program(quantity, self.record, self.robot)

    @property
    def symmetric_mass_matrix(self) -> bool:
        """Whether both triangles of M are identical expressions; in a simplified program they may differ."""
        return not self.kind.follows_program or self._followed.program.symmetric

    @property
    def regularity(self) -> MassMatrixRegularity:
        """Whether M is nonsingular at every position of the model's box; computed on first access."""
        from torquec.proof.inertia.nonsingular_mass_matrix import MassMatrixRegularity

        if not self.kind.follows_program:
            self.robot.check_forward_dynamics()
            return MassMatrixRegularity(True, 0)
        with _COMPILING:
            return self._followed.regularity

    @property
    def box(self) -> MotionBox:
        """The motion box of the model: its certificate's, else the positions that the joints' limits allow.

        Raises `RobotError` for a prismatic joint without limits.
        """
        return box_of(self.robot, self.record)

    def assuming_regular_mass_matrix(self) -> Model:
        """This model with forward dynamics even where M may be singular; there its results are meaningless."""
        return dataclasses.replace(self, assumed_regular=True)

    def operation_count(self, quantity: str) -> OperationCount:
        """Multiplications, additions and so on of one evaluation."""
        return count_operations(self.function(quantity))

    def native(self, quantity: str) -> NativeFunction:
        """The compiled quantity with its ports and addresses."""
        from torquec.codegen.llvm import CompileOptions, load_or_compile

        with _COMPILING:
            if quantity not in self._natives:
                source = self._without_native_code()
                self._natives[quantity] = load_or_compile(
                    self._content_key(quantity),
                    lambda: source.function(quantity),
                    options=CompileOptions(threads=self.threads, precision=self.precision),
                )
            return self._natives[quantity]

    def _without_native_code(self) -> Model:
        """This model with the same traced programs and no native code.

        Native code keeps a reference to its tracer, which it needs again at the first batch. With this model as tracer
        the two would be a reference cycle that the garbage collector cannot see through a built-in function.
        """
        source = dataclasses.replace(self)
        object.__setattr__(source, "_made", self._made)
        return source

    def address(self, quantity: str) -> int:
        """Address of the scalar kernel, a C function: inputs first, outputs last, all `double *`, row by row.

        The code stays in memory until the process ends, even after the model is deleted.
        """
        return self.native(quantity).address

    @property
    def content_hash(self) -> str:
        """SHA-256 of all inputs of the quantities; that of the robot where no program replaces its algorithms."""
        if not self.functions:
            return self.robot.content_hash
        if self.record is not None:  # same hash in memory and from a file, which has further programs
            text = f"{self.robot.content_hash}\n{self.kind}\n{self.record.content_hash}"
            return hashlib.sha256(text.encode()).hexdigest()
        given = [f"{name} {function.content_hash}" for name, function in sorted(self.functions.items())]
        return hashlib.sha256("\n".join([self.robot.content_hash, self.kind, *given]).encode()).hexdigest()

    def _native_call(self, quantity: str) -> NativeCall:
        call: NativeCall = self.native(quantity).call
        return call

    @property
    def _followed(self) -> FollowedProgram:
        """The quantities derived from the program of a simplified model."""
        if "followed" not in self._made:
            self._made["followed"] = FollowedProgram(
                self.robot, self.kind, self.functions, self.record, self.parameters, self.assumed_regular
            )
        followed: FollowedProgram = self._made["followed"]
        return followed

    def _traced(self, quantity: str) -> Function:
        if self.kind.follows_program and self._followed.makes(quantity):
            return self._followed.function(quantity)
        return route_function(self.robot, quantity, self.route)

    def _content_key(self, quantity: str) -> str:
        """Cache key of the compiled code of a quantity, computed without tracing."""
        given = self.functions.get(quantity)
        if given:
            return f"function {given.content_hash}"
        key = f"robot {self.robot.content_hash} {quantity} {self.route}"
        if not self.kind.follows_program or not self._followed.makes(quantity):
            return key
        return f"{self._followed.content_key(quantity)} {key}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without compiled callables; the other process loads them from the cache."""
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.init}
        return _restore, ({**fields, "functions": dict(self.functions)},)


def _restore(fields: dict[str, Any]) -> Model:
    return Model(**{**fields, "functions": MappingProxyType(fields["functions"])})


def as_model(source: Robot | Model, *, any_joint: bool = False) -> Model:
    """The model itself, or the exact model of a robot; raises `ArgumentError` for anything else.

    Raises `RobotError` for a robot with free, ball or planar joints, unless the caller takes `any_joint`.

    >>> from torquec.robot import classics
    >>> as_model(classics.planar2r()).kind.value
    'exact'
    """
    if isinstance(source, Model | Robot):
        model = source if isinstance(source, Model) else Model(source)
        if not any_joint:
            check_single_coordinates(model.robot)
        return model
    raise ArgumentError(
        f"a robot or a model is needed, not {type(source).__name__}",
        remedy="load one first: torquec.load('arm.urdf') or torquec.load_model('arm.tq.json')",
    )


def compile(
    robot: Robot,
    *,
    threads: int = 1,
    route: Route | str = Route.AUTOMATIC,
    precision: Precision | str = Precision.DOUBLE,
    now: Sequence[str] = (),
) -> Model:
    """The model of a robot, its quantities compiled to native code as they are first used.

    `now`: quantities that are compiled at once, such as "mass_matrix" or "frame_pose:tool", so that their first call in
    a loop takes no longer than the others; a batch of states is another kernel, compiled at the first batch.
    `threads`: how many threads a batch may use. `route`: the recursion, the closed form, or for each quantity the
    cheaper one. `precision`: with "single", a call whose inputs are all float32 arrays is computed in single precision
    and gives float32, in about half the time for a batch; any other call is computed in double precision, as all are
    with "double". Raises `ArgumentError` when threads is not positive or there is no such route, precision or quantity.
    A robot without inertias still has its poses and Jacobians; its dynamics raise `RobotError`.

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
    try:
        numbers = Precision(precision)
    except ValueError:
        known = ", ".join(Precision)
        raise ArgumentError(f"no precision '{precision}'", remedy=f"the precisions are {known}") from None
    model = Model(robot, threads=threads, route=chosen, precision=numbers)
    if isinstance(now, str):
        raise ArgumentError(f"now is a string, '{now}'", remedy=f"give a list of quantities: now=['{now}']")
    for quantity in now:
        quantity_of(quantity)  # all names, before the first is compiled
    for quantity in now:
        model.native(quantity)
    return model
