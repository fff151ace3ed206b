"""Inverse kinematics against its peers: all branches of one pose, the nearest one, joint rates; batches.

python -m benchmarks.inverse_kinematics [--rounds 60] [--poses 2000] [--peers DIR] [ROBOT FRAME ...]

All contestants take turns in one run, and the shortest time of each is printed. Native times are those of a C loop
over the kernels (with gcc or clang); the textbook solution of arms with a spherical wrist (`textbook_wrist.c`, compiled
with -O3 -march=native) has the PUMA 560's lengths. EAIK is measured if it can be imported; `--peers` (repeatable) names
a folder in which to look for it, such as the site-packages of another environment. For arms that are solved by
elimination (`python -m benchmarks.inverse_kinematics xarm6.urdf link6`) the output is instead the median and the 90 %
quantile of the processor time over random poses.
"""

from __future__ import annotations

import argparse
import ctypes
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import torquec as tq
from torquec.codegen.llvm import NativeFunction
from torquec.kinematics.closed_kinematics import KinematicsMethod

DEFAULT = ("puma560", "link6", "stanford", "link6", "scara", "tool")
HERE = Path(__file__).parent
_PUBLIC = "ik(R, p) from Python"
"""The documented call, for a redundant arm with a reference that fixes its free joint, as for EAIK. `from Python` alone
is `native.call`, which neither checks poses nor makes a result of them."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--poses", type=int, default=2000)
    parser.add_argument("--peers", action="append", default=[], metavar="DIR", help="packages to compare with")
    parser.add_argument("arms", nargs="*", default=DEFAULT, metavar="ROBOT FRAME")
    arguments = parser.parse_args()
    sys.path += arguments.peers
    with tempfile.TemporaryDirectory() as folder:
        compiled = _compiled(Path(folder))
        print(f"{'robot':10} {'what':44} {'least ns':>9} {'ratio':>7}")
        for robot, frame in zip(arguments.arms[::2], arguments.arms[1::2], strict=True):
            _measure(robot, frame, arguments, compiled)


def _measure(name: str, frame: str, arguments: argparse.Namespace, compiled: ctypes.CDLL | None) -> None:
    robot = tq.classics.load_classic(name) if name in tq.classics.names() else tq.load(name)
    ik = tq.inverse_kinematics(robot, frame)
    poses = arguments.poses
    q = np.random.default_rng(0).uniform(-1.5, 1.5, (poses, robot.n))
    rotation, position = tq.compile(robot).frame_pose(frame)(q)
    if ik.method is KinematicsMethod.ELIMINATION:
        _measure_elimination(ik, rotation, position)
        return
    ones = np.ones((poses, 6))
    runs: dict[str, Callable[[], float]] = {}
    for what, native, inputs in (
        (f"all {len(ik.names)} branches", ik.native, [rotation, position, q]),
        ("nearest branch", ik.nearest_native, [rotation, position, q]),
        ("speeds, accelerations", ik.rates_native, [q, ones, ones]),
        ("nearest with both", ik.motion_native, [rotation, position, q, ones, ones]),
    ):
        if compiled is not None:
            runs[f"{what}, native"] = _kernel(compiled, native.packed_address, inputs, _outputs(native))
        runs[f"{what}, from Python"] = _one_by_one(native.call, inputs)
        runs[f"{what}, batch"] = _timed(lambda call=native.call, rows=inputs: call(*rows), poses)
    if ik.closed.free is None:
        runs[_PUBLIC] = _one_by_one(ik, [rotation, position])
    else:
        runs[_PUBLIC] = _one_by_one(lambda R, p, near: ik(R, p, near=near), [rotation, position, q])
    if compiled is not None and name == "puma560":
        textbook = ctypes.cast(compiled.textbook_wrist, ctypes.c_void_p).value
        runs["textbook, all branches, native"] = _kernel(compiled, textbook, [rotation, position], [np.zeros((8, 6))])
    runs |= _eaik(ik, rotation, position, q)
    least = dict.fromkeys(runs, np.inf)
    for _ in range(arguments.rounds):
        for what, run in runs.items():
            least[what] = min(least[what], run())
    for what, ns in least.items():
        # Ours of the same kind: documented calls from Python against each other, native against native.
        ours = f"all {len(ik.names)} branches, native" if what.endswith("native") else _PUBLIC
        ratio = ns / least.get(ours, np.nan)
        peer = what.startswith(("textbook", "EAIK"))
        print(f"{robot.name:10} {what:44} {ns:9.0f} {f'{ratio:7.1f}' if peer else ''}")


def _measure_elimination(ik: tq.InverseKinematics, rotation: np.ndarray, position: np.ndarray) -> None:
    """All solutions: the native call alone, and `ik.all`, pose by pose in turns."""
    native, near = ik._quick_all, np.zeros(ik.robot.n)  # type: ignore[attr-defined]
    ik.all(rotation[0], position[0])
    took: dict[str, list[float]] = {"all solutions, native": [], "ik.all(R, p) from Python": []}
    found = 0
    for turn, place in zip(rotation, position, strict=True):
        start = time.process_time_ns()
        native(turn, place, near)
        middle = time.process_time_ns()
        found += len(ik.all(turn, place).q)
        for times, ns in zip(took.values(), (middle - start, time.process_time_ns() - middle), strict=True):
            times.append(ns)
    for what, times in took.items():
        median, most = np.quantile(times, (0.5, 0.9))
        print(
            f"{ik.robot.name:10} {what:44} {median:9.0f} median, {most:.0f} of 90 %, {found / len(times):.1f} solutions"
        )


def _compiled(folder: Path) -> ctypes.CDLL | None:
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    library = folder / "time_calls.so"
    sources = [HERE / "time_calls.c", HERE / "textbook_wrist.c"]
    command = [compiler, "-O3", "-march=native", "-shared", "-fPIC", *sources, "-lm", "-o", library]
    subprocess.run(command, check=True)
    found = ctypes.CDLL(str(library))
    found.time_calls.restype = ctypes.c_double
    return found


def _outputs(native: NativeFunction) -> list[np.ndarray]:
    return [np.zeros(port.shape) for port in native.outputs]


def _kernel(
    compiled: ctypes.CDLL, address: int | None, inputs: list[np.ndarray], outputs: list[np.ndarray]
) -> Callable[[], float]:
    rows = [np.ascontiguousarray(a.reshape(len(a), -1)) for a in inputs]
    starts = (ctypes.c_void_p * len(rows))(*(a.ctypes.data for a in rows))
    strides = (ctypes.c_long * len(rows))(*(a.shape[1] for a in rows))
    out = (ctypes.c_void_p * len(outputs))(*(a.ctypes.data for a in outputs))
    kept = (rows, outputs)

    def run() -> float:
        assert kept
        return float(
            compiled.time_calls(ctypes.c_void_p(address), ctypes.c_long(len(rows[0])), len(rows), starts, strides, out)
        )

    return run


def _timed(work: Callable[[], Any], count: int) -> Callable[[], float]:
    def run() -> float:
        start = time.perf_counter()
        work()
        return (time.perf_counter() - start) / count * 1e9

    return run


def _one_by_one(call: Callable[..., Any], inputs: list[np.ndarray]) -> Callable[[], float]:
    rows = list(zip(*inputs, strict=True))

    def work() -> None:
        for row in rows:
            call(*row)

    return _timed(work, len(rows))


def _eaik(ik: tq.InverseKinematics, rotation: np.ndarray, position: np.ndarray, q: np.ndarray) -> dict[str, Any]:
    """EAIK's call for one pose, and its batch in one thread; a free joint is fixed at one value for all poses."""
    try:
        from eaik.IK_HP import HPRobot
    except ImportError:
        return {}
    if any(joint.slides for joint in ik.arm.joints):
        return {}
    points = np.array([joint.point for joint in ik.arm.joints])
    axes = np.array([joint.axis for joint in ik.arm.joints])
    places = np.vstack([np.zeros(3), points, np.array(ik.arm.tool.origin)])
    turn = np.array(ik.arm.tool.rotation)
    fixed = [] if ik.closed.free is None else [(ik.closed.free, float(q[0, ik.arm.joints[ik.closed.free].index]))]
    robot = HPRobot(axes, np.diff(places, axis=0), fixed)
    poses = np.tile(np.eye(4), (len(rotation), 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = rotation @ turn.T, position
    found = robot.IK(poses[0])
    print(f"           EAIK: {robot.getKinematicFamily()}, {len(found.Q)} solutions of the first pose")
    listed = list(poses)

    def one_by_one() -> None:
        for pose in listed:
            robot.IK(pose)

    return {
        "EAIK, all branches, from Python": _timed(one_by_one, len(poses)),
        "EAIK, all branches, batch in one thread": _timed(lambda: robot.IK_batched(listed, 1), len(poses)),
    }


if __name__ == "__main__":
    main()
