"""Dynamics of any URDF on a floating base against Pinocchio: its C++, and C that CasADi generates from it.

    python -m benchmarks.floating_base ROBOT.urdf ... [--rounds 200] [--generator FILE] [--pinocchio FILE]

All contestants are called from C loops in turns, on one core. Agreement to 1e-10 is checked first. CasADi's C has
inverse and forward dynamics (the derivatives of a humanoid do not compile in reasonable time); its fastest variant,
with or without -ffast-math, counts. Pinocchio's C++ is compiled for this processor. `--generator` and `--pinocchio`
name the program and the library of an earlier run, which take minutes to compile.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import torquec as tq
from benchmarks.native import RING
from benchmarks.peer import FLAGS, address, build, peer_generator, pinocchio_library
from torquec.foundation.arrays import Array

QUANTITIES = {
    "inverse_dynamics": "cs_rnea",
    "forward_dynamics": "cs_aba",
    "inverse_dynamics_derivatives": "",
    "forward_dynamics_derivatives": "",
}
"""Quantity -> symbol in CasADi's C, in the order of `time_robot`."""

CALLS = (300, 100, 50, 20)
"""Calls a round, short enough that a busy machine interrupts few rounds."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--generator", type=Path)
    parser.add_argument("--pinocchio", type=Path)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generator = arguments.generator or peer_generator(folder)
        library = ctypes.CDLL(str(arguments.pinocchio or pinocchio_library(folder)))
        library.new_robot.restype, library.time_robot.restype = ctypes.c_void_p, ctypes.c_double
        harness = build(Path(__file__).with_name("harness.c"), folder / "harness.so", "-O2")
        for timer in (harness.time_kernel, harness.time_casadi):
            timer.restype = ctypes.c_double
        print(f"{'robot':16} {'nv':>3} {'function':30} {'contestant':14} {'min ns':>8} {'median':>8} {'ratio':>6}")
        for robot in arguments.robots:
            _measure(robot, generator, folder, harness, library, arguments.rounds)
        print(f"load average {os.getloadavg()[0]:.1f}")


@dataclass(frozen=True)
class _Contestant:
    """A name, and a round: calls of a function over the ring; gives nanoseconds a call and its last result."""

    name: str
    round: Callable[[int], tuple[float, Array]]


def _measure(
    path: Path, generator: Path, folder: Path, harness: ctypes.CDLL, library: ctypes.CDLL, rounds: int
) -> None:
    source = folder / f"{path.stem}_peer.c"
    subprocess.run([str(generator.resolve()), str(path.resolve()), source.name, "freeflyer"], cwd=folder, check=True)
    peers = [build(source, folder / f"{path.stem}{len(fast)}.so", *FLAGS, *fast) for fast in ((), ("-ffast-math",))]
    robot = tq.load(path, base="floating")
    model = tq.compile(robot)
    package = folder / f"{path.stem}_ours"
    tq.generate(model, package, target="c", quantities=list(QUANTITIES)[:3], prefix="ours")
    exported = build(package / "ours.c", folder / f"{path.stem}_ours.so", *FLAGS)
    names, theirs = _pinocchio_robot(path, library)
    rng = np.random.default_rng(0)
    q = np.array([tq.random_position(robot, seed) for seed in range(RING)])
    v, a = rng.uniform(-2.0, 2.0, (2, RING, robot.nv))
    others = [
        np.ascontiguousarray(
            [tq.conventions.to_pinocchio(robot, q[k], row[k], joints=names)[which] for k in range(RING)]
        )
        for row, which in ((v, 0), (v, 1), (a, 1))
    ]
    for number, (quantity, symbol) in enumerate(QUANTITIES.items()):
        ports = model.function(quantity)
        shape = (len(ports.inputs), len(ports.outputs), max(port.size for port in ports.outputs))
        contestants = [_ours(harness, "native", model.address(quantity), shape, (q, v, a))]
        if number < 3:
            contestants.append(_ours(harness, "exported C", address(exported, f"ours_{quantity}"), shape, (q, v, a)))
        contestants.append(_pinocchio(library, theirs, number, others))
        if symbol:
            for fast, peer in zip(("", " fast"), peers, strict=True):
                contestants.append(_casadi(harness, f"CasADi C{fast}", address(peer, symbol), others))
        if symbol:
            _check(robot, names, q, contestants)
        times: dict[str, list[float]] = {each.name: [] for each in contestants}
        for _ in range(rounds):
            for each in contestants:
                times[each.name].append(each.round(CALLS[number])[0])
        ours = min(times["native"])
        for each, spent in times.items():
            print(
                f"{path.stem[:16]:16} {robot.nv:3} {quantity:30} {each:14} {min(spent):8.0f} "
                f"{statistics.median(spent):8.0f} {min(spent) / ours:6.2f}",
                flush=True,
            )


def _pinocchio_robot(path: Path, library: ctypes.CDLL) -> tuple[list[str], ctypes.c_void_p]:
    """The joints in Pinocchio's order, and the robot in the library, joint by joint."""
    import pinocchio

    model = pinocchio.buildModelFromUrdf(str(path), pinocchio.JointModelFreeFlyer())
    robot = ctypes.c_void_p(library.new_robot())
    for k in range(1, model.njoints):
        joint, body, place = model.joints[k], model.inertias[k], model.jointPlacements[k]
        kind = joint.shortname().removeprefix("JointModel")
        axis = np.zeros(3) if kind == "FreeFlyer" else _axis(joint, kind)
        upper = body.inertia[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
        numbers = (axis, np.append(place.rotation, place.translation), np.r_[body.mass, body.lever, upper])
        arrays = [(ctypes.c_double * len(each))(*each) for each in numbers]
        letter = "F" if kind == "FreeFlyer" else "P" if kind.startswith("P") else kind[1] if kind in _ABOUT else "U"
        library.add_joint(robot, ctypes.c_long(model.parents[k]), ctypes.c_char(letter.encode()), *arrays)
    return ["floating_base", *list(model.names)[2:]], robot


_ABOUT = ("RX", "RY", "RZ")


def _axis(joint: Any, kind: str) -> Array:
    """Of a joint that turns or slides; a continuous one would have two positions."""
    if kind in ("RevoluteUnaligned", "PrismaticUnaligned"):
        return np.array(joint.extract().axis)
    assert kind in (*_ABOUT, "PX", "PY", "PZ"), f"no such joint in pinocchio_calls.cpp: {kind}"
    return np.eye(3)["XYZ".index(kind[1])]


def _ours(
    harness: ctypes.CDLL, name: str, kernel: int, shape: tuple[int, int, int], states: tuple[Array, Array, Array]
) -> _Contestant:
    results = tuple(np.zeros(shape[2]) for _ in range(3))
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*states, *results)]

    def round_of(calls: int) -> tuple[float, Array]:
        tail = (ctypes.c_long(states[0].shape[1]), ctypes.c_long(states[1].shape[1]), ctypes.c_long(RING))
        ports = (ctypes.c_int(shape[0]), ctypes.c_int(shape[1]))
        spent = harness.time_kernel(ctypes.c_void_p(kernel), *ports, *pointers, *tail, ctypes.c_long(calls))
        return spent, results[0]

    return _Contestant(name, round_of)


def _casadi(harness: ctypes.CDLL, name: str, kernel: int, states: list[Array]) -> _Contestant:
    results = tuple(np.zeros(states[1].shape[1]) for _ in range(3))
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*states, *results)]

    def round_of(calls: int) -> tuple[float, Array]:
        tail = (ctypes.c_long(states[0].shape[1]), ctypes.c_long(states[1].shape[1]), ctypes.c_long(RING))
        spent = harness.time_casadi(ctypes.c_void_p(kernel), *pointers, *tail, ctypes.c_long(calls))
        return spent, results[0]

    return _Contestant(name, round_of)


def _pinocchio(library: ctypes.CDLL, robot: ctypes.c_void_p, which: int, states: list[Array]) -> _Contestant:
    result = np.zeros(states[1].shape[1])
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*states, result)]

    def round_of(calls: int) -> tuple[float, Array]:
        tail = (ctypes.c_long(RING), ctypes.c_long(calls))
        return library.time_robot(robot, ctypes.c_int(which), *pointers, *tail), result

    return _Contestant("Pinocchio C++", round_of)


def _check(robot: tq.Robot, names: list[str], q: Array, contestants: list[_Contestant]) -> None:
    """The first state's result of all contestants is the same; one call is one state."""
    ours = contestants[0].round(1)[1][: robot.nv]
    expected = tq.conventions.to_pinocchio(robot, q[0].tolist(), ours.tolist(), joints=names)[1]
    for each in contestants[1:]:
        value = each.round(1)[1][: robot.nv]
        against = ours if each.name == "exported C" else expected
        error = np.abs(value - against).max() / np.abs(against).max()
        assert error < 1e-10, f"{each.name} differs by {error:.1e}"


if __name__ == "__main__":
    main()
