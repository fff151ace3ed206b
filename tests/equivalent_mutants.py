"""Mutants that no test can find, because no result changes; `tests/mutation.py` leaves them out."""

from __future__ import annotations

_WORDS = "words of a message"
_SIZE = "how much is held at once, not what comes of it"
_SAME = "differs where both are the same double, to the last bit"
_GIVEN_UP = "when a search is given up, not what it shows"
_EFFORT = "how much is tried, not what holds"
_SIDES = "boxes are cut across sides that nothing depends on, which changes no range"
_NODES = "any points determine the same polynomial"

EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "proof/checker/harmonic_table.py",
        "return np.linspace(-1.0, 1.0, degree + 1) if slides else 2.0 * np.pi * np.arange(count) / count",
        "1.0  ->  2.0",
    ): _NODES,
    ("proof/checker/harmonic_table.py", "_MOST_PRODUCTS = 4_000_000", "4000000  ->  4000001"): _SIZE,
    (
        "proof/checker/harmonic_table.py",
        "matrix[degree + sign * k, 2 * k] = -0.5j * sign",
        "-0.5j * sign  ->  -0.5j / sign",
    ): "a sign is its own inverse",
    ("proof/checker/program_form.py", "speeds, accelerations = max(rates)", "max  ->  min"): _WORDS,
    (
        "proof/checker/program_form.py",
        "return _Form(frozenset({(0, 0)}), 0, AngleSum(((element, 1.0),), 0.0))",
        "0.0  ->  1.0",
    ): "offsets are read where the multiples cancel, and cancel with them",
    (
        "proof/checker/modular_degree.py",
        "self._seed, self._count = seed, 0",
        "0  ->  1",
    ): "other random numbers, as good as these",
    (
        "proof/checker/check_boxes.py",
        "step = max(1, _CHUNK_VALUES // max(table.size, 1))",
        "1  ->  2",
    ): _SIZE,
    (
        "proof/checker/check_boxes.py",
        "if any(high - low > _LONGEST_INTERVAL for low, high in pieces):",
        "any  ->  all",
    ): "no piece is as long: the line before sees to that",
    (
        "proof/checker/check_boxes.py",
        "left = left[~(least[left] <= enough[left])]",
        "least[left] <= enough[left]  ->  least[left] < enough[left]",
    ): "where both are equal one more step is made, and nothing else",
    (
        "proof/torque/torque_tables.py",
        "found[joint] = max(least, int(present.max(initial=0)))",
        "0  ->  1",
    ): "a degree that is too high by one changes no table",
    (
        "proof/checker/check_boxes.py",
        "self._signs = np.array([[s[j] * s[k] for j, k in pairs if j < k] for s in signs])",
        "s[j] * s[k]  ->  s[j] / s[k]",
    ): "a sign is its own inverse",
    (
        "proof/checker/program_form.py",
        "return _Form(frozenset({(0, 0)}), 0, _limited(angle))",
        "0  ->  1",
    ): "the degree of an angle itself is never read",
    (
        "proof/checker/program_form.py",
        "return _Form(frozenset({(0, 0)}), 0, _limited(added))",
        "0  ->  1",
    ): "the degree of an angle itself is never read",
    (
        "proof/enclosure/bernstein.py",
        "ROUNDING_STEPS = 64",
        "64  ->  65",
    ): "an allowance that grows makes no bound untrue",
    (
        "proof/checker/harmonic_table.py",
        "matrix[degree + sign * k, 2 * k] = -0.5j * sign",
        "degree + sign * k  ->  degree - sign * k",
    ): "the functions of mirrored angles, whose magnitudes are the same",
    (
        "proof/checker/modular_degree.py",
        "turned = single if multiple > 0 else _Point(single.c, -single.s)",
        "multiple > 0  ->  multiple >= 0",
    ): "nothing is added for no multiple",
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
        "proof/checker/check_boxes.py",
        "choices = np.array([(1.0, *rest) for rest in itertools.product((1.0, -1.0), repeat=max(len(speeds) - 1, 0))])",
        "len(speeds) - 1  ->  len(speeds) + 1",
    ): "signs of speeds that are not there: the same products more than once",
    (
        "proof/checker/check_coefficients.py",
        "table = np.concatenate([control, np.zeros((1, control.shape[1]))])  # a row that was left out is the last one",
        "1  ->  2",
    ): "the first row of zeros is the one that is read",
    (
        "proof/checker/modular_degree.py",
        "weight = 1 if slides else pow(1 + t * t, degree, field.p)",
        "1  ->  2",
    ): "twice a difference is zero where it is",
    (
        "proof/checker/check_floats.py",
        'read = sorted({step.element for step in program.operations if step.op is Op.INPUT and step.port == "q"})',
        "step.op is Op.INPUT and step.port == 'q'  ->  step.op is Op.INPUT or step.port == 'q'",
    ): _SIDES,
    (
        "proof/enclosure/branch_and_bound.py",
        "self.is_hopeless = bool((self.functional(at_corners, self.target) * (1.0 - 1e-5) > self.target).any())",
        "1.0 - 1e-05  ->  1.0 + 1e-05",
    ): _GIVEN_UP,
    (
        "proof/enclosure/branch_and_bound.py",
        "self.is_hopeless = bool((self.functional(at_corners, self.target) * (1.0 - 1e-5) > self.target).any())",
        (
            "self.functional(at_corners, self.target) * (1.0 - 1e-05)  ->  "
            "self.functional(at_corners, self.target) / (1.0 - 1e-05)"
        ),
    ): _GIVEN_UP,
    (
        "proof/enclosure/branch_and_bound.py",
        "self.is_hopeless = bool((self.functional(at_corners, self.target) * (1.0 - 1e-5) > self.target).any())",
        "1e-05  ->  2e-05",
    ): _GIVEN_UP,
    (
        "proof/enclosure/branch_and_bound.py",
        "self.is_hopeless = bool((self.functional(at_corners, self.target) * (1.0 - 1e-5) > self.target).any())",
        (
            "self.functional(at_corners, self.target) * (1.0 - 1e-05) > s  ->  "
            "self.functional(at_corners, self.target) * (1.0 - 1e-05) >= "
        ),
    ): _GIVEN_UP,
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
        "proof/torque/torque_bound.py",
        "return None if limit is not None and bound > limit else TorqueBound(bound * PUBLISHED, found, ((LEAF,),))",
        "bound > limit  ->  bound >= limit",
    ): _SAME,
    (
        "proof/rounding/single_rounding.py",
        "top = np.where(has_top, 1.0, np.maximum(first, last) + _SINE_OUTWARDS)",
        "1.0  ->  2.0",
    ): "no range is wider than from -1 to 1 in the end",
    (
        "proof/checker/check_certificate.py",
        "if not 0.0 <= most <= certificate.joints[name].bound:",
        "0.0 <= most <= certificate.joints[name].bound  ->  0.0 <= most < certificate.joints[name].bound",
    ): "a bound that is nothing but rounding leaves no room for a proof",
    (
        "proof/checker/check_boxes.py",
        "choices = np.array([(1.0, *rest) for rest in itertools.product((1.0, -1.0), repeat=max(len(speeds) - 1, 0))])",
        "-1.0  ->  1.0",
    ): "signs of speeds that are not there: the same products more than once",
    (
        "proof/checker/check_boxes.py",
        "choices = np.array([(1.0, *rest) for rest in itertools.product((1.0, -1.0), repeat=max(len(speeds) - 1, 0))])",
        "0  ->  1",
    ): "signs of speeds that are not there: the same products more than once",
    (
        "proof/checker/check_coefficients.py",
        "if not off <= UNNAMED * scale:",
        "off <= UNNAMED * scale  ->  off < UNNAMED * scale",
    ): _SAME,
    (
        "proof/checker/rounded_evaluation.py",
        "if op is Op.MUL and (a.is_zero or b.is_zero):",
        "a.is_zero or b.is_zero  ->  a.is_zero and b.is_zero",
    ): "what is zero is carried, and is zero",
    (
        "proof/checker/modular_degree.py",
        'read = {s.element for s in program.operations if s.op is Op.INPUT and s.port == "q"}',
        "s.op is Op.INPUT and s.port == 'q'  ->  s.op is Op.INPUT or s.port == 'q'",
    ): "a position that is not read has the degree zero either way",
    (
        "proof/checker/program_form.py",
        "return _Form(frozenset({(0, 0)}), 0, AngleSum(((element, 1.0),), 0.0))",
        "0  ->  1",
    ): "rates and degree of an angle itself are never read",
    (
        "proof/checker/harmonic_table.py",
        "return np.linspace(-1.0, 1.0, degree + 1) if slides else 2.0 * np.pi * np.arange(count) / count",
        "2.0 * np.pi  ->  2.0 / np.pi",
    ): _NODES,
    (
        "proof/checker/check_coefficients.py",
        "super().__init__(1, proof.name, allowed, table.table, table.sliding, table.degrees)",
        "1  ->  2",
    ): "rows are no torque: how many speeds there are is never read",
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
        "proof/checker/check_boxes.py",
        "t = np.full(lowering.shape, 0.5)",
        "0.5  ->  1.0",
    ): "any t of [0, 1] bounds the sum; steps from there go on",
    (
        "proof/checker/check_floats.py",
        "tried = 0",
        "0  ->  1",
    ): _EFFORT,
    (
        "proof/checker/residual_grid.py",
        "_CHUNK, _CHUNK_VALUES = 5_000, 6_000_000",
        "6000000  ->  6000001",
    ): _SIZE,
    (
        "proof/torque/torque_residual.py",
        "thirds = list(itertools.product((1.0, 0.0, -1.0), repeat=n if n <= _MOST_SPEEDS else 0))",
        "0  ->  1",
    ): "of so many speeds they are never read",
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
    (
        "proof/enclosure/branch_and_bound.py",
        "self._split(batch[b], _bend((field / weights[b]).reshape(shape)))",
        "field / weights[b]  ->  field * weights[b]",
    ): "which side of a box is halved",
    ("proof/torque/torque_residual.py", "_NOISE = 2e-14", "2e-14  ->  4e-14"): "what is dropped as rounding is counted",
}
"""File, line and change, as a run prints them, and the reason."""
