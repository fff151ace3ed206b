"""Waiting times of a user: import, help, first callable, all functions, functions from the cache, demo, long chains.

python -m benchmarks.startup
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.peer import SHARED, require

FIRST = """
import time, sys
import torquec as tq
import torquec.codegen.llvm, torquec.model.model, torquec.robot.load
start = time.perf_counter()
arm = tq.compile(tq.load(sys.argv[1]))
arm.inverse_dynamics
print(time.perf_counter() - start)
"""

ALL = """
import time, sys
import torquec as tq
import torquec.codegen.llvm, torquec.model.model, torquec.robot.load
from torquec.model.quantities import default_quantities
start = time.perf_counter()
arm = tq.compile(tq.load(sys.argv[1]))
for name in default_quantities():
    getattr(arm, name)
print(time.perf_counter() - start)
"""

COMPILE = """
import time, sys
import torquec as tq
from torquec.codegen.llvm import compile_function
from torquec.expr import trace
compile_function(trace("f", lambda x: {"y": x}, {"x": ()}))
arm = tq.compile(tq.load(sys.argv[1]))
times = {}
for name in sys.argv[2:]:
    function = arm.function(name)
    start = time.process_time()
    compile_function(function)
    times[name] = time.process_time() - start
longest = max(times, key=times.get)
print(f"{times[longest]} {sum(times.values())} {longest}")
"""

NINE = (
    "inverse_dynamics",
    "mass_matrix",
    "gravity_torque",
    "velocity_torque",
    "coriolis_matrix",
    "forward_dynamics",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
    "regressor",
)

CHAIN = """
import time, sys
import torquec as tq
from torquec.robot.robot import Body, Joint, JointType, Robot
from torquec.spatial import Inertia, Pose, rotation_x
n = int(sys.argv[1])
pose = Pose(rotation_x(0.0, 1.0), (0.1, 0.0, 0.2))
body = Inertia.from_center_of_mass(1.0, (0.01, 0.02, 0.03), ((0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)))
bodies = tuple(Body(f"b{k}", k - 1, Joint(f"j{k}", JointType.REVOLUTE, pose), body) for k in range(n))
start = time.perf_counter()
try:
    tq.compile(Robot("chain", bodies)).inverse_dynamics
    print(time.perf_counter() - start)
except tq.errors.TorquecError as error:
    print(str(error).splitlines()[0])
"""


def main() -> None:
    """Measure and print."""
    require()
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "TORQUEC_CACHE_DIR": cache}
        _best("import torquec", [sys.executable, "-c", "import torquec"], environment, 0.2, base=True)
        _best("torquec --help", [sys.executable, "-m", "torquec", "--help"], environment, 0.4)
        panda = str(SHARED / "models" / "panda.urdf")
        for label, program, limit in (("one function", FIRST, 0.1), ("all functions", ALL, 1.5)):
            for where, times in (("cold", 3), ("from the cache", 3)):
                values = []
                for _ in range(times):
                    if where == "cold":
                        for file in Path(cache).rglob("*"):
                            if file.is_file():
                                file.unlink()
                    values.append(float(_run([sys.executable, "-c", program, panda], environment)))
                allowed = limit if where == "cold" else 0.05
                print(f"Panda, {label}, {where}: {min(values) * 1e3:.1f} ms (limit {allowed * 1e3:.0f})")
        runs = [_run([sys.executable, "-c", COMPILE, panda, *NINE], environment).split() for _ in range(3)]
        longest = min(runs, key=lambda run: float(run[0]))
        print(
            f"Panda, from a function to a callable, processor time: up to {float(longest[0]) * 1e3:.1f} ms (limit 100; "
            f"{longest[2]}), {len(NINE)} together {min(float(run[1]) for run in runs) * 1e3:.0f} ms (limit 1000)"
        )
        # In a new folder: nothing of an earlier run is kept.
        demo = [sys.executable, "-m", "torquec", "demo", "-o", str(Path(cache) / "demo")]
        _best("torquec demo", demo, environment, 60.0, rounds=1)
        for joints in ("200", "5000"):
            start = time.perf_counter()
            answer = _run([sys.executable, "-c", CHAIN, joints], environment)
            print(
                f"chain of {joints} joints: {answer} ({time.perf_counter() - start:.1f} s in all; limit 15 s for 200)"
            )


def _run(command: list[str], environment: dict[str, str]) -> str:
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()


def _best(
    label: str, command: list[str], environment: dict[str, str], limit: float, *, base: bool = False, rounds: int = 5
) -> None:
    def wait(words: list[str]) -> float:
        values = []
        for _ in range(rounds):
            start = time.perf_counter()
            _run(words, environment)
            values.append(time.perf_counter() - start)
        return min(values)

    bare = wait([sys.executable, "-c", "pass"]) if base else 0.0
    print(f"{label}: {wait(command) - bare:.3f} s (limit {limit})")


if __name__ == "__main__":
    main()
