"""Notebooks from scripts with `# %%` cells in `examples/notebooks/`: `python -m tests.notebooks` writes them."""

from __future__ import annotations

import ast
import json

from tests.page_blocks import ROOT

FOLDER = ROOT / "examples" / "notebooks"
MARK, TEXT = "# %%", "# %% [markdown]"


def cells_of(script):
    """Pairs (is code, source) of a script; texts without their comment signs."""
    cells = []
    for line in script.splitlines():
        if line.startswith(MARK):
            cells.append((line != TEXT, []))
        else:
            cells[-1][1].append(line)
    return [(code, "\n".join(lines if code else [line[2:] for line in lines]).strip("\n")) for code, lines in cells]


def notebook_of(script):
    """The notebook (nbformat 4.5) of a script as JSON, without outputs."""
    cells = []
    for k, (is_code, source) in enumerate(cells_of(script)):
        cell = {"cell_type": "code" if is_code else "markdown", "id": f"cell{k}", "metadata": {}}
        cells.append(
            cell | ({"execution_count": None, "outputs": []} if is_code else {}) | {"source": source.splitlines(True)}
        )
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def run_cells(script):
    """The value of each code cell's last expression, None where it has none; all cells share one namespace."""
    space, shown = {"__name__": "__main__"}, []
    for is_code, source in cells_of(script):
        if not is_code:
            continue
        tree = ast.parse(source)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell", "exec"), space)
        shown.append(None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), space))
    return shown


def main():
    """Write every notebook anew."""
    for path in sorted(FOLDER.glob("*.py")):
        path.with_suffix(".ipynb").write_text(notebook_of(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
