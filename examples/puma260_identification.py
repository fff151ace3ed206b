"""Identification of a PUMA 260 after Izaguirre et al., on simulated measurements: from 78 parameters to 23.

Ten short runs give noisy positions and torques every 28 ms. Speeds and accelerations are central differences; 15
samples at each end are omitted. Each run is fitted by weighted least squares, and parameters that contribute less than
1 % of the largest torque are dropped. The script prints the paper's Tables 1 to 3. Run it with
`python examples/puma260_identification.py [PICTURE]`; the picture shows the contribution of each of the 52 independent
parameters.
"""

from __future__ import annotations

import sys

import numpy as np

from torquec.identification.torque.torque_model import torque_model
from torquec.papers.elimination import Elimination
from torquec.papers.inward_basis import inward_basis
from torquec.papers.simulated_runs import gravity_coefficients, simulated_elimination
from torquec.report.figure import new_figure, save_figure
from torquec.report.identification_text import comparison_table, elimination_text
from torquec.robot import classics

LLOYD = {
    "fs1": 0.760, "fs2": 1.620, "fs3": 0.850, "fs4": 0.175, "fs5": 0.178, "fs6": 0.140,
    "ds1": 0.71, "ds2": 0.55, "ds3": 0.50, "ds4": 0.05, "ds5": 0.030, "ds6": 0.065,
}  # fmt: skip
"""Friction of the same robot as J. Lloyd measured it (the paper's Table 3)."""

GRAVITY = {"c12": 5.509, "c13": -1.1762, "c15": -0.192}
"""Coefficients of gravity that J. Lloyd measured [Nm] (the paper's section 7.1)."""


def main(picture: str | None = None) -> None:
    """Identify, print the tables, and draw."""
    robot = classics.puma260()
    model = torque_model(robot, friction="symmetric")
    basis = inward_basis(model)
    found = simulated_elimination(model, basis)
    print(elimination_text(found, basis.letters, standard=basis.standard))

    kept = [basis.letters[k] for k in found.kept]
    friction = [letter for letter in kept if letter in LLOYD]
    average = dict(zip(kept, found.after.average, strict=True))
    print("\nTable 3. Comparison of the Results Obtained for the Frictions\n")
    elsewhere, here = [LLOYD[name] for name in friction], [average[name] for name in friction]
    print(comparison_table(friction, elsewhere, here, source="J. Lloyd"))

    print("\nCoefficients of gravity [Nm]: g2 = c12 C2 + c13 S23 + c15 (S23 C5 + C23 C4 S5)\n")
    print(comparison_table(list(GRAVITY), list(GRAVITY.values()), gravity_coefficients(robot), source="J. Lloyd"))
    print("\nThe paper prints c13 = -1.176644; its own parameters give -1.76865.")
    if picture is not None:
        draw(found, basis.letters, picture)


def draw(found: Elimination, letters: tuple[str, ...], path: str) -> None:
    """The largest contribution of each parameter to a joint's torque, in parts of its largest torque."""
    order = np.argsort(found.shares)[::-1]
    colours = ["#0b5cad" if k in found.kept else "#b8bcc4" for k in order]
    figure = new_figure(10.0, 3.4, layout="constrained")
    axes = figure.subplots()
    axes.bar(range(len(order)), 100.0 * found.shares[order], color=colours, width=0.75)
    axes.axhline(1.0, color="#e08a1e", lw=1.5)
    axes.set(yscale="log", ylabel="contribution [% of the torque]", xlim=(-0.7, len(order) - 0.3))
    axes.set_xticks(range(len(order)), [letters[k] for k in order], rotation=90, fontsize=7)
    axes.set_title("52 independent parameters of a PUMA 260; the 23 that stay are blue", loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    print(save_figure(figure, path, dpi=150))


if __name__ == "__main__":
    main(*sys.argv[1:2])
