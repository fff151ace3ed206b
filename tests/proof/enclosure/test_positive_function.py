import numpy as np
import pytest

from torquec.proof.enclosure.positive_function import Cells, chebyshev_points, is_positive


def cells(ends, y0=-1.0, y1=1.0):
    ends = np.asarray(ends, dtype=float)
    count = len(ends) - 1
    return Cells(ends[:-1], ends[1:], np.full(count, y0), np.full(count, y1))


def told(function, ends, ny=7, **heights):
    some = cells(ends, **heights)
    return is_positive(function, some, function(*some.points(9, ny)))


@pytest.mark.parametrize("depth", [1e-2, 1e-5, 1e-8])
def test_the_lowest_point_of_a_valley_decides(depth):
    """Its bottom lies between all samples; its place and its height are known."""
    rng = np.random.default_rng(1)
    for _ in range(10):
        a, b, tilt = rng.uniform(0.0, 3.0), rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0)
        for lowest in (depth, -depth):

            def valley(x, y, a=a, b=b, tilt=tilt, lowest=lowest):
                return (x - a + tilt * (y - b)) ** 2 + 0.3 * (y - b) ** 2 + lowest

            assert told(valley, [0.0, 1.0, 3.0]) == (lowest > 0.0)


def test_a_narrow_dip_is_found_in_the_cell_that_ends_at_it():
    for width, deep in ((1e-2, 1.01), (1e-4, 1.01), (1e-4, 0.99)):

        def dip(x, y, width=width, deep=deep):
            return 1.0 - deep / (1.0 + ((x - 0.4) / width) ** 2) + 0.0 * y

        apart = width * 2.0 ** np.arange(-1.0, 12.0)
        ends = np.unique(np.concatenate([[0.0, 1.0], 0.4 + apart[apart < 0.4], 0.4 - apart[apart < 0.4]]))
        assert told(dip, ends, ny=1, y0=0.0, y1=0.0) == (deep < 1.0)


def test_what_cannot_be_told_is_not_positive():
    assert not told(lambda x, y: (x - 0.3) ** 2 + 0.0 * y, [0.0, 1.0])
    assert not told(lambda x, y: np.where(x > 0.5, np.nan, 1.0) + 0.0 * y, [0.0, 1.0])
    assert told(lambda x, y: 1e-300 + 0.0 * (x + y), [0.0, 1.0])


def test_points_are_inside_and_ascend():
    x = chebyshev_points(9)
    assert 0.0 < x[0] < x[-1] < 1.0
    assert (np.diff(x) > 0.0).all()
    px, py = cells([0.0, 2.0]).points(3, 2)
    assert px.shape == py.shape == (1, 3, 2)
    assert (px[0, :, 0] == 2.0 * chebyshev_points(3)).all()
