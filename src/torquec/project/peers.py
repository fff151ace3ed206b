"""Reference libraries for comparison: Pinocchio, MuJoCo, CasADi and the Robotics Toolbox, where installed.

Each peer loads the same robot, written as a plain URDF: rigid bodies only, no motors, friction or springs, since not
every peer has them. A peer offers calls by quantity, with the arguments and results of Torquec's. If a peer cannot load
the robot, the reason is recorded.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import importlib.util
import math
import platform
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from torquec.foundation.arrays import Array, Indices
from torquec.robot.configuration import integrate, neutral
from torquec.robot.conventions import (
    acceleration_from_mujoco,
    acceleration_to_mujoco,
    from_mujoco,
    to_mujoco,
    to_pinocchio,
)
from torquec.robot.friction import Friction
from torquec.robot.joints import JointType
from torquec.robot.robot import Body, Drives, Limits, Robot
from torquec.robot.state_coordinate import start_posture

if TYPE_CHECKING:
    from torquec.model.model import Model

Call = Callable[..., Any]

_NO_LIMIT = Limits(-1e3, 1e3, 1e3, 1e6)


@dataclass(frozen=True)
class Peer:
    """A contestant: its calls by quantity. `order[k]` is Torquec's index of the peer's rate k.

    If the peer has other coordinates, as for floating bases, `converted` gives its inputs of a quantity from Torquec's,
    and `restored` gives Torquec's result from the peer's.
    """

    name: str
    version: str
    calls: Mapping[str, Call]
    order: Indices
    converted: Callable[[str, Sequence[Array]], list[Array]] | None = None
    restored: Callable[[str, Sequence[Array], Array], Array] | None = None

    def inputs(self, function: str, state: Sequence[Array]) -> list[Array]:
        """The peer's inputs of a quantity from Torquec's."""
        return [vector[self.order] for vector in state] if self.converted is None else self.converted(function, state)

    def results(self, function: str, state: Sequence[Array]) -> tuple[Any, ...]:
        """Result of the peer for Torquec's inputs, converted to Torquec's joint order and conventions."""
        found = _matrices(self.calls[function](*self.inputs(function, state)))
        return found if self.restored is None else tuple(self.restored(function, state, each) for each in found)


@dataclass(frozen=True)
class Absent:
    """A peer that takes no part, and why."""

    name: str
    reason: str


def comparable(robot: Robot) -> Robot:
    """The robot as every peer can load it: rigid bodies on joints with limits."""

    def plain(body: Body) -> Body:
        joint = body.joint
        kind = JointType(joint.kind.limited.name)
        limits = joint.limits if math.isfinite(joint.limits.upper - joint.limits.lower) else _NO_LIMIT
        return dataclasses.replace(
            body, joint=dataclasses.replace(joint, type=kind, limits=limits, friction=Friction(), spring=None)
        )

    return dataclasses.replace(robot, bodies=tuple(map(plain, robot.bodies)), drives=Drives())


def find_peers(robot: Robot, names: Collection[str] | None = None) -> list[Peer | Absent]:
    """Every installed peer (or those named) that can load the (comparable) robot; the others with their reasons."""
    from torquec.robot import write_urdf

    found: list[Peer | Absent] = []
    if robot.dependent:
        return [Absent(name, "gets the robot as a URDF, which has no loops") for name, *_ in _PEERS]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        write_urdf(robot, path)
        for name, module, build in (row for row in _PEERS if names is None or row[0] in names):
            if not _installed(module):
                found.append(Absent(name, "not installed"))
                continue
            try:
                found.append(build(robot, path))
            except (ImportError, AttributeError, ValueError, RuntimeError, TypeError, KeyError) as error:
                # A peer may refuse a robot, or have changed its interface; the others still run.
                found.append(Absent(name, str(error).splitlines()[0] if str(error) else type(error).__name__))
    return found


def peer_states(robot: Robot, numbers: Array) -> list[tuple[Array, ...]]:
    """States from numbers (N, 3, n): positions (nq,), displaced from neutral by the first n numbers, then both rates.

    Positions of closed loops stay within a tenth of the numbers, so that the loops close.
    """
    if robot.dependent:
        return [(start_posture(robot) + 0.1 * q, *rates) for q, *rates in numbers]
    if robot.nq == robot.n:
        return [tuple(state) for state in numbers]
    start = neutral(robot)
    return [(np.array(integrate(robot, start, list(q)), dtype=np.float64), *rates) for q, *rates in numbers]


def peer_difference(arm: Model, peer: Peer, function: str, states: Any) -> float:
    """The largest difference between the peer's results and ours, relative to our largest element."""
    worst = 0.0
    for state in states:
        ours = _matrices(getattr(arm, function)(*state))
        theirs = peer.results(function, state)
        for mine, other in zip(ours, theirs, strict=False):  # a peer may give more (Pinocchio: dtau/dqdd)
            aligned = np.empty_like(mine)
            aligned[np.ix_(*[peer.order] * mine.ndim)] = np.asarray(other, dtype=float).reshape(mine.shape)
            worst = max(worst, float(np.max(np.abs(aligned - mine)) / max(np.max(np.abs(mine)), 1e-300)))
    return worst


def _matrices(result: Any) -> tuple[Any, ...]:
    return tuple(result) if isinstance(result, tuple) else (result,)


def processor_name() -> str:
    """The name of this machine's processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _pinocchio(robot: Robot, path: Path) -> Peer:
    import pinocchio

    coupled = _has_mimic(robot)
    model = pinocchio.buildModelFromUrdf(str(path), **({"mimic": True} if coupled else {}))
    model.gravity.linear = np.array(robot.gravity)
    data = model.createData()
    calls = {
        "inverse_dynamics": partial(pinocchio.rnea, model, data),
        "mass_matrix": partial(pinocchio.crba, model, data),
        "gravity_torque": partial(pinocchio.computeGeneralizedGravity, model, data),
    }
    if not coupled:  # its other algorithms know no mimic joints
        calls["forward_dynamics"] = partial(pinocchio.aba, model, data)
        calls["inverse_dynamics_derivatives"] = partial(pinocchio.computeRNEADerivatives, model, data)
    names = [name for name in model.names if name in robot.joint_names]
    order = _order(robot, names)
    if robot.nq == robot.n:
        return Peer("pinocchio", pinocchio.__version__, calls, order)

    def converted(_: str, state: Sequence[Array]) -> list[Array]:
        still = [0.0] * robot.n
        rates = [to_pinocchio(robot, state[0].tolist(), rate, joints=names) for rate in _lists(state[1:], still)]
        return [rates[0][0], *(rate for _, rate in rates[:-1])]

    return Peer("pinocchio", pinocchio.__version__, calls, order, converted)


def _mujoco(robot: Robot, path: Path) -> Peer:
    import mujoco

    _refuse_mimic(robot)
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.gravity[:] = robot.gravity
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(model)

    def inverse_dynamics(q: Array, qd: Array, qdd: Array) -> Array:
        data.qpos[:] = q
        data.qvel[:] = qd
        data.qacc[:] = qdd
        mujoco.mj_inverse(model, data)
        return data.qfrc_inverse  # type: ignore[no-any-return]

    def forward_dynamics(q: Array, qd: Array, tau: Array) -> Array:
        data.qpos[:] = q
        data.qvel[:] = qd
        data.qfrc_applied[:] = tau
        mujoco.mj_forward(model, data)
        return data.qacc  # type: ignore[no-any-return]

    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, k) for k in range(model.njnt)]
    calls = {"inverse_dynamics": inverse_dynamics, "forward_dynamics": forward_dynamics}
    order = _order(robot, names)
    if robot.nq == robot.n:
        return Peer("mujoco", mujoco.__version__, calls, order)
    if list(robot.joint_names) != names:
        raise ValueError("its joints are in another order, and so are its quaternions")

    def converted(function: str, state: Sequence[Array]) -> list[Array]:
        q, qd, third = _lists(state)
        accelerates = function == "inverse_dynamics"
        given = acceleration_to_mujoco(robot, q, qd, third) if accelerates else to_mujoco(robot, q, third)[1]
        return [*to_mujoco(robot, q, qd), given]

    def restored(function: str, state: Sequence[Array], found: Array) -> Array:
        q, qd, given = _lists((*state[:2], found))
        if function == "forward_dynamics":
            return acceleration_from_mujoco(robot, q, qd, given)
        return from_mujoco(robot, q, given)[1]

    return Peer("mujoco", mujoco.__version__, calls, order, converted, restored)


def _lists(arrays: Sequence[Array], *more: list[float]) -> list[list[float]]:
    return [*(array.tolist() for array in arrays), *more]


def _casadi(robot: Robot, _path: Path) -> Peer:
    """Torquec's own programs in CasADi's virtual machine: CasADi has no dynamics of its own."""
    from torquec.codegen.live import Live, live_function
    from torquec.model.quantities import trace_quantity

    exact = dataclasses.replace(robot, snap=False)
    names = ("inverse_dynamics", "mass_matrix", "gravity_torque", "forward_dynamics")
    calls = {name: _Buffered(live_function(trace_quantity(exact, name), Live.CASADI)) for name in names}
    same = None if robot.nq == robot.n else lambda _, state: list(state)
    return Peer("casadi", importlib.metadata.version("casadi"), calls, np.arange(robot.n), same)


class _Buffered:
    """A CasADi function of one output called through its buffers, the fastest way from Python.

    CasADi does not keep the buffers' memory alive; this object does.
    """

    def __init__(self, function: Any) -> None:
        import casadi

        symbols = function.sx_in()
        dense = [casadi.densify(result) for result in function.call(symbols)]
        self._function = casadi.Function(function.name(), symbols, dense)
        self._inputs = [np.zeros(self._function.numel_in(k)) for k in range(self._function.n_in())]
        self._flat = np.zeros(self._function.numel_out(0))
        self._output = self._flat.reshape(self._function.size_out(0), order="F")
        self._buffer: Any
        self._buffer, self._evaluate = self._function.buffer()
        for k, array in enumerate(self._inputs):
            self._buffer.set_arg(k, array.data)
        self._buffer.set_res(0, self._flat.data)

    def __call__(self, *arguments: Array) -> Array:
        for array, argument in zip(self._inputs, arguments, strict=True):
            array[:] = argument
        self._evaluate()
        return self._output


def _roboticstoolbox(robot: Robot, path: Path) -> Peer:
    import roboticstoolbox

    _refuse_mimic(robot)
    if robot.nq != robot.n:
        raise ValueError("it has no floating bases and no ball joints")
    model = roboticstoolbox.Robot.URDF(str(path))
    gravity = np.array(robot.gravity)
    names = [link.name for link in model.links if link.isjoint]
    children = {body.name: body.joint.name for body in robot.bodies}
    calls = {
        "inverse_dynamics": partial(model.rne, gravity=gravity),
        "mass_matrix": model.inertia,
        "gravity_torque": partial(model.gravload, gravity=gravity),
        "forward_dynamics": partial(model.accel, gravity=gravity),
    }
    return Peer(
        "roboticstoolbox",
        importlib.metadata.version("roboticstoolbox-python"),
        calls,
        _order(robot, [children[name] for name in names]),
    )


def _has_mimic(robot: Robot) -> bool:
    return any(body.joint.mimic is not None for body in robot.bodies)


def _refuse_mimic(robot: Robot) -> None:
    if _has_mimic(robot):
        raise ValueError("it has no exact mimic joints")


def _order(robot: Robot, names: list[str]) -> Indices:
    if sorted(names) != sorted(robot.joint_names):
        raise ValueError(f"it has the joints {', '.join(names)}")
    sizes = {joint.name: joint.kind.nv for joint in robot.joints}
    return np.array([robot.joint_index(name) + k for name in names for k in range(sizes[name])])


_PEERS: tuple[tuple[str, str, Callable[[Robot, Path], Peer]], ...] = (
    ("pinocchio", "pinocchio", _pinocchio),
    ("mujoco", "mujoco", _mujoco),
    ("casadi", "casadi", _casadi),
    ("roboticstoolbox", "roboticstoolbox", _roboticstoolbox),
)
