"""The robot in the report: its live view where the script of the pages was made, else a still picture."""

from __future__ import annotations

from torquec.errors import TorquecError
from torquec.model.model import Model
from torquec.page.view_page import view_page
from torquec.report.arm_picture import arm_picture
from torquec.report.blocks import Block, CommandLine, LiveView, paragraph


def live_view(model: Model, *, wanted: bool, called: str) -> list[Block]:
    """The blocks that show the robot of a model; none where its bodies all lie in one point.

    Where the live view is not `wanted`, or cannot be made, they say how to get it; `called` is the folder's name.
    """
    still = arm_picture(model.robot)
    if still is None:
        return []
    if not wanted:
        return [still, CommandLine(f"torquec report {called}", "This makes the page with the robot in 3D:")]
    try:
        page = view_page(model).html
    except TorquecError as error:
        reason = f"The robot is not shown in 3D: {error.found}."
        return [still, paragraph(f"{reason} To get it: {error.remedy}" if error.remedy else reason)]
    words = f"{model.robot.name} in 3D: move its joints or drag its hand; the compiled model computes in this page"
    return [LiveView(page, words, still)]
