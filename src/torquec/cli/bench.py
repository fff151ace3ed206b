"""`torquec bench ROBOT`: timings of Torquec and of the installed peer libraries on this machine."""

from __future__ import annotations

import dataclasses
import platform
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from torquec.cli.command import Outcome, StochasticOptions, command
from torquec.cli.options import option
from torquec.cli.output import progress

if TYPE_CHECKING:
    from torquec.model.model import Model
    from torquec.project.peers import Peer

AGREEMENT = 1e-10
"""Largest difference from a peer, relative to the largest element."""

_FUNCTIONS = {
    "inverse_dynamics": 3,
    "mass_matrix": 1,
    "gravity_torque": 1,
    "forward_dynamics": 3,
    "inverse_dynamics_derivatives": 3,
}
"""Number of inputs of each timed quantity."""

_BATCH = 10_000  # states: large enough to make the cost of the call negligible, small enough for the cache
_CHECKED_STATES = 8  # contestants must agree there before they are timed; a wrong one differs at any state


@dataclass(frozen=True, kw_only=True)
class BenchOptions(StochasticOptions):
    """Duration of the measurement."""

    rounds: int = option(25, "Rounds; each times every contestant once.", least=1)


@command("bench", BenchOptions, example="torquec bench planar2r --rounds 3")
def bench(model: Model, options: BenchOptions) -> Outcome:
    """Time Torquec and the installed peers, interleaved.

    Peers are Pinocchio, MuJoCo, CasADi and the Robotics Toolbox, all called from Python in one interleaved run. Rigid
    bodies only: motors, friction and springs are left out, since not every peer has them. A peer's function is timed
    only if it agrees with Torquec's to 1e-10. Ratio: the peer's time over Torquec's. A simplified model is timed
    against the exact model of its robot instead.
    """
    from torquec.report.generated_code import bench_text

    measured = _measure_program if model.kind.follows_program else _measure
    document = measured(model, options.rounds, options.seed)
    return Outcome(document, bench_text(document), failed="a peer disagrees" if document["disagreements"] else "")


def _measure(model: Model, rounds: int, seed: int) -> dict[str, Any]:
    import numpy as np

    from torquec.foundation.stopwatch import race
    from torquec.model.model import compile
    from torquec.project.peers import Absent, comparable, find_peers, peer_difference, peer_states, processor_name

    robot = comparable(model.robot)
    arm = compile(robot)
    exact = compile(dataclasses.replace(robot, snap=False)) if robot.canonical.snaps else arm
    progress(f"{robot.name}: compiling and looking for peers ...")
    found = find_peers(robot)
    peers = [peer for peer in found if not isinstance(peer, Absent)]
    numbers = np.random.default_rng(seed).uniform(-1.5, 1.5, (_CHECKED_STATES, 3, robot.n))
    states = peer_states(robot, numbers)

    rows: list[dict[str, Any]] = []
    disagreements: list[dict[str, Any]] = []
    for function, arity in _FUNCTIONS.items():
        ours = getattr(arm, function)
        contestants: dict[str, Any] = {"torquec": partial(ours, *states[0][:arity])}
        for peer in peers:
            if function not in peer.calls:
                continue
            difference = peer_difference(exact, peer, function, [state[:arity] for state in states])
            if difference <= AGREEMENT:
                contestants[peer.name] = partial(peer.calls[function], *peer.inputs(function, states[0][:arity]))
            else:
                disagreements.append({"function": function, "contestant": peer.name, "difference": difference})
        progress(f"timing {function} ...")
        timings = race(contestants, rounds=rounds)
        rows += [
            _row(function, name, timing.minimum, timing.median, timings["torquec"].minimum)
            for name, timing in timings.items()
        ]

    progress("timing a batch ...")
    many = np.random.default_rng(seed + 1).uniform(-1.5, 1.5, (3, _BATCH, robot.n))
    batch = [np.array(part) for part in zip(*peer_states(robot, many.transpose(1, 0, 2)), strict=True)]
    kept = np.empty((_BATCH, robot.n))
    timing = race({"torquec": partial(arm.inverse_dynamics, *batch, out=kept)}, rounds=rounds)["torquec"]
    rows.append(
        _row(
            "inverse_dynamics, per state of a batch",
            "torquec",
            timing.minimum / _BATCH,
            timing.median / _BATCH,
            timing.minimum / _BATCH,
        )
    )
    return {
        "rows": rows,
        "cpu": processor_name(),
        "versions": _versions(peers),
        "absent": {peer.name: peer.reason for peer in found if isinstance(peer, Absent)},
        "disagreements": disagreements,
        "snap_effect": _snap_effect(arm, exact, states),
    }


def _measure_program(model: Model, rounds: int, seed: int) -> dict[str, Any]:
    """Timings of a model with its own program, against the exact model of its robot."""
    import numpy as np

    from torquec.errors import TorquecError
    from torquec.foundation.stopwatch import race
    from torquec.model.model import as_model
    from torquec.project.peers import processor_name

    exact = as_model(model.robot)
    states = np.random.default_rng(seed).uniform(-1.5, 1.5, (3, model.robot.n))
    rows: list[dict[str, Any]] = []
    refused: dict[str, str] = {}
    for function, arity in _FUNCTIONS.items():
        progress(f"timing {function} ...")
        try:
            ours = getattr(model, function)
        except TorquecError as error:
            refused[function] = error.found
            continue
        contestants = {"torquec": ours, "exact model": getattr(exact, function)}
        timings = race({name: partial(call, *states[:arity]) for name, call in contestants.items()}, rounds=rounds)
        best = timings["torquec"].minimum
        rows += [_row(function, name, timing.minimum, timing.median, best) for name, timing in timings.items()]
    return {
        "rows": rows,
        "cpu": processor_name(),
        "versions": _versions([]),
        "absent": {},
        "refused": refused,
        "disagreements": [],
        "snap_effect": 0.0,
    }


def _row(function: str, contestant: str, ns: float, median: float, ours: float) -> dict[str, Any]:
    return {"function": function, "contestant": contestant, "ns": ns, "median_ns": median, "ratio": ns / ours}


def _snap_effect(arm: Model, exact: Model, states: Any) -> float:
    """Largest change of a torque by snapped angles, relative to the largest torque."""
    import numpy as np

    q, qd, qdd = (np.array(part) for part in zip(*states, strict=True))
    kept = exact.inverse_dynamics(q, qd, qdd)
    return float(np.max(np.abs(arm.inverse_dynamics(q, qd, qdd) - kept)) / np.max(np.abs(kept)))


def _versions(peers: list[Peer]) -> dict[str, str]:
    import llvmlite
    import numpy as np

    import torquec

    own = {"torquec": torquec.__version__, "python": platform.python_version(), "numpy": np.__version__}
    return own | {"llvmlite": llvmlite.__version__} | {peer.name: peer.version for peer in peers}
