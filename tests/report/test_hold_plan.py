"""A background that runs too rarely is warned of, with how far the error may then be beyond what is allowed."""

from __future__ import annotations

from torquec.report.blocks import Tone
from torquec.report.hold_plan import period_note
from torquec.report.stored_values import StoredValue

PLAN = {
    "period": 0.02,
    "order": "first",
    "total": {"a": 9.0, "b": 0.117},
    "allowed": {"a": 3.0, "b": 0.002},
    "recommended": {"zeroth": None, "first": None},
}


def note(**changes):
    found = period_note(StoredValue(PLAN | changes, "plan.json"), "plan.json")
    return None if found is None else (found.tone, "".join(map(str, found.parts)))


def test_no_period_is_short_enough():
    every = "With the background period of 20 ms the torque error may be 58.5 times what is allowed, at b: "
    assert note() == (Tone.WARNING, every + "no period is short enough to prove it, first order.")


def test_a_shorter_period_is_named():
    _, text = note(recommended={"zeroth": None, "first": 0.004})
    assert text.endswith("a background period of 4 ms is short enough.")


def test_a_period_that_is_short_enough_and_a_plan_that_asks_nothing():
    assert note(recommended={"first": 0.05}, total={"a": 3.0, "b": 0.001}) is None
    assert note(allowed=None) is None


def test_a_background_that_would_run_more_than_once_a_cycle():
    short = {"recommended": {"first": 2e-4}, "period": 2e-4, "total": {"a": 3.0, "b": 0.001}}
    tone, text = note(**short, cycle=1e-3)
    assert tone is Tone.WARNING
    assert text.startswith("The background period of 0.2 ms is shorter than a cycle of 1 ms: compute the whole law in")
    assert note(**short, cycle=1e-4) is None
    assert note(**short, cycle=None) is None
