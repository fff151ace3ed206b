"""The log of a run as a CSV file: a row for every cycle.

    cycle,t,latency,compute,mode,faults,coefficient_age,q_joint1,..,qd_..,wanted_..,tau_joint1,..

Seconds and SI units; `mode` and `faults` are the numbers of `GuardMode` and `Fault`; nan where there was nothing.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from torquec.foundation.csv_text import csv_text
from torquec.foundation.reading import to_path
from torquec.foundation.writing import write_files
from torquec.realtime.runtime.cycle_log import CycleLog


def write_cycle_log(log: CycleLog, path: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Write a log; gives the path. Raises `ArgumentError` where it cannot be written."""
    target = to_path(path)
    single = {
        "cycle": log.cycle,
        "t": log.t,
        "latency": log.latency,
        "compute": log.compute,
        "mode": log.mode,
        "faults": log.faults,
        "coefficient_age": log.coefficient_age,
    }
    by_joint = {"q": log.q, "qd": log.qd, "wanted": log.wanted, "tau": log.tau}
    header = [*single, *(f"{name}_{joint}" for name in by_joint for joint in log.joints)]
    write_files({target: csv_text(header, np.column_stack([*single.values(), *by_joint.values()]))}, force=force)
    return target
