"""Time of regressor and streaming QR of a 7-joint arm, against Pinocchio in a Python loop and one lstsq.

    python -m benchmarks.identification [ROBOT.urdf] [--rows 1000000]

A row is the torque of one joint at one sample: a million samples of a 7-joint arm are seven million rows. A million
rows and a million samples are both timed. The peer is timed on a part of the rows and scaled up, which favours it: its
dense matrix would not stay in the cache. Rounds of both alternate, so that a busy machine slows both equally. The
output is the fastest round and the median ratio.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import torquec as tq
from torquec.identification.estimators.regressor_factors import BLOCK, Block, blocks_of, regressor_factors
from torquec.identification.torque.torque_model import TorqueModel, torque_model
from torquec.robot.robot import Robot

PEER_SAMPLES = 20_000
ROUNDS = 5


@dataclass(frozen=True, eq=False)
class Peer:
    """Pinocchio's model of the same file."""

    pin: Any
    model: Any

    def seconds(self, samples: int) -> float:
        """Of `computeJointTorqueRegressor` in a loop and one lstsq, scaled to all samples."""
        data = self.model.createData()
        rng = np.random.default_rng(0)
        q, v, a = (rng.uniform(-1.0, 1.0, (PEER_SAMPLES, self.model.nv)) for _ in range(3))
        tau = rng.normal(size=PEER_SAMPLES * self.model.nv)
        start = time.perf_counter()
        rows = np.vstack(
            [self.pin.computeJointTorqueRegressor(self.model, data, q[i], v[i], a[i]) for i in range(PEER_SAMPLES)]
        )
        np.linalg.lstsq(rows, tau, rcond=None)
        return (time.perf_counter() - start) * samples / PEER_SAMPLES


def blocks(n: int, samples: int) -> Iterator[Block]:
    """The same random states and torques again and again, so that making them costs nothing."""
    rng = np.random.default_rng(0)
    values = [rng.uniform(-1.0, 1.0, (BLOCK, n)) for _ in range(4)]
    for start in range(0, samples, BLOCK):
        yield from blocks_of(*(array[: samples - start] for array in values))


def ours(model: TorqueModel, samples: int, threads: int) -> float:
    """Seconds for all samples."""
    start = time.perf_counter()
    regressor_factors(model, blocks(model.robot.n, samples), threads=threads)
    return time.perf_counter() - start


def find_peer(path: str | None) -> Peer | None:
    """Pinocchio, where it is installed and there is a file for it."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    return None if path is None else Peer(pin, pin.buildModelFromUrdf(path))


def memory() -> str:
    """The most memory that this process has had, where the system tells."""
    try:
        resource = importlib.import_module("resource")
    except ImportError:
        return ""
    return f", {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most"


def compare(robot: Robot, model: TorqueModel, peer: Peer | None, samples: int, threads: int) -> None:
    """Print one line: the best of some rounds, and the ratio to the peer."""
    mine, ratios = [], []
    for _ in range(ROUNDS if peer is not None else 1):
        mine.append(ours(model, samples, threads))
        if peer is not None:
            ratios.append(peer.seconds(samples) / mine[-1] * robot.n / peer.model.nv)
    line = f"{samples:>9} samples, {samples * robot.n:>9} rows: {min(mine):.2f} s on {threads} threads{memory()}"
    print(line + (f"; the peer takes {statistics.median(ratios):.0f} times as long" if ratios else ""), flush=True)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot", nargs="?", help="a URDF file; a classic 6-joint arm without")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    robot = tq.classics.puma560() if options.robot is None else tq.load(options.robot)
    model = torque_model(robot, rotors=False)
    print(f"{robot.name}: {robot.n} joints, {model.size} parameters with friction")
    ours(model, 1, options.threads)  # compiled
    for samples in (options.rows // robot.n, options.rows, 10 * options.rows):
        # Ten times as many rows show that memory does not grow; the peer would need gigabytes.
        peer = None if samples > options.rows else find_peer(options.robot)
        compare(robot, model, peer, samples, options.threads)


if __name__ == "__main__":
    main()
