"""A claim for the terminal: its bounds as a table, its conditions in a line each, as its sentence states them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from torquec.report.tables import table
from torquec_check.claim import SENTENCE_DIGITS, Bound, Claim, capitalized, named, rounded_up

_WIDTH = 110  # of a condition; longer ones continue, indented, on the next line
_HARD = "\N{NO-BREAK SPACE}"
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=[A-Za-z])|(?<=\d N) (?=m\b)")
"""A number and its unit stay on one line."""


def claim_text(claim: Claim) -> str:
    """What is claimed, a table of the bounds, and the conditions.

    >>> from torquec_check.claim import ClaimedRobot, Standing
    >>> bounds = (Bound("tracking_error", "elbow", 0.01231, "rad"), Bound("speed_error", "elbow", 0.2, "rad/s"))
    >>> arm = ClaimedRobot("arm", "c0ffee", ("no payload",))
    >>> print(claim_text(Claim(Standing.PROVEN, "tracking error", arm, bounds, (), ("starting on the reference",))))
    Tracking error, proven to be at most
      joint  tracking error  speed error
      elbow      0.0124 rad    0.2 rad/s
    under these conditions:
      arm (sha256 c0ffee)
      no payload
      starting on the reference
    """
    head = f"{capitalized(claim.what)}, {claim.standing} to be at most"
    return "\n".join([head, bound_table(claim.main_bounds), conditions_text(claim)])


def bound_table(bounds: Sequence[Bound]) -> str:
    """A row for each joint, a column for each quantity; every bound is rounded up, as in the sentence."""
    quantities = list(dict.fromkeys(each.quantity for each in bounds))
    cells: dict[str, dict[str, str]] = {}
    for each in bounds:
        shown = f"{rounded_up(each.bound, SENTENCE_DIGITS)} {each.unit}"
        cells.setdefault(named(each.joint), {})[each.quantity] = shown
    rows = [[joint, *(row.get(quantity, "-") for quantity in quantities)] for joint, row in cells.items()]
    return table(["joint", *(quantity.replace("_", " ") for quantity in quantities)], rows)


def conditions_text(claim: Claim) -> str:
    """The conditions of a claim, the robot first, in a line each; those of more than one line are indented."""
    robot = claim.robot
    setting = (f"{named(robot.name)} (sha256 {robot.sha256[:12]})" if robot.name else "", *robot.setting)
    lines = ["under these conditions:"]
    for condition in filter(None, (*setting, *claim.conditions, *map(str, claim.box))):
        wrapped = textwrap.wrap(
            _BEFORE_UNIT.sub(_HARD, condition),
            _WIDTH,
            initial_indent="  ",
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        lines += [line.replace(_HARD, " ") for line in wrapped]
    return "\n".join(lines)
