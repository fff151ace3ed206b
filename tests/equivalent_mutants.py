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
    ("codegen/c/source.py", "continue", "continue  ->  break"): "the last coefficient ends the loop anyway",
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
        "codegen/c/source.py",
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

_GROWS = "an allowance that grows makes no bound untrue"
_ALLOWED = "allowed, keys, dropped = max(SMALL * left, 1e-10 * total), sorted(found, key=sizes.__getitem__), 0.0"
_TANGENTS = "t = t + (sizes[np.argmax(raised, axis=0)].T - t) / (step + 1.0) if step else t"
_MOVED = "(sizes[np.argmax(raised, axis=0)].T - t) / (step + 1.0)"
_EXCEEDS = "if len(some) and not np.all(by_tangents(monomials, rows[:, some]) <= limits[some]):"
_CLOSE = "by_tangents(monomials, rows[:, some])"
_STIFF = "delta, stiffness = number(damping, name), inertia * resonance**2 / 4.0 * (1.0 - 1e-12)"
_LARGEST = "largest = (budget - certificate.bounds[name]) / (2.0 * delta) * (1.0 - 1e-12)"
_GROWTH = "growth = math.prod(max(float(np.abs(matrix).sum(axis=1).max()) for matrix, _ in some) for some in pieces)"
_NOISE = "if not off <= max(EXACT * size, ROUNDING * noise) or not noise <= most + 1e-100 < np.inf:"
_HEARD = 'heard_sum += np.abs(np.einsum("nri,ni->nr", g, B)) + 64.0 * UNIT * np.einsum("nri,ni->nr", at, np.abs(B))'
_ADDED = "np.abs(np.einsum('nri,ni->nr', g, B))"
_SPARE, _SQUARE = "a deviation that no number has adds nothing", "matrices (N, n, n) are square"
_STEP = "step = 8.0 * (R.shape[-1] + 2) * UNIT * (mid[k] @ np.abs(R))"
_WIDE = "wide = rad + 8.0 * (R.shape[-1] + 2) * UNIT * (np.abs(mid) + np.abs(lin).sum(axis=1))"
_DEFECT = "return np.asarray((np.abs(np.eye(R.shape[-1]) - R @ mass[0]) + _spread(R, mass, ball) + 8.0 * UNIT) * UP)"
_WAVES = "return around * cosine + sine + beyond, around * -sine + cosine + beyond"
_LEAST = "min(most, c.rounding.get(joint, math.inf))"
_AROUND_ZERO = "a ball around zero is its own negative"
_ANY_T = "any t will do: the bound is as true, and less close"
_LEFT_OUT = "rows that are left out are counted, whatever they are"

EQUIVALENT |= {
    ("torquec_check/boxes.py", _ALLOWED, "max  ->  min"): _LEFT_OUT,
    ("torquec_check/boxes.py", _ALLOWED, "SMALL * left  ->  SMALL / left"): _LEFT_OUT,
    ("torquec_check/boxes.py", _ALLOWED, "1e-10 * total  ->  1e-10 / total"): _LEFT_OUT,
    ("torquec_check/boxes.py", _ALLOWED, "1e-10  ->  2e-10"): _LEFT_OUT,
    (
        "torquec_check/boxes.py",
        _GROWTH,
        "max  ->  min",
    ): "pieces of one joint are of equal width, and differ in phase alone",
    ("torquec_check/specification.py", _STIFF, "1e-12  ->  2e-12"): _GROWS,
    ("torquec_check/specification.py", _LARGEST, "1e-12  ->  2e-12"): _GROWS,
    ("torquec_check/program_error.py", _TANGENTS, f"t + {_MOVED}  ->  t - {_MOVED}"): _ANY_T,
    ("torquec_check/program_error.py", _TANGENTS, f"{_MOVED}  ->  {_MOVED.replace('/', '*')}"): _ANY_T,
    (
        "torquec_check/program_error.py",
        _TANGENTS,
        "sizes[np.argmax(raised, axis=0)].T - t  ->  sizes[np.argmax(raised, axis=0)].T + t",
    ): _ANY_T,
    ("torquec_check/program_error.py", _TANGENTS, "step + 1.0  ->  step - 1.0"): _ANY_T,
    ("torquec_check/program_error.py", _TANGENTS, "1.0  ->  2.0"): _ANY_T,
    (
        "torquec_check/program_error.py",
        "left = left[np.argsort(limits[left] - sums[left])]",
        "limits[left] - sums[left]  ->  limits[left] + sums[left]",
    ): "the order in which points are looked at",
    (
        "torquec_check/program_error.py",
        _EXCEEDS,
        f"{_CLOSE} <= limits[some]  ->  {_CLOSE} < limits[some]",
    ): _SAME,
    (
        "torquec_check/rounding.py",
        "return Rounded(size, distance if size + distance <= p.largest else math.inf, p)",
        "size + distance <= p.largest  ->  size + distance < p.largest",
    ): _SAME,
    (
        "torquec_check/certificate.py",
        "if not rounding <= min(most, c.rounding.get(joint, math.inf)):",
        f"rounding <= {_LEAST}  ->  rounding < {_LEAST}",
    ): _SAME,
    (
        "torquec_check/parts.py",
        _NOISE,
        "off <= max(EXACT * size, ROUNDING * noise)  ->  off < max(EXACT * size, ROUNDING * noise)",
    ): _SAME,
    ("torquec_check/parts.py", _NOISE, "noise <= most + 1e-100 < np.inf  ->  noise < most + 1e-100 < np.inf"): _SAME,
    ("torquec_check/parts.py", _NOISE, "1e-100  ->  2e-100"): "nothing that a robot has is as small",
    ("torquec_check/program.py", "element: int = 0", "0  ->  1"): "an operation without a port has no element",
    (
        "torquec_check/package.py",
        'flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)',
        "0  ->  1",
    ): "the flag is there but on Windows",
    (
        "torquec_check/boxes.py",
        "if total * UP <= left:",
        "total * UP <= left  ->  total * UP < left",
    ): _SAME,
    (
        "torquec_check/boxes.py",
        "count = max(1, math.ceil(float(width) / (0.9 * math.pi) - 1e-9))",
        "1e-09  ->  2e-09",
    ): "pieces of another width cover the same range, and one that is too wide is refused",
    (
        "torquec_check/robot.py",
        "if max(map(abs, lengths)) > NEARLY_ROTATION or volume < 0.0:",
        "max(map(abs, lengths)) > NEARLY_ROTATION  ->  max(map(abs, lengths)) >= NEARLY_ROTATION",
    ): _SAME,
    (
        "torquec_check/rows.py",
        "return [(low, high) if turns else (-1.5708, 1.5708) for turns, low, high in ends]",
        "1.5708  ->  3.1416",
    ): "a wider range of the angle has the same displacements",
    (
        "torquec_check/program_error.py",
        "if len(moving) > _MOST_SPEEDS:",
        "len(moving) > _MOST_SPEEDS  ->  len(moving) >= _MOST_SPEEDS",
    ): _EFFORT,
    (
        "torquec_check/program_error.py",
        "left = np.flatnonzero(~(sums <= limits))",
        "sums <= limits  ->  sums < limits",
    ): "a point at its limit is looked at more closely, and its closer bound is not larger",
    ("torquec_check/rows.py", "flint.ctx.prec = 200", "200  ->  201"): "one more bit in constants, whose radii count",
    (
        "torquec_check/rows.py",
        "if key[:1] < (ANGLE,) <= key[-1:]:",
        "-1  ->  1",
    ): "longer products are refused by the next line",
    (
        "torquec_check/boxes.py",
        "if values < 0 or depth >= DEEPEST or not bends[axis] > 0.0:",
        "bends[axis] > 0.0  ->  bends[axis] >= 0.0",
    ): "what does not bend is refused at the deepest halving",
    ("torquec_check/rows.py", "ANGLE = 10**9", "9  ->  10"): "a number that no joint has",
    (
        "torquec_check/boxes.py",
        "if values < 0 or depth >= DEEPEST or not bends[axis] > 0.0:",
        "0  ->  1",
    ): "at most one control value less",
    (
        "torquec_check/positive_mass.py",
        "if not all(m > 0.0 for m in least) or not all(1e-300 < size < 1e300 for size in sizes):",
        "1e+300  ->  2e+300",
    ): "its rows overflow either way",
    (
        "torquec_check/tracking_loop.py",
        _HEARD,
        f"{_ADDED} + 64.0 * UNIT * np.ein  ->  {_ADDED} - 64.0 * UNIT * np.ein",
    ): "1e-14 of a sum that is rounded up by 1e-9",
    ("torquec_check/tracking_loop.py", _HEARD, "64.0  ->  128.0"): _GROWS,
    (
        "torquec_check/boxes.py",
        "if not all(weight.real > 0 for weight in columns[0]):",
        "weight.real > 0  ->  weight.real >= 0",
    ): "a weight is a product of cosines that are no zeros",
    ("torquec_check/tracking_disturbance.py", "m = 7 * n + 1", "7  ->  8"): _SPARE,
    ("torquec_check/tracking_disturbance.py", "m = 7 * n + 1", "1  ->  2"): _SPARE,
    ("torquec_check/tracking.py", _STEP, "-1  ->  1"): _SQUARE,
    ("torquec_check/tracking_disturbance.py", _WIDE, "-1  ->  1"): _SQUARE,
    ("torquec_check/tracking_disturbance.py", _DEFECT, "-1  ->  1"): _SQUARE,
    (
        "torquec_check/tracking_disturbance.py",
        "y = np.linalg.solve(np.eye(D.shape[-1]) - D * _WIDER, c[..., None] * _WIDER)[..., 0]",
        "-1  ->  1",
    ): _SQUARE,
    ("torquec_check/tracking.py", _STEP, "1  ->  2"): _SQUARE,
    ("torquec_check/tracking_disturbance.py", _DEFECT, "1  ->  2"): _SQUARE,
    (
        "torquec_check/affine.py",
        _WAVES,
        "around * cosine + sine + beyond  ->  around * cosine + sine - beyond",
    ): _AROUND_ZERO,
    (
        "torquec_check/affine.py",
        _WAVES,
        "around * -sine + cosine + beyond  ->  around * -sine + cosine - beyond",
    ): _AROUND_ZERO,
    (
        "torquec_check/tracking_loop.py",
        "largest, level, begun = np.abs(g).max(axis=2), [], []",
        "np.abs(g).max  ->  np.abs(g).min",
    ): "rows that are longer at most: what is older counts with the radii",
    (
        "torquec_check/tracking.py",
        "loop, gains = problem.loop, problem.gains.level[:, 0, 2]",
        "0  ->  1",
    ): "all joints have the same gains where these are read",
    (
        "torquec_check/reference_motion.py",
        "instants = start + period * np.arange(count + 1)",
        "1  ->  2",
    ): "an instant after the end cuts nothing",
    (
        "torquec_check/tracking_disturbance.py",
        "push = _numbers(qdd, dqdd, 2 * n, m)",
        "2  ->  3",
    ): "deviations of their own, too",
    (
        "torquec_check/boxes.py",
        "count = max(1, math.ceil(float(width) / (0.9 * math.pi) - 1e-9))",
        "float(width) / (0.9 * math.pi) - 1e-09  ->  float(width) / (0.9 * math.pi) + 1e-09",
    ): "one piece more of a range of just as many",
    (
        "torquec_check/c_source.py",
        'if self._written.pop(f"{name}[{k}]", -1) != self._of_step[value]:',
        "1  ->  2",
    ): "no value has a negative number",
    (
        "torquec_check/tracking_disturbance.py",
        "rows = robot_torques(replace(robot, gravity=(0.0,) * 3), at, moments)",
        "0.0  ->  1.0",
    ): "the mass matrix has no weight",
    (
        "torquec_check/program_error.py",
        "if np.any(quick > _FAR * limits[some]):",
        "np.any  ->  np.all",
    ): _EFFORT,
    (
        "torquec_check/boxes.py",
        "steps = (2 if size > 3 and k not in (0, axis) else 1 for k, size in enumerate(control.shape))",
        "3  ->  4",
    ): "sizes are odd",
    (
        "torquec_check/reference_motion.py",
        "for order in range(3):",
        "3  ->  4",
    ): "the fourth is not read",
    (
        "torquec_check/tracking_loop.py",
        "if np.all(np.abs(g).max(axis=2) <= _FORGOTTEN * largest):",
        "np.abs(g).max(axis=2) <= _FORGOTTEN * largest  ->  np.abs(g).max(axis=2) < _FORGOTTEN * largest",
    ): "a row more, which decays",
    (
        "torquec_check/tracking_disturbance.py",
        "y = np.linalg.solve(np.eye(D.shape[-1]) - D * _WIDER, c[..., None] * _WIDER)[..., 0]",
        "1  ->  2",
    ): _SQUARE,
    (
        "torquec_check/tracking_disturbance.py",
        "y = np.full_like(c, -1.0)",
        "1.0  ->  2.0",
    ): "any negative number is refused",
    (
        "torquec_check/boxes.py",
        "pieces = [_pieces(count, *ends) for count, ends in zip(counts, ranges, strict=True) if count > 1]",
        "1  ->  2",
    ): "numbers of nodes are odd",
    (
        "torquec_check/boxes.py",
        "if multiple > 1 and high - low >= TURN:",
        "multiple > 1  ->  multiple >= 1",
    ): "once an angle is the angle",
}
