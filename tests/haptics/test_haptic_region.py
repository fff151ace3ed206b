from dataclasses import replace

import pytest
from tests.haptics.port_loops import PUMA, TORQUE_ARM

from torquec.errors import ArgumentError
from torquec.haptics.coupled_passivity import PassivityTest
from torquec.haptics.haptic_port import HapticPort
from torquec.haptics.haptic_region import (
    RenderedQuantity,
    encoder_force,
    haptic_region,
    region_planes,
    renderable_interval,
)
from torquec.haptics.port_loop import RenderedImpedance


def test_impedance_rendering_has_colgates_edges():
    found = haptic_region(TORQUE_ARM, RenderedImpedance(0.0, 0.5, 500.0))
    assert set(found.intervals) == {RenderedQuantity.DAMPING, RenderedQuantity.STIFFNESS}
    assert found.intervals[RenderedQuantity.STIFFNESS].upper == pytest.approx(1500.0, rel=2e-3)
    assert found.intervals[RenderedQuantity.DAMPING].upper == pytest.approx(1.5, rel=2e-3)
    assert found.intervals[RenderedQuantity.DAMPING].lower == 0.0
    assert found.is_inside
    assert found.worst.margin > 0.0


def test_the_ends_are_ends():
    rendered = RenderedImpedance(5.0, 20.0)
    found = haptic_region(PUMA, rendered)
    test = PassivityTest(PUMA)
    for quantity, interval in found.intervals.items():
        assert interval.holds(getattr(rendered, quantity.value))
        for end, outwards in ((interval.lower, 0.97), (interval.upper, 1.03)):
            if 0.0 < end < 1e300:
                assert test.is_passive(replace(rendered, **{quantity.value: end}))
                assert not test.is_passive(replace(rendered, **{quantity.value: end * outwards}))


def test_slower_filters_ask_for_more_damping():
    lowest = [
        renderable_interval(PassivityTest(loop), RenderedImpedance(5.0, 20.0), RenderedQuantity.DAMPING).lower
        for loop in (*(replace(PUMA, force_cutoff=cutoff) for cutoff in (200.0, 50.0)), replace(PUMA, force_delay=0.02))
    ]
    assert lowest == sorted(lowest)


def test_an_uncertain_model_renders_less():
    sure, unsure = (
        renderable_interval(
            PassivityTest(replace(PUMA, port=HapticPort(8.0, 20.0, model_error=error))),
            RenderedImpedance(5.0, 20.0),
            RenderedQuantity.MASS,
        )
        for error in (0.0, 0.3)
    )
    assert unsure.lower > sure.lower


def test_nothing_is_renderable_without_damping():
    found = haptic_region(PUMA, RenderedImpedance(5.0))
    assert found.intervals[RenderedQuantity.MASS] is None
    assert not found.is_inside


def test_encoders_shake_the_drive_by_the_gains():
    """One count, half of it wrong: k + c/T and then c/T."""
    rendered = RenderedImpedance(5.0, 20.0)
    k, c = PUMA.stiffness_gain, PUMA.damping_gain
    assert encoder_force(PUMA, rendered) == pytest.approx(0.5 * 5e-5 * (k + 2.0 * c / 0.002))
    smooth = encoder_force(replace(PUMA, velocity_cutoff=30.0), rendered)
    assert 0.5 * 5e-5 * k < smooth < 0.5 * encoder_force(PUMA, rendered)
    found = haptic_region(PUMA, rendered)
    assert found.encoder_leak == pytest.approx(found.encoder_force - 10.0)
    quiet = haptic_region(replace(PUMA, port=replace(PUMA.port, friction=100.0)), rendered)
    assert quiet.encoder_leak == 0.0


def test_planes_show_the_region():
    rendered = RenderedImpedance(5.0, 20.0)
    planes = region_planes(PUMA, rendered, points=5)
    assert [(plane.across, plane.up) for plane in planes] == [
        (RenderedQuantity.MASS, RenderedQuantity.DAMPING),
        (RenderedQuantity.STIFFNESS, RenderedQuantity.DAMPING),
    ]
    test = PassivityTest(PUMA)
    for i, damping in enumerate(planes[0].y):
        for j, mass in enumerate(planes[0].x):
            assert (planes[0].margin[i, j] > 0.0) == test.is_passive(RenderedImpedance(mass, damping))
    assert len(region_planes(TORQUE_ARM, RenderedImpedance(0.0, 1.0, 100.0), points=3)) == 1


def test_misuse():
    with pytest.raises(ArgumentError, match="an admittance needs an object with mass"):
        haptic_region(PUMA, RenderedImpedance(0.0, 1.0))
