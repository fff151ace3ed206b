"""Regressor and streaming QR for a million rows of a 7-joint arm, beside Pinocchio in a Python loop and one lstsq.

    python -m benchmarks.identification [ROBOT.urdf] [--rows 1000000]

A row is one torque of one joint. The peer is timed on a part of the rows and scaled up, which flatters it: its dense
matrix would not stay in the cache.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import torquec as tq
from torquec.identification.extras import one_thread
from torquec.identification.joint_factors import JointFactors, joint_factors
from torquec.identification.torque_columns import friction_block
from torquec.identification.torque_model import TorqueModel, torque_model
from torquec.robot.robot import Robot

CHUNK = 1024
PEER_SAMPLES = 20_000


def states(n: int, samples: int) -> Iterator[tuple[np.ndarray, ...]]:
    """Chunks of q, qd, qdd, tau."""
    rng = np.random.default_rng(0)
    for start in range(0, samples, CHUNK):
        yield tuple(rng.uniform(-1.0, 1.0, (min(CHUNK, samples - start), n)) for _ in range(4))


def factored(model: TorqueModel, chunk: tuple[np.ndarray, ...]) -> JointFactors:
    """The triangles of one chunk."""
    q, qd, qdd, tau = chunk
    a = np.concatenate([model.rigid(q, qd, qdd), friction_block(model.shafts, model.friction, qd)], axis=2)
    return joint_factors(a, tau)


def ours(model: TorqueModel, chunks: list[tuple[np.ndarray, ...]], threads: int) -> float:
    """Seconds for all chunks."""
    start = time.perf_counter()
    with one_thread(), ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(lambda chunk: factored(model, chunk), chunks))
        parts[0].merged(*parts[1:])
    return time.perf_counter() - start


def peer(robot: Robot, path: str, samples: int) -> float | None:
    """Seconds of `pin.computeJointTorqueRegressor` in a loop and one lstsq, scaled to all samples."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    model = pin.buildModelFromUrdf(path)
    data = model.createData()
    rng = np.random.default_rng(0)
    q, v, a = (rng.uniform(-1.0, 1.0, (PEER_SAMPLES, model.nv)) for _ in range(3))
    tau = rng.normal(size=PEER_SAMPLES * model.nv)
    start = time.perf_counter()
    rows = np.vstack([pin.computeJointTorqueRegressor(model, data, q[i], v[i], a[i]) for i in range(PEER_SAMPLES)])
    np.linalg.lstsq(rows, tau, rcond=None)
    return (time.perf_counter() - start) * samples / PEER_SAMPLES * robot.n / model.nv


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot", nargs="?", help="a URDF file; a classic 6-joint arm without")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    robot = tq.classics.puma560() if options.robot is None else tq.load(options.robot)
    model = torque_model(robot, rotors=False)
    samples = options.rows // robot.n
    chunks = list(states(robot.n, samples))
    factored(model, chunks[0])  # compiled
    seconds = min(ours(model, chunks, options.threads) for _ in range(3))
    print(
        f"{robot.name}: {samples * robot.n} rows, {model.size} parameters: {seconds:.2f} s on {options.threads} threads"
    )
    other = None if options.robot is None else peer(robot, options.robot, samples)
    if other is not None:
        print(f"Pinocchio in a loop and one lstsq: {other:.1f} s, {other / seconds:.0f} times as long")


if __name__ == "__main__":
    main()
