import numpy as np
import pytest
from scipy.optimize import linprog

from torquec.codegen.llvm import compile_function
from torquec.haptics.box_collision import PlacedBox, box_gap, box_gap_function
from torquec.spatial import rpy_rotation


def random_box(rng):
    return PlacedBox(
        tuple(rng.uniform(-1, 1, 3)), rpy_rotation(*rng.uniform(-3, 3, 3)), tuple(rng.uniform(0.1, 0.7, 3))
    )


def common_point(first, second):
    """Whether some point lies in both boxes: a linear program, which knows nothing of separating directions."""
    rows, limits = [], []
    for box in (first, second):
        axes = np.array(box.rotation).T
        rows += [axes, -axes]
        limits += [axes @ box.centre + box.half, -(axes @ box.centre) + np.array(box.half)]
    found = linprog(np.zeros(3), A_ub=np.concatenate(rows), b_ub=np.concatenate(limits), bounds=(None, None))
    return found.status == 0


def test_against_a_linear_program():
    rng = np.random.default_rng(1)
    verdicts = []
    for _ in range(150):
        first, second = random_box(rng), random_box(rng)
        gap = box_gap(first, second)
        assert gap == pytest.approx(box_gap(second, first), abs=1e-12)
        if abs(gap) > 1e-9:
            verdicts.append(gap < 0)
            assert (gap < 0) == common_point(first, second)
    assert 20 < sum(verdicts) < 130


def test_boxes_with_the_same_axes():
    straight = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    one = PlacedBox((0.0, 0.0, 0.0), straight, (0.5, 0.5, 0.5))
    assert box_gap(one, PlacedBox((1.5, 0.0, 0.0), straight, (0.5, 0.5, 0.5))) == pytest.approx(0.5)
    assert box_gap(one, PlacedBox((0.9, 0.2, 0.0), straight, (0.5, 0.5, 0.5))) == pytest.approx(-0.1)


def test_moving_by_the_gap_ends_the_overlap():
    rng = np.random.default_rng(2)
    for _ in range(100):
        first, second = random_box(rng), random_box(rng)
        gap = box_gap(first, second)
        if gap < 0:
            shrunk = [PlacedBox(b.centre, b.rotation, tuple(h + gap / 2 for h in b.half)) for b in (first, second)]
            if min(h for b in shrunk for h in b.half) > 0:
                assert box_gap(*shrunk) > gap


def test_native_code_gives_the_same():
    function = compile_function(box_gap_function())
    rng = np.random.default_rng(3)
    for _ in range(20):
        boxes = random_box(rng), random_box(rng)
        found = function(*(np.array(part, dtype=float) for box in boxes for part in box))
        assert float(np.ravel(found)[0]) == pytest.approx(box_gap(*boxes), abs=1e-12)
