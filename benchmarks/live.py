"""A batch of inverse dynamics in JAX and PyTorch against Torquec's own batch call, in turns on one thread.

    python -m benchmarks.live panda.xml            # needs torquec[jax,torch]

Prints the fastest and the median round of each, and the ratio to Torquec's call.
"""

from __future__ import annotations

import statistics
import sys
import time

import numpy as np

import torquec as tq

STATES, ROUNDS = 100_000, 50


def main(robot: str) -> None:
    """Time the three calls in turns and print the table."""
    import jax
    import torch

    jax.config.update("jax_enable_x64", True)
    torch.set_num_threads(1)
    model = tq.compile(tq.load(robot))
    states = np.random.default_rng(0).uniform(-1.0, 1.0, (3, STATES, model.robot.n))
    arrays, tensors = [jax.device_put(one) for one in states], [torch.tensor(one) for one in states]
    in_jax, in_torch = jax.jit(tq.to_jax(model, "inverse_dynamics")), tq.to_torch(model, "inverse_dynamics")
    calls = {
        "torquec": lambda: model.inverse_dynamics(*states),
        f"jax {jax.__version__}": lambda: in_jax(*arrays).block_until_ready(),
        f"torch {torch.__version__}": lambda: in_torch(*tensors),
    }
    seen: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(ROUNDS):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            seen[name].append(time.perf_counter() - start)
    own = seen["torquec"]
    print(f"{model.robot.name}: inverse dynamics of {STATES} states, {ROUNDS} rounds in turns")
    for name, times in seen.items():
        least, middle = min(times), statistics.median(times)
        ratios = f"{least / min(own):.2f} and {middle / statistics.median(own):.2f} times its own call"
        print(f"  {name:16} {1e3 * least:7.3f} ms, median {1e3 * middle:7.3f} ms: {ratios}")


if __name__ == "__main__":
    main(sys.argv[1])
