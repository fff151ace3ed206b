"""`self_test`: native code on this machine compared with plain arithmetic and with other libraries.

(1)  every quantity of a model, natively, one state at a time and in batches, against the same program evaluated step by
     step in NumPy: this tests compilers, processors and their vector units
(2)  inverse dynamics, mass matrix and so on of the bare bodies against Pinocchio and MuJoCo, where they are installed:
     this tests the algorithms
(3)  the generated C, where there is a compiler: it brings its own test, which is built and run
"""

from __future__ import annotations

import dataclasses
import math
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from torquec.expr import evaluate
from torquec.foundation.arrays import Array
from torquec.foundation.work import Work, as_work
from torquec.model.model import Model, as_model, compile
from torquec.model.quantities import default_quantities
from torquec.project.peers import Absent, comparable, find_peers, peer_difference, peer_states
from torquec.project.tuning import TUNING
from torquec.robot.robot import Robot

_STATES = 64  # states of a comparison: all lanes of a vector unit several times, and an odd rest
_ODD_REST = 3  # fewer states in a batch, so that its end does not fill a vector
_NATIVE_TOLERANCE = 1e-11
"""Tolerance, relative to the largest value: native code adds in another order, and linear solves lose digits."""
_PEER_TOLERANCE = 1e-9  # of the largest value, against other libraries, which read robots written as URDF
_PEERS = ("pinocchio", "mujoco")
_COMPILERS = ("cc", "gcc", "clang")


@dataclass(frozen=True)
class SelfTestRow:
    """One comparison: its two sides, the largest relative difference, and the allowed one.

    A comparison that could not be made has a `reason` and no difference.
    """

    quantity: str
    against: str
    difference: float = math.nan
    allowed: float = 0.0
    reason: str = ""

    @property
    def ok(self) -> bool:
        """Whether it agrees, or was not made."""
        return bool(self.reason) or self.difference <= self.allowed


def self_test(source: Robot | Model, *, seed: int = 0, work: Work | None = None) -> tuple[SelfTestRow, ...]:
    """(1) and (2) for a robot or a model; (2) is for models whose quantities are computed from bodies."""
    model, work = as_model(source, any_joint=True), as_work(work)
    names = [name for name in default_quantities() if not model.refusal(name)]
    rows = []
    with work.step("native code against plain arithmetic", whole=float(len(names))) as step:
        for name in names:  # in this process: it is what users will call
            rows.append(_native(model, name, seed))
            step.show(float(len(rows)))
    if model.kind.follows_program:
        return tuple(rows)
    with work.step("comparing with other libraries"):
        rows += _peers(model.robot, seed)
    return tuple(rows)


def run_c_self_test(folder: Path) -> SelfTestRow:
    """(3) of a folder with a generated C package."""
    quantity = "generated C"
    compiler = next((found for found in map(shutil.which, _COMPILERS) if found), None)
    if compiler is None:
        return SelfTestRow(quantity, "its own test", reason="there is no C compiler")
    sources = sorted(path for path in folder.glob("*.c") if not path.stem.endswith(("_example", "example")))
    with tempfile.TemporaryDirectory() as build:
        program = Path(build) / "selftest"
        command = [compiler, "-std=c99", "-O2", "-I", str(folder), "-o", str(program), *map(str, sources), "-lm"]
        for arguments in (command, [str(program)]):
            limit = TUNING.self_test_timeout
            done = subprocess.run(arguments, capture_output=True, text=True, timeout=limit, check=False)  # noqa: S603 - our own code
            if done.returncode:
                printed = (done.stderr or done.stdout).strip().splitlines()
                return SelfTestRow(quantity, printed[0] if printed else "its own test", math.inf)
    return SelfTestRow(quantity, "its own test", 0.0)


def processor_features() -> tuple[str, ...]:
    """Relevant features of this processor, by LLVM's names."""
    from llvmlite import binding

    try:
        found = binding.get_host_cpu_features()
    except RuntimeError:  # LLVM does not know it of every processor
        return ()
    return tuple(sorted(name for name, has in found.items() if has and name.startswith(_VECTORS)))


_VECTORS = ("sse", "avx", "fma", "neon", "sve", "asimd", "v")  # how the names of vector units begin


def _native(model: Model, name: str, seed: int) -> SelfTestRow:
    """(1): single calls and a batch, the larger difference of the two."""
    function, call = model.function(name), model.native(name)
    rng = np.random.default_rng(seed)
    states = {port.name: rng.uniform(-1.5, 1.5, (_STATES, *port.shape)) for port in function.inputs}
    wanted = evaluate(function, states)
    worst = 0.0
    for rows in (slice(0, 1), slice(0, _STATES - _ODD_REST)):
        inputs = [values[rows][0] if rows.stop == 1 else values[rows] for values in states.values()]
        found = call(*inputs)
        parts = found if isinstance(found, tuple) else (found,)
        for output, part in zip(wanted.values(), parts, strict=True):
            worst = max(worst, _relative(np.asarray(part), output[rows]))
    return SelfTestRow(name, "plain arithmetic", worst, _NATIVE_TOLERANCE)


def _relative(found: Array, wanted: Array) -> float:
    largest = float(np.max(np.abs(wanted), initial=0.0))
    difference = float(np.max(np.abs(found.reshape(wanted.shape) - wanted), initial=0.0))
    return difference / largest if largest > 0.0 else difference


def _peers(robot: Robot, seed: int) -> list[SelfTestRow]:
    """(2)."""
    bare = comparable(robot)
    exact = compile(dataclasses.replace(bare, snap=False))
    states = peer_states(bare, np.random.default_rng(seed).uniform(-1.5, 1.5, (_STATES, 3, robot.n)))
    rows = []
    for peer in find_peers(bare, _PEERS):
        if isinstance(peer, Absent):
            rows.append(SelfTestRow("dynamics", peer.name, reason=peer.reason))
            continue
        for name in peer.calls:
            inputs = [state[: len(exact.function(name).inputs)] for state in states]
            against = f"{peer.name} {peer.version}"
            rows.append(SelfTestRow(name, against, peer_difference(exact, peer, name, inputs), _PEER_TOLERANCE))
    return rows
