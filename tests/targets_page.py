"""The page docs/targets.md: `python -m tests.targets_page` writes it from the table of targets."""

from __future__ import annotations

from pathlib import Path

from torquec.codegen.target import CodeCheck
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

CHECKS = {
    CodeCheck.READ: "the C is read and compared with the programs of the model, operation by operation, by the small "
    "package `torquec_check`, which shares no code with the generator; it is generated again, too.",
    CodeCheck.REBUILT: "the code is generated again from the model and compared byte by byte: that it computes the "
    "model's programs rests on the generator.",
}

_MORE = """The C of `c`, `object` and `rt-c` is described in [generated C](generated-c.md), the two rates and ROS 2 in
[real time](real-time.md), WebAssembly in [a browser](how-to/browser.md). The crate of `rust` is `no_std` and has the
bits of the C; `cargo test` compares it with recorded results. The units of `fmu` are described in
[FMI](how-to/fmu.md). Functions of JAX and PyTorch are made in Python:
[JAX and PyTorch](how-to/jax-torch.md).
"""


def true_page() -> str:
    """The page."""
    parts = [HEAD, _targets(), _options(), _claims(), _MORE]
    return "\n".join(parts)


def _targets() -> str:
    lines = ["| target | what | files | precision | model | code is |", "|---|---|---|---|---|---|"]
    for name, row in TARGETS.items():
        files = ", ".join(f"`{file}`" for file in row.files)
        precisions = ", ".join(row.precisions)
        lines.append(f"| `{name}` | {row.title} | {files} | {precisions} | {_models(row)} | {row.check} |")
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
    lines = [
        "## The claim of a certified model",
        "",
        "Code of a certified model states its claim: robot, payload, locked joints, gravity, bounds, box, conditions.",
        "The model file with its certificate lies beside the code, and a manifest lists every file. `torquec check`",
        "proves the bounds again, refuses any file that the manifest does not list, and compares the code:",
        "",
    ]
    lines += [f"- {check}: {words}" for check, words in CHECKS.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(true_page(), encoding="utf-8")
