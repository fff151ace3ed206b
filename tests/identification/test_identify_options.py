"""Options of `identify`: words become choices, nonsense is refused, and what needs whole logs says so."""

from __future__ import annotations

import pytest

from torquec.errors import ArgumentError
from torquec.identification.estimators.method import Method
from torquec.identification.estimators.model_choice import STRENGTHS
from torquec.identification.identify_options import IdentifyOptions, Reading, freedom_of
from torquec.identification.torque.friction_law import FrictionModel
from torquec.robot import classics

ARM = classics.planar2r()


def test_words_become_choices():
    options = IdentifyOptions(method="huber", friction="offset", reading="pieces")
    assert (options.method, options.friction, options.reading) == (Method.HUBER, FrictionModel.OFFSET, Reading.PIECES)


@pytest.mark.parametrize("name", ["method", "friction", "derivatives", "reading"])
def test_other_words_are_refused_with_the_choices(name):
    with pytest.raises(ArgumentError, match=r"(?s)there is no .* .guess.*choose one of"):
        IdentifyOptions(**{name: "guess"})


@pytest.mark.parametrize("given", [{"strength": -1.0}, {"slowest": -0.1}, {"cutoff": 0.0}, {"piece_rows": 0}])
def test_numbers_that_cannot_be_are_refused(given):
    with pytest.raises(ArgumentError, match=next(iter(given))):
        IdentifyOptions(**given)


def test_what_needs_whole_logs():
    assert IdentifyOptions().needing_whole_logs == ()
    assert "huber" in IdentifyOptions(method=Method.HUBER).needing_whole_logs[0]
    assert len(IdentifyOptions(derivatives="splines", slowest=0.1).needing_whole_logs) == 2


def test_what_is_given_is_not_left_to_cross_validation():
    free = freedom_of(ARM, IdentifyOptions())
    assert (len(free.models), free.strengths) == (2, STRENGTHS)
    bound = freedom_of(ARM, IdentifyOptions(friction="offset", rotors=False, strength=0.5))
    assert (len(bound.models), bound.strengths) == (1, (0.5,))
    assert freedom_of(ARM, IdentifyOptions(method=Method.ORDINARY)).strengths == (0.0,)
