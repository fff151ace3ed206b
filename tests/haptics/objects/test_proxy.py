import numpy as np
import pytest

from torquec.haptics.objects.contact import Block, Wall
from torquec.haptics.objects.proxy import moved_proxy, obstacle_faces
from torquec.spatial import rpy_rotation

FLOOR, SIDE, BACK = Wall((0.0, 0.0, 1.0), 0.0), Wall((1.0, 0.0, 0.0), 0.0), Wall((0.0, 1.0, 0.0), 0.0)


def follow(path, obstacles):
    faces = obstacle_faces(obstacles)
    proxy = np.array(path[0])
    for point in path:
        proxy = moved_proxy(proxy, np.array(point), faces)
    return proxy


def line(start, end, count=50):
    return list(np.linspace(start, end, count))


def test_without_a_wall_it_is_the_hand():
    np.testing.assert_array_equal(follow(line((1, 1, 1), (-1, 2, 3)), [Wall((0.0, 0.0, 1.0), -9.0)]), [-1, 2, 3])


def test_on_one_wall_it_slides():
    np.testing.assert_allclose(follow(line((1, 1, 1), (2, 3, -5)), [FLOOR]), [2, 3, 0], atol=1e-12)


def test_in_an_edge_and_in_a_corner():
    np.testing.assert_allclose(follow(line((1, 1, 1), (-1, 3, -1)), [FLOOR, SIDE]), [0, 3, 0], atol=1e-12)
    np.testing.assert_allclose(follow(line((1, 1, 1), (-1, -1, -1)), [FLOOR, SIDE, BACK]), [0, 0, 0], atol=1e-12)


def test_it_leaves_with_the_hand():
    path = line((1, 1, 1), (1, 1, -2)) + line((1, 1, -2), (1, 1, 0.5))
    np.testing.assert_allclose(follow(path, [FLOOR]), [1, 1, 0.5], atol=1e-12)


def test_a_thin_plate_holds_a_deep_hand():
    """A millimetre of plate, a hand a metre behind it: the nearest surface would be the far one."""
    plate = Block((0.0, 0.0, 0.0), (1.0, 1.0, 0.0005))
    proxy = follow(line((0.1, 0.2, 0.5), (0.1, 0.2, -1.0)), [plate])
    np.testing.assert_allclose(proxy, [0.1, 0.2, 0.0005], atol=1e-9)


def test_it_goes_round_the_edge_of_a_plate():
    plate = Block((0.0, 0.0, 0.0), (1.0, 1.0, 0.0005))
    path = line((0.1, 0.2, 0.5), (0.1, 0.2, -0.2)) + line((0.1, 0.2, -0.2), (1.5, 0.2, -0.2), 300)
    np.testing.assert_allclose(follow(path, [plate]), [1.5, 0.2, -0.2], atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_it_never_enters_a_block(seed):
    rng = np.random.default_rng(seed)
    block = Block((0.0, 0.0, 0.0), (0.3, 0.2, 0.4), rpy_rotation(*rng.uniform(-1, 1, 3)))
    faces = obstacle_faces([block])
    proxy = hand = np.array([1.0, 1.0, 1.0])
    touched = 0
    for _ in range(400):
        hand = 0.95 * hand + rng.normal(scale=0.1, size=3)  # drawn to the middle of the block
        proxy = moved_proxy(proxy, hand, faces)
        assert block.clearance(tuple(proxy)).distance > -1e-8
        touched += np.linalg.norm(proxy - hand) > 1e-3
    assert touched > 3
