"""The robot in the report: its live view where the script of the pages was made, else a still picture."""

from __future__ import annotations

from torquec.errors import TorquecError
from torquec.foundation.reading import is_below, is_file
from torquec.model.model import Model
from torquec.page.motion_table import SimulatedRun
from torquec.page.view_page import view_page
from torquec.report.arm_picture import arm_picture
from torquec.report.blocks import Block, CommandLine, LiveView, paragraph
from torquec.report.found_documents import RUN_FILE, FoundFolder
from torquec.robot.robot import Robot
from torquec.trajectory.csv_file import read_recorded_motion


def live_view(model: Model, folder: FoundFolder) -> list[Block]:
    """The blocks that show the robot of a model; none where its bodies all lie in one point.

    It plays what simulations left in the folder. Where the live view is not wanted, or cannot be made, they say how to
    get it.
    """
    still = arm_picture(model.robot)
    if still is None:
        return []
    if not folder.live:
        return [still, CommandLine(f"torquec report {folder.called}", "This makes the page with the robot in 3D:")]
    runs, refused = runs_to_play(model.robot, folder)
    try:
        page = view_page(model, runs=runs).html
    except TorquecError as error:
        reason = f"The robot is not shown in 3D: {error.found}."
        return [still, paragraph(f"{reason} To get it: {error.remedy}" if error.remedy else reason)]
    words = f"{model.robot.name} in 3D: move its joints or drag its hand; the compiled model computes in this page"
    played = "; it plays what was simulated" if runs else ""
    return [LiveView(page, f"{words}{played}", still), *(paragraph(reason) for reason in refused)]


def runs_to_play(robot: Robot, folder: FoundFolder) -> tuple[list[SimulatedRun], list[str]]:
    """The runs of this robot's joints in a folder, and which could not be read."""
    runs: list[SimulatedRun] = []
    refused: list[str] = []
    for document in folder.of_kind("simulate"):
        file = document.path.with_name(RUN_FILE)
        if not (is_file(file) and is_below(file, folder.path)):
            continue
        try:
            if document.values["joints"].texts != robot.joint_names:
                continue
            trajectory, tau = read_recorded_motion(file, joints=robot.joint_names)
            name = document.values.get("experiment")
            title = (document.folder or document.name) if name is None else name.text
            runs.append(SimulatedRun(title, trajectory, tau))
        except TorquecError as error:
            refused.append(f"The run beside {document.name} is not played: {error.found}.")
    return runs, refused
