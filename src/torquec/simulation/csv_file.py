"""A run as a CSV file: a row per recorded sample, joints in the header.

    t,q_joint1,..,qd_joint1,..,q_ref_joint1,..,tau_joint1,..

The last row has no step of its own; its torques are those of the row before, still held.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np

from torquec.errors import ArgumentError
from torquec.robot.file import to_path
from torquec.simulation.closed_loop import SimulationResult


def write_result(result: SimulationResult, path: str | os.PathLike[str]) -> Path:
    """Write a run; gives the path. The file is whole or not there.

    Raises `ArgumentError` where it cannot be written.
    """
    target = to_path(path)
    held = result.tau[-1:] if len(result.tau) else np.zeros((1, len(result.joints)))
    columns = {"q": result.q, "qd": result.qd, "q_ref": result.q_ref, "tau": np.concatenate([result.tau, held])}
    header = ["t", *(f"{kind}_{joint}" for kind in columns for joint in result.joints)]
    rows = np.column_stack([result.t, *columns.values()]).tolist()
    scratch = target.with_name(f".{target.name}.part")
    try:
        with scratch.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows([[repr(value) for value in row] for row in rows])
        scratch.replace(target)
    except OSError as error:
        scratch.unlink(missing_ok=True)
        raise ArgumentError(
            f"cannot write there: {error.strerror or error}", where=str(target), remedy="name a file that can be made"
        ) from error
    return target
