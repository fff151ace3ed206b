"""Time of a scalar call of a page's WebAssembly model in Chromium against the same native call in a C loop.

python -m benchmarks.page [--rounds 30] [ROBOT ...]

Needs Playwright, a Chromium and a C compiler. Both take turns, and the shortest time of each is printed. `--haptic`
also prints the lag of the haptic loop behind real time and the pictures per second, at 800 x 600 rendered in software.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from tests.page.browser import launched, opened

import torquec as tq
from benchmarks.inverse_kinematics import _compiled, _kernel
from torquec.page.view_functions import torque_quantity
from torquec.page.view_page import view_page

CALLS = 20_000

TIMED = """(count) => {
  const { kernel, addresses } = torquec.model.entries.get("torque");
  const [q, qd, qdd, tau] = addresses;
  const start = performance.now();
  for (let k = 0; k < count; k += 1) kernel(q, qd, qdd, tau);
  return (1e6 * (performance.now() - start)) / count;
}"""

RUN = "(() => { torquec.haptic.run(true); window.was = [performance.now(), torquec.scene.frames]; })()"
SEEN = """(() => {
  const seconds = (performance.now() - window.was[0]) / 1000;
  return { seconds, pictures: (torquec.scene.frames - window.was[1]) / seconds, lag: torquec.haptic.report.lag };
})()"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--haptic", action="store_true")
    parser.add_argument("robots", nargs="*", default=["puma560", "scara"], metavar="ROBOT")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, launched() as browser:
        folder = Path(name)
        compiled = _compiled(folder)
        assert compiled is not None, "a C compiler is needed"
        for robot_name in arguments.robots:
            robot = tq.load(robot_name) if "." in robot_name else getattr(tq.classics, robot_name)()
            (folder / "page.html").write_text(view_page(robot, meshes=False).html, encoding="utf-8")
            native = tq.compile(robot).native(torque_quantity(robot))
            states = [np.random.default_rng(0).uniform(-1.0, 1.0, (CALLS, robot.n)) for _ in range(3)]
            here = _kernel(compiled, native.packed_address, states, [np.zeros(robot.n)])
            with opened(browser, folder / "page.html") as page:
                pairs = [(here(), page.ask(TIMED, CALLS)) for _ in range(arguments.rounds)]
            a, b = (min(column) for column in zip(*pairs, strict=True))
            print(f"{robot.name:12s} native {a:7.1f} ns   in the page {b:7.1f} ns   {b / a:.2f} times")
        if arguments.haptic:
            print(_haptic(browser, folder))


def _haptic(browser: Any, folder: Path) -> dict[str, float]:
    (folder / "haptic.html").write_text(view_page(tq.classics.puma560(), haptic=True).html, encoding="utf-8")
    with opened(browser, folder / "haptic.html", viewport={"width": 800, "height": 600}) as page:
        page.ask(RUN)
        page.page.wait_for_timeout(6000)
        found: dict[str, float] = page.ask(SEEN)
        return found


if __name__ == "__main__":
    main()
