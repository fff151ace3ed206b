import math

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.haptics.admittance.haptic_caps import (
    HapticCaps,
    HapticStatus,
    capped_speed,
    capped_wrench,
    flagged,
    haptic_status_words,
)
from torquec.haptics.objects.virtual_object import ObjectWrench

CAPS = HapticCaps(force=100.0, moment=10.0, speed=1.0, turning=4.0, power=50.0)
NOTHING = ObjectWrench((0.0,) * 3, (0.0,) * 3)


def test_a_wrench_within_the_caps_is_untouched():
    wrench = ObjectWrench((60.0, 0.0, 80.0), (0.0, -10.0, 0.0))
    assert capped_wrench(CAPS, wrench) == (wrench, 0.0)


def test_a_larger_one_keeps_its_direction():
    wrench, flag = capped_wrench(CAPS, ObjectWrench((0.0, 300.0, 400.0), (20.0, 0.0, 0.0)))
    assert wrench.force == pytest.approx((0.0, 60.0, 80.0))
    assert wrench.moment == pytest.approx((10.0, 0.0, 0.0))
    assert flag == HapticStatus.FORCE_CAPPED


def test_speeds_are_scaled_together():
    cap = capped_speed(CAPS, (2.0, 0.0, 0.0), (0.0, 1.0, 0.0), NOTHING)
    assert cap == (0.5, float(HapticStatus.SPEED_CAPPED))
    assert capped_speed(CAPS, (0.6, 0.0, 0.8), (0.0, 4.0, 0.0), NOTHING) == (1.0, 0.0)


def test_power_into_the_hand_is_capped_and_power_out_of_it_is_not():
    push = ObjectWrench((-100.0, 0.0, 0.0), (0.0,) * 3)  # the hand brakes an object that drives it
    cap = capped_speed(CAPS, (0.8, 0.0, 0.0), (0.0,) * 3, push)
    assert cap.share * 0.8 * 100.0 == pytest.approx(50.0)
    assert cap.flag == HapticStatus.POWER_CAPPED
    assert capped_speed(CAPS, (-0.8, 0.0, 0.0), (0.0,) * 3, push) == (1.0, 0.0)


def test_random_motions_never_exceed_a_cap():
    rng = np.random.default_rng(1)
    for _ in range(300):
        v, w, f, m = rng.normal(size=(4, 3)) * rng.choice([0.1, 1.0, 100.0], size=(4, 1))
        wrench, _ = capped_wrench(CAPS, ObjectWrench(tuple(f), tuple(m)))
        cap = capped_speed(CAPS, tuple(v), tuple(w), wrench)
        slack = 1.0 + 1e-12
        assert cap.share <= 1.0
        assert np.linalg.norm(cap.share * v) <= CAPS.speed * slack
        assert np.linalg.norm(cap.share * w) <= CAPS.turning * slack
        assert -cap.share * (v @ wrench.force + w @ wrench.moment) <= CAPS.power * slack


def test_flags():
    assert flagged(0.0, HapticStatus.AT_LIMIT) == 0.0
    assert flagged(1e-9, HapticStatus.AT_LIMIT) == 8.0
    assert flagged(math.nan, HapticStatus.AT_LIMIT) == 8.0
    assert haptic_status_words(0) == []
    assert haptic_status_words(18) == ["force saturated", "out of reach"]


@pytest.mark.parametrize("change", [{"force": 0.0}, {"power": math.inf}, {"speed": math.nan}, {"effort": 1.5}])
def test_misuse(change):
    with pytest.raises(ArgumentError):
        HapticCaps(**change)
