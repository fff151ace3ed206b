"""Cost of a whole control cycle: robust computed torque with friction and guards in C, against the peer's.

    python -m benchmarks.control_cycle [--rounds 200] [--model MODEL.json ...]

The law that Torquec generates is compared with the same law written by hand around C that CasADi generated from
Pinocchio's inverse dynamics. Friction and guards (NaN inputs, torque limits) are the same C for both. Times are
measured in turns on this machine. For a Cortex-M7 (doubles) and a Cortex-M4F (floats) instructions are counted under
qemu, with bytes of code and constants, without the C library. `--model` adds certified models (`torquec simplify ROBOT
-o DIR`) of these robots as contestants. Torques are compared before anything is measured.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import torquec as tq
from benchmarks.peer import FLAGS, ROBOTS, SHARED, require
from torquec.codegen.precision import Precision
from torquec.codegen.target import generate_package
from torquec.foundation.arrays import Array
from torquec.foundation.template import package_text
from torquec.robot.friction import Friction

SOURCE = Path(__file__).with_name("control_cycle.c")
PERIOD, POLE, AMPLITUDE, LAYER = 0.001, 20.0, 10.0, 0.25
COULOMB, VISCOUS, LIMIT = 1.5, 0.8, 150.0
RING, CALLS = 64, 2000
TARGETS = {"panda": 2.5, "ur5": 4.0, "puma560": 4.0}
PEER = "peer"
AGREEMENT = {"double": 1e-10, "float": 2e-5}  # of the largest torque
CERTIFIED_AGREEMENT = 0.3  # of the largest torque: a wrong port would differ by more


@dataclass(frozen=True)
class Processor:
    """An emulated processor: compiler words, board of qemu, and the type of its numbers."""

    name: str
    cpu: str
    fpu: str
    board: str
    real: str


PROCESSORS = (
    Processor("Cortex-M7", "cortex-m7", "fpv5-d16", "mps2-an500", "double"),
    Processor("Cortex-M4F", "cortex-m4", "fpv4-sp-d16", "mps2-an386", "float"),
)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--model", type=Path, nargs="+", default=[], help="certified models of the same robots")
    arguments = parser.parse_args()
    require()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    certified = [tq.load_model(path) for path in arguments.model]
    print(f"{'robot':8} {'cycle':10} {'x86 ns':>8} {'ratio':>6}", end="")
    print("".join(f" {p.name + ' instr.':>18} {'ratio':>6} {'bytes':>7}" for p in PROCESSORS) + "   target")
    for name in ROBOTS:
        robot = _without_friction(tq.load(SHARED / "models" / f"{name}.urdf"))
        models = {"exact": tq.Model(robot)}
        models.update(("certified", model) for model in certified if model.robot.name == robot.name)
        laws = {
            cycle: tq.robust_computed_torque(model, -POLE, period=PERIOD, amplitude=AMPLITUDE, layer=LAYER)
            for cycle, model in models.items()
        }
        with tempfile.TemporaryDirectory() as folder:
            _measure(name, laws, robot.n, Path(folder), arguments.rounds)


def _without_friction(robot: tq.Robot) -> tq.Robot:
    """The robot without friction of its file: that of the benchmark is the same C for all cycles."""
    bodies = (replace(body, joint=replace(body.joint, friction=Friction())) for body in robot.bodies)
    return replace(robot, bodies=tuple(bodies))


def _measure(name: str, laws: dict[str, tq.Controller], n: int, folder: Path, rounds: int) -> None:
    row = ", ".join
    (folder / "constants.h").write_text(
        f"#define N {n}\n#define PERIOD ((real){PERIOD})\n#define SLOW ((real){POLE})\n#define FAST ((real){POLE})\n"
        f"#define AMPLITUDE ((real){AMPLITUDE})\n#define LAYER ((real){LAYER})\n"
        f"static const real coulomb[N] = {{{row([str(COULOMB)] * n)}}};\n"
        f"static const real viscous[N] = {{{row([str(VISCOUS)] * n)}}};\n"
        f"static const real limit[N] = {{{row([str(LIMIT)] * n)}}};\n"
    )
    for cycle, law in laws.items():
        for precision in (Precision.DOUBLE, Precision.SINGLE):
            generate_package([law.function], folder / cycle / precision.value, prefix="ours", precision=precision)
    cycles = (*laws, PEER)
    host = _host(folder, name, cycles, n, rounds)
    emulated = [_emulated(folder, name, cycles, processor) for processor in PROCESSORS]
    for cycle in cycles:
        line = f"{name:8} {cycle:10} {host[cycle]:8.1f} {host[PEER] / host[cycle]:6.2f}"
        for counts in emulated:
            if counts:
                line += f" {counts[cycle][0]:18.0f} {counts[PEER][0] / counts[cycle][0]:6.2f} {counts[cycle][1]:7}"
            else:
                line += f" {'-':>18} {'':>6} {'':>7}"
        print(line + ("" if cycle == PEER else f"   {TARGETS[name]:.1f}"), flush=True)


def _sources(folder: Path, name: str, cycle: str, real: str) -> list[str]:
    if cycle != PEER:
        return [str(folder / cycle / ("single" if real == "float" else "double") / "ours.c"), "-DOURS"]
    text = (SHARED / "casadi" / f"cs_{name}.c").read_text()
    if real == "float":
        text = f"#include <math.h>\n#define casadi_real float\n#define sin sinf\n#define cos cosf\n{text}"
    source = folder / f"peer_{real}.c"
    source.write_text(text)
    return [str(source)]


def _host(folder: Path, name: str, cycles: tuple[str, ...], n: int, rounds: int) -> dict[str, float]:
    """Nanoseconds of a cycle on this machine, in turns; the peer's best of both ways of compiling counts."""
    states = np.random.default_rng(0).uniform(-1.0, 1.0, (RING, 5 * n))
    variants: list[tuple[str, tuple[str, ...]]] = [*((cycle, ()) for cycle in cycles), (PEER, ("-ffast-math",))]
    libraries = {}
    for cycle, fast in variants:
        target = folder / f"{cycle}{len(fast)}.so"
        words = ["gcc", *FLAGS, *fast, "-shared", "-fPIC", "-DDRIVER", "-DHOST", f"-I{folder}", str(SOURCE)]
        subprocess.run([*words, *_sources(folder, name, cycle, "double"), "-o", str(target), "-lm"], check=True)
        libraries[cycle, fast] = ctypes.CDLL(str(target))
        libraries[cycle, fast].time_cycle.restype = ctypes.c_double
    torques = {key: _call(library, states, n, 1)[1] for key, library in libraries.items()}
    for key, torque in torques.items():
        _check_agreement(f"{name}, {key[0]}", key[0], torque, torques[PEER, ()], "double")
    times: dict[tuple[str, tuple[str, ...]], list[float]] = {key: [] for key in libraries}
    for _ in range(rounds):
        for key, library in libraries.items():
            times[key].append(_call(library, states, n, CALLS)[0])
    return {cycle: min(min(times[key]) for key in times if key[0] == cycle) for cycle in cycles}


def _check_agreement(where: str, cycle: str, torque: Array, of_peer: Array, real: str) -> None:
    error = np.abs(torque - of_peer).max() / np.abs(of_peer).max()
    assert error < (CERTIFIED_AGREEMENT if cycle == "certified" else AGREEMENT[real]), f"{where}: off by {error:.1e}"


def _call(library: ctypes.CDLL, states: Array, n: int, calls: int) -> tuple[float, Array]:
    state, torque = np.zeros(n), np.zeros(n)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (state, torque)]
    size = [ctypes.c_long(RING), ctypes.c_long(calls)]
    return library.time_cycle(ctypes.c_void_p(states.ctypes.data), *size, *pointers), torque


def _emulated(folder: Path, name: str, cycles: tuple[str, ...], processor: Processor) -> dict[str, tuple[float, int]]:
    """Instructions of a cycle and bytes of its code on an emulated processor; empty without compiler or emulator."""
    if shutil.which("arm-none-eabi-gcc") is None or shutil.which("qemu-system-arm") is None:
        return {}
    for file in ("start.c", "link.ld"):
        (folder / file).write_text(package_text("codegen/verify/c", file))
    words = [f"-mcpu={processor.cpu}", "-mfloat-abi=hard", f"-mfpu={processor.fpu}", "-mthumb", "-O2", f"-I{folder}"]
    words += ["-ffunction-sections"]
    words += ["-DSINGLE", "-fsingle-precision-constant"] if processor.real == "float" else []
    found: dict[str, tuple[float, int]] = {}
    torques: dict[str, Array] = {}
    for cycle in cycles:
        sources = _sources(folder, name, cycle, processor.real)
        program = folder / f"{cycle}_{processor.name}"
        command = ["arm-none-eabi-gcc", *words, "-Wl,--gc-sections", "-DDRIVER", str(SOURCE), *sources]
        command += [str(folder / "start.c"), "-Wl,-T", str(folder / "link.ld"), "--specs=rdimon.specs"]
        subprocess.run([*command, "-lm", "-o", str(program)], check=True)
        board = ["qemu-system-arm", "-M", processor.board, "-cpu", processor.cpu, "-nographic", "-monitor", "none"]
        board += ["-serial", "none", "-icount", "shift=0", "-semihosting-config", "enable=on,target=native"]
        done = subprocess.run(
            [*board, "-kernel", str(program)], capture_output=True, text=True, timeout=120, check=True
        )
        torques[cycle] = np.array([float(word) for word in re.findall(r"torque (\S+)", done.stdout)])
        ticks = int(re.findall(r"count (\d+)", done.stdout)[0])
        found[cycle] = (ticks * 40 / 100, _bytes(folder, words, sources))  # 40 ns a tick, a nanosecond an instruction
    for cycle, torque in torques.items():
        _check_agreement(f"{name}, {cycle}, {processor.name}", cycle, torque, torques[PEER], processor.real)
    return found


def _bytes(folder: Path, words: list[str], sources: list[str]) -> int:
    """Code and constants of law and guards, linked without the C library; unused functions left out."""
    target = folder / "linked.o"
    command = ["arm-none-eabi-gcc", *words, str(SOURCE), *sources, "-nostdlib", "-r", "-Wl,--gc-sections"]
    subprocess.run([*command, "-Wl,-e,cycle", "-Wl,-u,cycle", "-o", str(target)], check=True)
    sizes = subprocess.run(["arm-none-eabi-size", str(target)], capture_output=True, text=True, check=True).stdout
    return int(sizes.splitlines()[1].split()[0])


if __name__ == "__main__":
    main()
