"""Instruments of a log: columns that follow its motion, but hardly the noise in it.

(1)  Z = A along the motion after a second low pass, at half the cut-off of the first: noise of positions grows with the
     square of its frequency in accelerations, so that most of what is in A lies in the upper half of the band
"""

from __future__ import annotations

import dataclasses

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.identification.logs.log_source import LogSource
from torquec.identification.logs.prepare import central_difference
from torquec.identification.torque.torque_model import TorqueModel

_SHARE = 0.5  # of the cut-off: keeps most of the motion, and has noise of its own


def instruments(model: TorqueModel, log: LogSource) -> Array:
    """Z (N, n, k) of (1) at the samples of a log that count; raises `ArgumentError` for a log in pieces."""
    samples = log.whole
    if samples is None:
        raise ArgumentError("instruments need all rows of a log at once", where=log.source, remedy="give shorter logs")
    slow = dataclasses.replace(samples, cutoff=_SHARE * samples.cutoff)
    q, qd = slow.low_passed(samples.q), slow.low_passed(samples.qd)
    smooth = dataclasses.replace(samples, q=q, qd=qd, qdd=central_difference(qd, samples.rate))
    columns: Array = model.regressor(smooth)[samples.used]
    return columns
