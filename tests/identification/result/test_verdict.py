"""Verdicts: what speaks against an estimate, and that nothing else does."""

from __future__ import annotations

from torquec.identification.result.verdict import Parameter, Trust, judge


def parameters(*stds, significant=(True, True)):
    return [Parameter(name, 1.0, std, matters) for name, std, matters in zip("ab", stds, significant, strict=False)]


def test_verdicts():
    assert "poorly excited: b" in str(judge(parameters(0.1, 2.0), training=0.01, validation=0.01))
    assert judge(parameters(0.1, 2.0), training=0.01, validation=0.01).trust is Trust.POORLY_EXCITED
    assert "overfit" in str(judge(parameters(0.1, 0.1), training=0.01, validation=0.1))
    unimportant = parameters(0.1, 2.0, significant=(True, False))
    assert "trusted" in str(judge(unimportant, training=0.01, validation=0.01))
    assert judge(unimportant, training=0.01, validation=0.01).is_trusted


def test_a_log_that_was_not_fitted_can_give_an_overfit_away():
    known = parameters(0.1)
    found = judge(known, training=0.01, validation=0.01, predicted={"other.csv": 0.13})
    assert str(found) == "overfit: the error is 1.00% on what was fitted and 13.00% on other.csv"
    assert found.trust is Trust.OVERFIT
    assert "trusted" in str(judge(known, training=0.01, validation=0.01, predicted={"b": 0.015}))
    assert "trusted" in str(judge(known, training=1e-6, validation=1e-6, predicted={"b": 1e-4}))


def test_a_fit_that_failed_is_doubtful_whatever_its_errors():
    found = judge(parameters(0.1), training=0.01, validation=0.01, problem="no fit")
    assert found.trust is Trust.DOUBTFUL
    assert str(found).startswith("doubtful: no fit; apart from that trusted")
