"""Limits near to one are told, with the side and the share; others are not."""

from __future__ import annotations

import pytest

from torquec.report.narrow_limits import narrow_limits


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((0.95, 1.5), ["5 % less inertia"]),
        ((0.5, 1.05), ["5 % more inertia"]),
        ((0.99, 1.01), ["1 % less inertia", "1 % more inertia"]),
        ((0.85, 1.15), []),
        ((None, None), []),
    ],
)
def test_limits_within_a_tenth_are_told(ends, words):
    said = narrow_limits({"gamma": ends})
    assert len(said) == len(words)
    assert all(word in text for word, text in zip(words, said, strict=True))
