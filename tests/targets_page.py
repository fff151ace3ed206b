"""The page docs/targets.md: `python -m tests.targets_page` writes it from the table of targets."""

from __future__ import annotations

from pathlib import Path

from torquec.codegen.target import CarriedClaim
from torquec.realtime.targets import OPTIONS, TARGETS, PackageTarget, targets_with

PAGE = Path(__file__).resolve().parents[1] / "docs" / "targets.md"

HEAD = """# Targets

`torquec generate MODEL --target TARGET -o DIR` writes the code of a model; `targets` in the `[generate]` part of a
[project](project.md) takes the same names. In the names of files PREFIX is the robot's name or `--prefix`, and FUNCTION
a function's name. An option that a target does not take is refused before any work, with the targets that take it.
This page is made from the table in `torquec/realtime/targets.py`.

```shell
torquec generate planar2r --target numpy --quantity mass_matrix -o arm_py
```
"""

CLAIMS = {
    CarriedClaim.TEXT: "the code states the proven bounds, their box and the hash of the certificate. Check the model "
    "file that it was generated from; the code itself is not checked.",
    CarriedClaim.MODEL: "the code states them, and the model file with its certificate lies beside it: `torquec check "
    "FILE.tq.json` proves the bounds again; the code itself is not checked.",
    CarriedClaim.PACKAGE: "model file, certificate and a manifest lie beside the code: `torquec check DIR` proves the "
    "bounds again, and compares every byte of the code with what the model gives.",
}

_MORE = """The C of `c`, `object` and `rt-c` is described in [generated C](generated-c.md), the two rates and ROS 2 in
[real time](real-time.md), WebAssembly in [a browser](how-to/browser.md).
"""


def true_page() -> str:
    """The page."""
    parts = [HEAD, _targets(), _options(), _claims(), _MORE]
    return "\n".join(parts)


def _targets() -> str:
    lines = ["| target | what | files | precision | model | claim |", "|---|---|---|---|---|---|"]
    for name, row in TARGETS.items():
        files = ", ".join(f"`{file}`" for file in row.files)
        precisions = ", ".join(row.precisions)
        lines.append(f"| `{name}` | {row.title} | {files} | {precisions} | {_models(row)} | {row.claim} |")
    return "\n".join(lines) + "\n"


def _models(row: PackageTarget) -> str:
    return "with " + ", ".join(f"`{name}`" for name in row.needs) if row.needs else "any"


def _options() -> str:
    lines = ["## Options", "", "| option | targets |", "|---|---|"]
    for option in OPTIONS:
        able = targets_with(option)
        named = "all" if able == list(TARGETS) else ", ".join(f"`{name}`" for name in able)
        lines.append(f"| `--{option}` | {named} |")
    return "\n".join(lines) + "\n"


def _claims() -> str:
    lines = ["## The claim of a certified model", "", "What of it travels with the code:", ""]
    lines += [f"- {claim}: {words}" for claim, words in CLAIMS.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(true_page(), encoding="utf-8")
