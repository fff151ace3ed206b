"""References of witnesses: enclosed over every window, jumps included."""

from __future__ import annotations

import numpy as np
import pytest

import torquec as tq
from torquec.trajectory.polynomial_motion import polynomial_motion
from torquec_check.document import RefusedError
from torquec_check.reference_motion import reference_of, windows


def _reference(motion):
    values = {"breaks": np.asarray(motion.breaks).tolist(), "coefficients": np.asarray(motion.coefficients).tolist()}
    return reference_of(values, np.asarray(motion.coefficients).shape[2])


@pytest.mark.parametrize("period", [0.01, 0.0137])
@pytest.mark.parametrize("rows", [2, 7, 60])
def test_windows_hold_the_motion_and_little_more(period, rows):
    rng = np.random.default_rng(rows)
    t = np.sort(np.concatenate([[0.0, 0.6], rng.uniform(0.05, 0.55, rows - 2)]))
    q, qd, qdd = rng.normal(size=(3, rows, 2))
    qd[0], qd[-1], qdd[-1] = 0.0, 0.0, 0.0
    motion = polynomial_motion(t + 1.0, q, qd, qdd)
    cells = [(a - 2, a + 3) for a in range(0, int(0.6 / period) + 6, 3)]
    found = windows(_reference(motion), period, cells)
    for k, (a, b) in enumerate(cells):
        times = 1.0 + np.linspace(max(a, 0), b, 301) * period
        moving = times[times <= 1.6]
        states = motion.at(moving)
        for order, values in enumerate((states.q, states.qd, states.qdd)):
            if len(values):
                low, high = found.ends[order, :, k]
                assert np.all(low <= values.min(axis=0) + 1e-12)
                assert np.all(high >= values.max(axis=0) - 1e-12)
        if times[-1] > 1.6:
            assert np.all(found.ends[1, 0, k] <= 0.0)
            assert np.all(np.abs(found.ends[0, :, -1] - q[-1]) < 1e-9)
    narrow = windows(_reference(motion), 1e-4, [(k, k + 1) for k in range(5900)])
    assert (narrow.ends[0, 1] - narrow.ends[0, 0]).max() < 1e-3 * (1.0 + np.abs(narrow.ends[1]).max())


def test_jumps_are_counted():
    smooth = tq.minimum_jerk([0.0], [1.0], 1.0).motion
    found = windows(_reference(smooth), 0.01, [(0, 50), (50, 100)])
    assert found.jumps.max() < 1e-11
    assert found.acceleration_jumps.max() < 1e-10
    line = {"breaks": [0.0, 1.0, 2.0], "coefficients": [[[0.0], [1.5]], [[1.0], [0.0]], *[[[0.0], [0.0]]] * 4]}
    jumped = windows(reference_of(line, 1), 0.01, [(0, 200)])
    np.testing.assert_allclose(jumped.jumps[:, 0], [0.5, 1.0], atol=1e-12)
    bent = {"breaks": [0.0, 1.0], "coefficients": [[[0.0]], [[0.0]], [[1.0]], *[[[0.0]]] * 3]}
    found = windows(reference_of(bent, 1), 0.01, [(0, 20), (90, 120)])
    np.testing.assert_allclose(found.acceleration_jumps[:, 0], [0.0, 2.0], atol=1e-12)
    assert not reference_of(line, 1).starts_at_rest
    assert reference_of(bent, 1).starts_at_rest


@pytest.mark.parametrize("breaks", [[0.0], [0.0, 0.0], [1.0, 0.5], [0.0, float("inf")]])
def test_breaks_rise(breaks):
    rows = [[[0.0]] * max(len(breaks) - 1, 1)] * 6
    with pytest.raises(RefusedError):
        reference_of({"breaks": breaks, "coefficients": rows}, 1)


def test_long_references_are_refused():
    long = {"breaks": [0.0, 1e6], "coefficients": [[[0.0]]] * 6}
    with pytest.raises(RefusedError, match="samples"):
        windows(reference_of(long, 1), 0.001, [(0, 1)])
