"""Time to open robot files in this tree and in another one, in turns: processor time, the shortest of many rounds.

python -m benchmarks.opening OTHER/src FILE...

OTHER is a checkout of another commit, as `git worktree add OTHER COMMIT` makes one.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1] / "src"
ROUNDS = 6
OPEN = """
import gc, sys, time, warnings
import torquec as tq
import torquec.robot.load
warnings.simplefilter("ignore")
for file in sys.argv[1:]:
    tq.load(file)
gc.disable()
for file in sys.argv[1:]:
    least = float("inf")
    for _ in range(30):
        start = time.process_time()
        tq.load(file)
        least = min(least, time.process_time() - start)
    print(least)
"""


def opened(source: Path, files: list[str]) -> list[float]:
    """Seconds of processor time for each file, by the package in `source`."""
    command = [sys.executable, "-c", OPEN, *files]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return [float(line) for line in done.stdout.split()]


def main() -> None:
    """Measure and print."""
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    other, files = Path(sys.argv[1]), sys.argv[2:]
    there, here = [], []
    for _ in range(ROUNDS):
        there.append(opened(other, files))
        here.append(opened(HERE, files))
    for k, file in enumerate(files):
        ratio = statistics.median(new[k] / old[k] for old, new in zip(there, here, strict=True))
        old, new = (1e6 * min(row[k] for row in rows) for rows in (there, here))
        print(f"{Path(file).name:40} {old:8.0f} us there {new:8.0f} us here  {ratio:.3f} (median of {ROUNDS} ratios)")


if __name__ == "__main__":
    main()
