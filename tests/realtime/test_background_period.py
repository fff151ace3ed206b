"""One background period, from the plan to headers, examples and the runtime of a package."""

from __future__ import annotations

import re

import pytest
from tests.codegen.c.compiler import COMPILERS, build, needs_compiler, run

import torquec as tq
from torquec.realtime.background_period import background_nanoseconds, oldest_coefficients
from torquec.realtime.package import write_two_rate_package
from torquec.realtime.plan import plan_background
from torquec.simplification.specification import parse_specification

ARM = tq.classics.planar2r()
TEXT = "[every_joint]\nvelocity = 1\nacceleration = 2\njerk = 30\ntorque_error = {error}"


def plan(error=0.5, **options):
    return plan_background(ARM, parse_specification(TEXT.format(error=error), ARM), search=False, **options)


def written(folder, **options):
    law = tq.computed_torque(ARM, -20.0, period=0.001)
    package = write_two_rate_package(ARM, folder, law=law, **options)
    return {path.name: path.read_text() for path in package.files}


@pytest.mark.parametrize("period", [0.0073, None])
def test_a_package_has_the_background_period_of_its_plan_and_no_other(tmp_path, period):
    given = None if period is None else plan(period=period)
    files = written(tmp_path, plan=given)
    nanoseconds, words = (20000000, "20 ms") if period is None else (7300000, "7.3 ms")
    origin = "the default: no plan" if period is None else "that of the plan."
    tasks = files["planar2r_rt_tasks.h"]
    assert f"#define planar2r_rt_BACKGROUND_PERIOD {nanoseconds}LL" in tasks
    assert f"Background period {words} (planar2r_rt_BACKGROUND_PERIOD), {origin}" in tasks
    stated = [name for name, text in files.items() if re.search(r"BACKGROUND_PERIOD \d|background_period = \d", text)]
    assert stated == ["planar2r_rt_tasks.h"]
    assert "background_period = planar2r_rt_BACKGROUND_PERIOD;" in files["planar2r_rt_runtime.h"]
    oldest = 80000000 if period is None else 50000000
    assert f"oldest_coefficients = {oldest};" in files["planar2r_rt_runtime.h"]
    assert "wait_until(&next, planar2r_rt_BACKGROUND_PERIOD)" in files["example_posix.c"]
    if given is not None:
        assert f"background period {words}," in " ".join(files["planar2r_rt.h"].replace("\n *", " ").split())


def test_periods_are_rounded_down_to_nanoseconds():
    assert background_nanoseconds(0.0003) == 300000
    assert background_nanoseconds(1.9e-9) == background_nanoseconds(1e-12) == 1


def test_coefficients_are_too_old_after_four_periods_and_not_before_fifty_milliseconds():
    assert [oldest_coefficients(period) for period in (0.001, 0.0125, 0.1)] == [0.05, 0.05, 0.4]


def test_nobody_is_recommended_more_than_a_second():
    assert plan(error=1e6).period == 1.0
    assert plan(error=1e6, period=3.0).period == 3.0


@needs_compiler
@pytest.mark.parametrize("order", ["zeroth", "first"])
def test_the_example_runs_in_the_order_of_the_package_at_its_period(tmp_path, order):
    files = written(tmp_path, order=order, plan=plan(order=order, period=0.03))
    assert f"#define planar2r_rt_FIRST_ORDER {int(order == 'first')} " in files["planar2r_rt_tasks.h"]
    sources = [tmp_path / "example_posix.c", tmp_path / "planar2r_rt.c"]
    build(COMPILERS[0], "-std=c11", "-Wall", "-Werror", *sources, "-lm", "-lpthread", "-o", tmp_path / "example")
    done = run(tmp_path / "example")
    assert done.returncode == 0, done.stdout
    assert "background period 30 ms" in done.stdout
