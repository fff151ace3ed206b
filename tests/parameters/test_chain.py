"""A serial robot as the theorems see it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.parameters.serial_arms import QUARTER, dh_arm, random_arm

from torquec.parameters.chain import ChainLink, LinearForm, chain, composite_constants
from torquec.parameters.minimal_combinations import file_frame_inertias, numeric_links
from torquec.parameters.rational_geometry import rational_geometry
from torquec.robot import classics
from torquec.spatial import Inertia, Pose


def facts(robot):
    return chain(robot, rational_geometry(robot))


@pytest.mark.parametrize(
    ("name", "r", "s"), [("puma560", 0, 1), ("stanford", 0, 1), ("scara", 0, 4), ("planar2r", 0, 2)]
)
def test_first_two_directions(name, r, s):
    found = facts(classics.load_classic(name))
    assert (found.r, found.s) == (r, s)


def test_slides_only_have_no_rotation():
    found = facts(dh_arm("slides", [(True, 0.0, 0.0, 0.0, 0.0), (True, QUARTER, 0.0, 0.0, 0.0)]))
    assert (found.r, found.s) == (2, 2)


def test_joints_about_one_line():
    """R R with only an offset along the axis, then one across it; a slide along the axis does not matter."""
    rows = [
        (False, 0.0, 0.0, 0.0, 0.0),
        (False, 0.0, 0.0, 0.3, 0.5),
        (True, 0.0, 0.0, 0.0, 0.1),
        (False, 0.0, 0.0, 0.0, 0.2),
        (False, 0.0, 0.4, 0.0, 0.0),
    ]
    found = facts(dh_arm("line", rows))
    assert [found.turns_about_one_line(j) for j in (0, 1, 3, 4)] == [True, True, True, False]


def test_offsets_that_a_slide_brings_back():
    """0.3 out and 0.3 back with a slide between: the second rotation is about the line of the first."""
    out_and_back = [(False, 0.0, 0.0, 0.0, 0.0), (True, 0.0, 0.3, 0.0, 0.0), (False, 0.0, -0.3, 0.0, 0.0)]
    assert facts(dh_arm("there", out_and_back)).turns_about_one_line(2)
    out_and_aside = [(False, 0.0, 0.0, 0.0, 0.0), (True, 0.0, 0.3, QUARTER, 0.0), (False, 0.0, -0.3, 0.0, 0.0)]
    assert not facts(dh_arm("aside", out_and_aside)).turns_about_one_line(2)


def test_gravity_along_the_first_axis():
    assert facts(classics.puma560()).gravity_is_parallel_to_r()
    assert not facts(classics.puma560(gravity=(0.1, 0.0, -9.81))).gravity_is_parallel_to_r()


def test_point_masses_on_a_bar():
    """Point masses of 3 and 4 kg, 2 m and then 1 m apart: mass, first and second moment about the first axis."""
    bar = [
        ChainLink(True, Pose()),
        ChainLink(True, Pose(origin=(2.0, 0.0, 0.0))),
        ChainLink(True, Pose(origin=(1.0, 0.0, 0.0))),
    ]
    first, second, third = composite_constants(bar, [Inertia(), Inertia(m=3.0), Inertia(m=4.0)])
    assert (first.m, second.m, third.m) == (7.0, 7.0, 4.0)
    assert (first.mx, second.mx) == (14.0, 4.0)
    assert (first.zz, second.zz) == (2.0**2 * 7.0 + 1.0**2 * 4.0, 4.0)


def test_what_varies_does_not_go_inward():
    """A rotational joint gives mass, k_z and the tensor's part about z; a slide gives everything."""
    body = Inertia(1.0, 0.1, 0.2, 2.0, 0.3, 2.5, 0.4, 0.5, 0.6, 7.0)
    turning = composite_constants([ChainLink(True, Pose()), ChainLink(True, Pose())], [Inertia(), body])[0]
    assert turning.parameters == (2.0, 0.0, 0.0, 2.0, 0.0, 2.5, 0.0, 0.0, 0.6, 7.0)
    sliding = composite_constants([ChainLink(True, Pose()), ChainLink(False, Pose())], [Inertia(), body])[0]
    assert sliding == body


@pytest.mark.parametrize("seed", range(10))
def test_forms_and_numbers_agree(seed):
    """The recursion over forms in the parameters, evaluated, is the recursion over numbers."""
    robot = random_arm(seed)
    geometry = rational_geometry(robot)
    links, forms = numeric_links(geometry), file_frame_inertias(geometry)
    symbolic = composite_constants(links, forms)
    values = [Fraction(v) for body in robot.bodies for v in body.inertia.parameters]

    def at(form):
        return sum(c * values[k] for k, c in form.coefficients.items()) if isinstance(form, LinearForm) else form

    numbers = [Inertia(*(at(form) for form in body.parameters)) for body in forms]
    expected = composite_constants(links, numbers)
    for found, given in zip(symbolic, expected, strict=True):
        assert [at(form) for form in found.parameters] == list(given.parameters)


def test_form_arithmetic():
    a, b = LinearForm({0: Fraction(2)}), LinearForm({0: Fraction(-2), 3: Fraction(1)})
    assert (a + b).coefficients == {3: 1}
    assert (a - a).coefficients == {}
    assert (0 - b).coefficients == {0: 2, 3: -1}
    assert (Fraction(1, 2) * a).coefficients == {0: 1}
    assert (a * 0).coefficients == {}


def test_first_axis_feels_everything_it_carries():
    """U_zz of the first of two parallel axes is the constant part of the mass matrix element M_11."""
    arm = dh_arm("arm", [(False, 0.0, 0.0, 0.0, 0.0), (False, 0.0, 0.4, 0.0, 0.0)])
    geometry = rational_geometry(arm)
    numbers = [link.inertia for link in arm.canonical.links]
    u = composite_constants(numeric_links(geometry), numbers)[0]
    from torquec.dynamics.mass_matrix import mass_matrix

    mean = np.mean([mass_matrix(arm, [0.0, angle])[0][0] for angle in np.linspace(0.0, 2 * np.pi, 8, endpoint=False)])
    assert float(u.zz) == pytest.approx(mean, rel=1e-12)
