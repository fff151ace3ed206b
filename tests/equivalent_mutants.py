"""Mutants that no test can find, because no result changes; `tests/mutation.py` leaves them out."""

from __future__ import annotations

_SAME = "differs where both are the same double, to the last bit"
_EFFORT = "how much is tried, not what holds"

EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "proof/enclosure/bernstein.py",
        "ROUNDING_STEPS = 64",
        "64  ->  65",
    ): "an allowance that grows makes no bound untrue",
    ("codegen/c/sincos.py", "continue", "continue  ->  break"): "the last coefficient ends the loop anyway",
    (
        "codegen/c/names.py",
        'return self.infinity if value > 0.0 else f"-{self.infinity}"',
        "value > 0.0  ->  value >= 0.0",
    ): "an infinity is not zero",
    (
        "codegen/c/source.py",
        "_WIDTH = 96  # of comments, inside the limit of 100 that C projects often have",
        "96  ->  97",
    ): "lines are still within a hundred",
    (
        "codegen/c/source.py",
        'lines += textwrap.wrap(paragraph, width, subsequent_indent=again, break_on_hyphens=False) or [""]',
        "False  ->  True",
    ): "where a comment is wrapped",
    (
        "codegen/c/source.py",
        "_LONGEST_LINE = 99  # of tables, for the same limit",
        "99  ->  100",
    ): "lines are still within a hundred",
    (
        "codegen/c/sincos.py",
        'parts.append(first if coefficients[k] > 0.0 else f"({first})")',
        "coefficients[k] > 0.0  ->  coefficients[k] >= 0.0",
    ): "no coefficient is zero",
    (
        "proof/torque/coefficient_bound.py",
        "if (limit is None or target < limit) and (absolute or target < 1.0):",
        "target < limit  ->  target <= limit",
    ): _SAME,
    (
        "proof/torque/coefficient_bound.py",
        "if (limit is None or target < limit) and (absolute or target < 1.0):",
        "target < 1.0  ->  target <= 1.0",
    ): _SAME,
    (
        "proof/torque/torque_bounds.py",
        "largest = np.zeros(states.shape[:2])",
        "2  ->  3",
    ): "the first round overwrites it",
    (
        "proof/torque/torque_bounds.py",
        "_SAMPLES = 300_000",
        "300000  ->  300001",
    ): _EFFORT,
    (
        "proof/torque/error_peaks.py",
        "return error_peaks(surface, box, samples=20000, climbs=128)",
        "20000  ->  20001",
    ): _EFFORT,
    (
        "proof/torque/error_peaks.py",
        "_, first = np.unique(np.round(points, 5), axis=0, return_index=True)",
        "5  ->  6",
    ): "which peaks count as the same one",
    (
        "proof/enclosure/grid_bound.py",
        "counts[k] += 1",
        "1  ->  2",
    ): "bounds hold for any grid; this one is finer by steps",
    (
        "proof/torque/torque_bound.py",
        "return _NEARER if proven.target > _FAR * found else _CLOSER if proven.target > _CLOSE * found else _LITTLE",
        "_CLOSE * found  ->  _CLOSE / found",
    ): _EFFORT,
    (
        "proof/torque/torque_bound.py",
        "most = max(500, _budget(proven, found) // max(points, 500))",
        "max  ->  min",
    ): _EFFORT,
    (
        "proof/torque/torque_bound.py",
        "elif isinstance(outcome, Exhausted) and proven is not None:",
        (
            "isinstance(outcome, Exhausted) and proven is not None"
            "  ->  isinstance(outcome, Exhausted) or proven is not None"
        ),
    ): "what is not shown of a bound is not shown of a smaller one",
    ("proof/torque/torque_residual.py", "_NOISE = 2e-14", "2e-14  ->  4e-14"): "what is dropped as rounding is counted",
}
"""File, line and change, as a run prints them, and the reason."""
