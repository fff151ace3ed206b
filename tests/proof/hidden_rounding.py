"""Terms that are nothing, or too small to be seen, wherever a checker evaluates a program, because rounding hides them.

Each is a factor that doubles do not have as real numbers have it (a number lost in a large one, a sum that cancels, a
product that is too large), times a wave that is zero on the grid of the honest program.
"""

from __future__ import annotations

from tests.proof.raw_steps import RawSteps

from torquec.expr import Op


def lost_offset(steps, joint, rng):
    """sin(q + 2^k + 1 - 2^k) - sin q: the doubles of the numbers add up to zero, the numbers to one."""
    large = steps.number(2.0 ** int(rng.integers(54, 60)))
    angle = steps.read("q", joint)
    moved = steps.append(Op.SUB, steps.sum(angle, large, steps.number(1.0)), large)
    wave = (Op.SIN, Op.COS)[int(rng.integers(2))]
    return steps.append(Op.SUB, steps.append(wave, moved), steps.append(wave, angle))


def lost_number(steps, joint, rng):
    """q + 2^k + 1 - 2^k - q, a number that is one, and zero in doubles."""
    large = steps.number(2.0 ** int(rng.integers(54, 60)))
    angle = steps.read("q", joint)
    moved = steps.append(Op.SUB, steps.sum(angle, large, steps.number(1.0)), large)
    return steps.append(Op.SUB, moved, angle)


def lost_multiple(steps, joint, rng):
    """sin((q - q + 2^k + 1 - 2^k) q) - sin(0): an angle times a number that is one, and zero in doubles."""
    angle = steps.read("q", joint)
    nothing = steps.product(angle, lost_number(steps, joint, rng))
    return steps.append(Op.SIN, nothing)


def cancelling_sum(steps, joint, rng):
    """(sin q + 2^k) - 2^k - sin q: zero, and up to 2^(k - 53) in doubles."""
    large = steps.number(2.0 ** int(rng.integers(50, 60)))
    wave = steps.append(Op.SIN, steps.read("q", joint))
    return steps.append(Op.SUB, steps.append(Op.SUB, steps.sum(wave, large), large), wave)


def cancelling_product(steps, joint, rng):
    """((cos q + c) c) - (c cos q + c^2) with a large c: zero but for rounding, also that of the number c^2."""
    c = 2.0 ** int(rng.integers(25, 35)) / 3.0
    large, wave = steps.number(c), steps.append(Op.COS, steps.read("q", joint))
    first = steps.product(steps.sum(wave, large), large)
    return steps.append(Op.SUB, first, steps.sum(steps.product(wave, large), steps.number(c * c)))


def too_large(steps, joint, rng):
    """A value that no double holds, times zero: no number at all."""
    large = steps.number(10.0 ** int(rng.integers(155, 308)))
    wave = steps.append(Op.COS, steps.read("q", joint))
    return steps.product(wave, large, large, steps.number(0.0))


KINDS = (lost_offset, lost_number, lost_multiple, cancelling_sum, cancelling_product, too_large)


def hidden(program, kind, rng, *, size=1e3, nodes=(3,)):
    """The program with `size` times a hidden term, zero at so many even angles, in its first result."""
    steps = RawSteps(program)
    i, j = (int(x) for x in rng.permutation(program.input("q").size)[:2])
    count = float(nodes[int(rng.integers(len(nodes)))])
    angle = steps.product(steps.number(count), steps.read("q", j))
    term = steps.product(kind(steps, i, rng), steps.append(Op.SIN, angle), steps.number(size))
    return steps.with_result(0, term)
