"""Operation counts of the exported C against limits and the counts of CasADi (multiplications / additions).

python -m benchmarks.operations
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import torquec as tq
from benchmarks.peer import ROBOTS, SHARED, require

LIMITS = {
    "inverse_dynamics": ((309, 299), (161, 133), (192, 164)),
    "mass_matrix": ((195, 190), (78, 73), (104, 98)),
    "inverse_dynamics_derivatives": ((2866, 2496), (690, 545), (1026, 802)),
}
PEER = {
    "inverse_dynamics": ((665, 553), (327, 237), (397, 307)),
    "mass_matrix": ((561, 488), (156, 130), (296, 248)),
    "inverse_dynamics_derivatives": ((3691, 3428), (2433, 1851), (3132, 2549)),
}


def main() -> None:
    """Count and print."""
    require()
    print(f"{'robot':8} {'function':30} {'exported':>10} {'limit':>10} {'of limit':>12} {'CasADi':>10}")
    for k, name in enumerate(ROBOTS):
        with tempfile.TemporaryDirectory() as folder:
            robot = tq.load(SHARED / "models" / f"{name}.urdf")
            package = tq.generate(tq.compile(robot), Path(folder) / name, quantities=list(LIMITS))
        for function, count in package.functions.items():
            limit, peer = LIMITS[function][k], PEER[function][k]
            part = f"{100 * count.mul / limit[0]:.0f}/{100 * count.add / limit[1]:.0f} %"
            print(
                f"{name:8} {function:30} {f'{count.mul}/{count.add}':>10} {f'{limit[0]}/{limit[1]}':>10} {part:>12} "
                f"{f'{peer[0]}/{peer[1]}':>10}"
            )


if __name__ == "__main__":
    main()
