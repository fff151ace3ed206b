"""Verdicts: what speaks against an estimate, and that nothing else does."""

from __future__ import annotations

from torquec.identification.result.verdict import Expected, Parameter, PredictedLog, Promise, Trust, judge


def parameters(*stds, significant=(True, True)):
    return [Parameter(name, 1.0, std, matters) for name, std, matters in zip("ab", stds, significant, strict=False)]


def promise(error=0.01, *, unknown=0.0, **joints):
    return Promise(error, {name: Expected(1.0, share) for name, share in joints.items()}, "1.5 rad/s", unknown)


def test_parameters_that_are_hardly_known_are_named_but_torques_are_trusted():
    found = judge(parameters(0.1, 2.0), training=0.01, promise=promise())
    assert found.trust is Trust.TRUSTED
    assert "known to no better than 50%: b" in str(found)
    unimportant = parameters(0.1, 2.0, significant=(True, False))
    assert str(judge(unimportant, training=0.01, promise=promise())) == (
        "trusted: computed torque up to 1.5 rad/s, with an error of 1.00% on another motion"
    )


def test_what_is_not_known_elsewhere_in_the_range_is_poorly_excited():
    assert judge(parameters(0.1), training=0.01, promise=promise(unknown=0.09)).is_trusted
    found = judge(parameters(0.1, 2.0), training=0.01, promise=promise(unknown=0.3))
    assert found.trust is Trust.POORLY_EXCITED
    assert "30% of the torques" in str(found)
    assert "b" in found.reasons[1]


def test_joints_that_are_not_predicted_are_named():
    found = judge(parameters(0.1), training=0.01, promise=promise(shoulder=0.02, wrist=1.02))
    assert found.is_trusted
    assert "not predicted: wrist (102% of its variation)" in str(found)
    assert "shoulder" not in str(found)


def test_a_log_that_was_not_fitted_can_give_an_overfit_away():
    known = parameters(0.1)
    found = judge(known, training=0.01, promise=promise(), predicted=[PredictedLog("other.csv", 0.13)])
    assert str(found) == "overfit: 1.00% were expected of another motion, other.csv errs by 13.00%"
    assert found.trust is Trust.OVERFIT
    assert judge(known, training=0.01, promise=promise(), predicted=[PredictedLog("b", 0.015)]).is_trusted
    assert judge(known, training=0.01, promise=promise(0.08), predicted=[PredictedLog("b", 0.13)]).is_trusted
    assert judge(known, training=1e-6, promise=promise(1e-6), predicted=[PredictedLog("b", 1e-4)]).is_trusted


def test_a_fit_that_failed_is_doubtful_whatever_its_errors():
    found = judge(parameters(0.1), training=0.01, promise=promise(), problem="no fit")
    assert found.trust is Trust.DOUBTFUL
    assert str(found).startswith("doubtful: no fit; apart from that trusted")


def test_the_error_itself_is_judged():
    """Every parameter known well, yet two thirds of the torques are missing."""
    found = judge(parameters(0.01, 0.01), training=0.63, promise=promise(0.65))
    assert found.trust is Trust.INACCURATE
    assert "63.00%" in str(found)
    assert judge(parameters(0.01, 0.01), training=0.1, promise=promise(0.12)).is_trusted
    assert judge(parameters(0.01, 0.01), training=0.1, promise=promise(0.3)).trust is Trust.INACCURATE


def test_what_no_uncertainty_explains_is_another_robot():
    log = PredictedLog("b.csv", 0.15, uncertainty=0.01)
    found = judge(parameters(0.01), training=0.01, promise=promise(), predicted=[log])
    assert found.trust is Trust.OTHER_ROBOT
    assert "b.csv" in str(found)
    unsure = PredictedLog("b.csv", 0.15, uncertainty=0.1)
    assert judge(parameters(0.01), training=0.01, promise=promise(), predicted=[unsure]).trust is Trust.OVERFIT


def test_a_log_at_rest_speaks_for_nothing():
    still = PredictedLog("still.csv", 0.001, 0.0, 0.02)
    assert "still.csv hardly moves" in str(judge(parameters(0.01), training=0.01, promise=promise(), predicted=[still]))
