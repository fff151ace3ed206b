"""Verdicts: what speaks against an estimate, and that nothing else does."""

from __future__ import annotations

from torquec.identification.result.verdict import Parameter, PredictedLog, Trust, judge


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
    found = judge(known, training=0.01, validation=0.01, predicted=[PredictedLog("other.csv", 0.13)])
    assert str(found) == "overfit: the error is 1.00% on what was fitted and 13.00% on other.csv"
    assert found.trust is Trust.OVERFIT
    assert "trusted" in str(judge(known, training=0.01, validation=0.01, predicted=[PredictedLog("b", 0.015)]))
    assert "trusted" in str(judge(known, training=1e-6, validation=1e-6, predicted=[PredictedLog("b", 1e-4)]))


def test_a_fit_that_failed_is_doubtful_whatever_its_errors():
    found = judge(parameters(0.1), training=0.01, validation=0.01, problem="no fit")
    assert found.trust is Trust.DOUBTFUL
    assert str(found).startswith("doubtful: no fit; apart from that trusted")


def test_the_error_itself_is_judged():
    """Every parameter known well, cross-validation as good as the fit, yet two thirds of the torques are missing."""
    found = judge(parameters(0.01, 0.01), training=0.63, validation=0.65)
    assert found.trust is Trust.INACCURATE
    assert "63.00%" in str(found)
    assert judge(parameters(0.01, 0.01), training=0.1, validation=0.12).is_trusted


def test_what_no_uncertainty_explains_is_another_robot():
    log = PredictedLog("b.csv", 0.15, uncertainty=0.01)
    found = judge(parameters(0.01), training=0.01, validation=0.01, predicted=[log])
    assert found.trust is Trust.OTHER_ROBOT
    assert "b.csv" in str(found)
    unsure = PredictedLog("b.csv", 0.15, uncertainty=0.1)
    assert judge(parameters(0.01), training=0.01, validation=0.01, predicted=[unsure]).trust is Trust.OVERFIT


def test_a_log_at_rest_speaks_for_nothing():
    found = judge(
        parameters(0.01), training=0.01, validation=0.01, predicted=[PredictedLog("still.csv", 0.001, 0.0, 0.02)]
    )
    assert "still.csv hardly moves" in str(found)
