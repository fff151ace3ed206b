"""Streaming QR of a robot's regressor: from states and torques to R factors, a million samples a second.

(1)  one native program writes, for every joint j, only the linearly independent columns B_j of its rows, and tau;
     for every motion, A_j = B_j E_j with a constant E_j, so that the R factor of B_j times E_j is that of A_j
(2)  cache-sized chunks are added to a `TriangleSum` per joint
(3)  every thread has its own sums and a fixed assignment of blocks; the sums are merged at the end

Blocks are not kept: memory does not grow with the number of samples.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from torquec.codegen.llvm import NativeFunction, load_or_compile
from torquec.dynamics.base_regressor import base_regressor
from torquec.errors import ArgumentError
from torquec.expr import trace
from torquec.foundation.arrays import Array
from torquec.foundation.one_thread import one_thread
from torquec.identification.estimators.joint_factors import JointFactors, TriangleSum
from torquec.identification.torque.friction_law import Turnover, friction_functions, friction_names
from torquec.identification.torque.torque_model import TorqueModel

Block = tuple[Array, Array, Array, Array]
"""q, qd, qdd, tau, (N, n) each."""

CHUNK = 1024
BLOCK = 16 * CHUNK
_PROBES = 2
"""Random states per column: with one, a column could be dependent on others by chance."""
_DEPENDENT = 1e-9  # relative remainder of a column below which it depends on the others
_ROUNDING = 1e-13  # relative to the largest column: some hundred rounding errors


def regressor_factors(model: TorqueModel, blocks: Iterable[Block], *, threads: int = 2) -> JointFactors:
    """The factors of [A tau] at the samples of all blocks (q, qd, qdd, tau), (N, n) each, in constant memory.

    Give a generator for data larger than memory, `blocks_of` for arrays. Raises `ArgumentError` for no samples, for
    values that are not finite, and for models whose columns need more than a state: friction with memory, friction
    that depends on the load, columns of the user.
    """
    _check_model(model)
    with one_thread(), ThreadPoolExecutor(max_workers=threads) as pool:
        workers = [RegressorSum(model) for _ in range(threads)]
        iterator = iter(blocks)
        while group := list(itertools.islice(iterator, threads)):
            for done in [pool.submit(worker.add, *block) for worker, block in zip(workers, group, strict=False)]:
                done.result()
    parts = [worker.factors() for worker in workers if worker.count]
    if not parts:
        raise ArgumentError("there are no samples to fit", remedy="give at least one block")
    return parts[0].merged(*parts[1:]) if len(parts) > 1 else parts[0]


def blocks_of(q: Array, qd: Array, qdd: Array, tau: Array, *, size: int = BLOCK) -> Iterable[Block]:
    """Arrays (N, n) as blocks of at most `size` samples."""
    for start in range(0, len(q), size):
        part = slice(start, start + size)
        yield q[part], qd[part], qdd[part], tau[part]


class RegressorSum:
    """The sums (1), (2) of one worker. Not thread-safe."""

    def __init__(self, model: TorqueModel) -> None:
        self._model = model
        self._joints = joint_columns(model)
        self._rows = [np.empty((CHUNK, len(joint.kept) + 1)) for joint in self._joints]
        self._sums = [TriangleSum(len(joint.kept) + 1) for joint in self._joints]
        self._native = _row_program(model)
        self.count = 0

    def add(self, q: Array, qd: Array, qdd: Array, tau: Array) -> None:
        """Add samples (N, n) each."""
        shape = np.shape(q)
        if len(shape) != 2 or any(np.shape(values) != shape for values in (qd, qdd, tau)):
            raise ArgumentError("q, qd, qdd and tau have different shapes", remedy="give (N, n) each")
        for start in range(0, len(q), CHUNK):
            part = slice(start, min(start + CHUNK, len(q)))
            state = [np.ascontiguousarray(values[part], dtype=np.float64) for values in (q, qd, qdd, tau)]
            functions = friction_functions(self._model.shafts, self._model.friction, state[1])
            rows = [whole[: len(state[0])] for whole in self._rows]
            given = [*state[:3], functions, state[3]] if functions.shape[1] else state
            self._native.call(*given, out=tuple(rows) if len(rows) > 1 else rows[0])
            for total, own in zip(self._sums, rows, strict=True):
                total.add(own)
        self.count += len(q)

    def factors(self) -> JointFactors:
        """The triangles of everything so far; raises `ArgumentError` where a value was not finite."""
        width = self._model.size + 1
        triangles = np.zeros((len(self._sums), width, width))
        for triangle, total, joint in zip(triangles, self._sums, self._joints, strict=True):
            small = total.triangle()
            if not np.isfinite(small).all():
                raise ArgumentError("a regressor or torque is not finite", remedy="run torquec check-log")
            triangle[: len(small), :-1] = small[:, :-1] @ joint.expansion
            triangle[: len(small), -1] = small[:, -1]
        return JointFactors(triangles, self.count)


@dataclass(frozen=True, eq=False)
class JointColumns:
    """The independent columns of one joint (`kept`, indices), and E (kept, k) that gives all columns from them (1)."""

    kept: tuple[int, ...]
    expansion: Array


@lru_cache(maxsize=16)
def joint_columns(model: TorqueModel) -> tuple[JointColumns, ...]:
    """(1) for every joint: E from the regressor at random states, independent columns taken from the left."""
    rng = np.random.default_rng(0)
    width = len(model.base)
    rigid = model.rigid(*(rng.uniform(-2.0, 2.0, (_PROBES * (width + 1), model.robot.n)) for _ in range(3)))
    shafts = [shaft for shaft in model.shafts for _ in friction_names([shaft], model.friction)]
    found = []
    for j in range(model.robot.n):
        free = _independent(rigid[:, j])
        rubbing = [width + k for k, shaft in enumerate(shafts) if shaft.row[j] != 0.0]
        expansion = np.zeros((len(free) + len(rubbing), model.size))
        if free:
            combined = np.linalg.lstsq(rigid[:, j][:, free], rigid[:, j], rcond=None)[0]
            expansion[: len(free), :width] = np.where(np.abs(combined) > _DEPENDENT, combined, 0.0)
        expansion[range(len(free), len(expansion)), rubbing] = 1.0
        found.append(JointColumns((*free, *rubbing), expansion))
    return tuple(found)


def _independent(columns: Array) -> list[int]:
    """Indices of the columns (N, k) that are independent of those kept to their left; rounding errors do not count."""
    kept: list[int] = []
    largest = float(np.linalg.norm(columns, axis=0).max(initial=0.0))
    basis = np.zeros((len(columns), 0))
    for k, column in enumerate(columns.T):
        # Orthogonalize twice: the second pass removes the rounding error of the first.
        rest = column - basis @ (basis.T @ column)
        rest = rest - basis @ (basis.T @ rest)
        if np.linalg.norm(rest) > max(_DEPENDENT * float(np.linalg.norm(column)), _ROUNDING * largest):
            kept.append(k)
            basis = np.column_stack([basis, rest / np.linalg.norm(rest)])
    return kept


@lru_cache(maxsize=16)
def _row_program(model: TorqueModel) -> NativeFunction:
    """(1): inputs q, qd, qdd, friction functions, tau; one output per joint, its columns and tau."""
    robot, n = model.robot, model.robot.n
    count = len(friction_names(model.shafts, model.friction))
    joints = joint_columns(model)
    shafts = [shaft for shaft in model.shafts for _ in friction_names([shaft], model.friction)]

    def program(
        q: Sequence[Any], qd: Sequence[Any], qdd: Sequence[Any], tau: Sequence[Any], friction: Sequence[Any] = ()
    ) -> dict[str, Any]:
        rigid = base_regressor(robot, model.base.body_expansion.tolist(), q, qd, qdd)
        every = [[*rigid[j], *(f * shaft.row[j] for f, shaft in zip(friction, shafts, strict=True))] for j in range(n)]
        return {f"rows{j + 1}": [*(every[j][k] for k in joints[j].kept), tau[j]] for j in range(n)}

    inputs = {"q": (n,), "qd": (n,), "qdd": (n,), **({"friction": (count,)} if count else {}), "tau": (n,)}
    key = f"robot {robot.content_hash} rows of {[(shaft.name, shaft.row) for shaft in shafts]}"
    return load_or_compile(key, lambda: trace("regressor_rows", program, inputs))


def _check_model(model: TorqueModel) -> None:
    law = model.friction
    lacking = law.shape.turnover is Turnover.DISTANCE or law.reads_load
    if lacking or model.columns:
        what = f"friction '{law}'" if lacking else f"the column '{model.columns[0].name}'"
        raise ArgumentError(
            f"{what} needs more than one state at a time", remedy="make A with model.regressor, then stream_factors"
        )
