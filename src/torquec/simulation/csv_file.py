"""A run as a CSV file: a row per recorded sample, joints in the header.

    t,q_joint1,..,qd_..,qdd_..,q_ref_..,qd_ref_..,qdd_ref_..,tau_joint1,..

The last row has no step of its own; its torques are those of the row before, still held.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from torquec.foundation.csv_text import csv_text
from torquec.foundation.reading import to_path
from torquec.foundation.writing import write_files
from torquec.simulation.closed_loop import SimulationResult


def write_result(result: SimulationResult, path: str | os.PathLike[str]) -> Path:
    """Write a run; gives the path. The file is whole or not there.

    Raises `ArgumentError` where it cannot be written.
    """
    target = to_path(path)
    held = result.tau[-1:] if len(result.tau) else np.zeros((1, len(result.joints)))
    columns = {name: getattr(result, name) for name in ("q", "qd", "qdd", "q_ref", "qd_ref", "qdd_ref")}
    columns["tau"] = np.concatenate([result.tau, held])
    header = ["t", *(f"{kind}_{joint}" for kind in columns for joint in result.joints)]
    write_files({target: csv_text(header, np.column_stack([result.t, *columns.values()]))}, force=True)
    return target
