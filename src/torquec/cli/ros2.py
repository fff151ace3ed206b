"""`torquec ros2 run|plant|record`: a law, a simulated robot and a recorder as ROS 2 nodes (extra `ros2`)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import Writes
from torquec.cli.options import degrees_option, force_option, joint_values, option
from torquec.cli.output import progress
from torquec.cli.realtime import GuardedRunOptions, run_on

if TYPE_CHECKING:
    from torquec.model.model import Model

_STATES = "Topic of the joint states, sensor_msgs/JointState."
_EFFORTS = "Topic of the efforts, std_msgs/Float64MultiArray in joint order."
_EFFORT_TOPIC = "effort_controller/commands"


@dataclass(frozen=True, kw_only=True)
class Ros2RunOptions(GuardedRunOptions):
    """The topics, and the options of every guarded run."""

    states: str = option("joint_states", _STATES, metavar="TOPIC")
    efforts: str = option(_EFFORT_TOPIC, _EFFORTS, metavar="TOPIC")


@command("run", Ros2RunOptions, example="torquec ros2 run puma560 --rate 200", extra="ros2", metavar="MODEL")
def ros2_run(model: Model, options: Ros2RunOptions) -> Outcome:
    """Run a control law on a robot behind ROS 2: joint states in, efforts out, between guards.

    The law runs in a C thread, as in `torquec realtime run`. A fault, a number that is not finite, or missing joint
    states take the efforts to zero. Exit status 1 if a fault ended the run.
    """
    from torquec.realtime.runtime.ros2_robot import Ros2Robot

    return run_on(model, options, Ros2Robot(options.states, options.efforts), f"ros2:{options.states}")


@dataclass(frozen=True, kw_only=True)
class Ros2PlantOptions(CommandOptions):
    """Start, duration and topics of the simulated robot."""

    q: str | None = option(None, "Where the joints start.  [default: 0, or mid-way between limits]", metavar="LIST")
    deg: bool = degrees_option()
    rate: float = option(1000.0, "States per second.", metavar="HZ")
    seconds: float = option(60.0, "How long.", metavar="S")
    states: str = option("joint_states", _STATES, metavar="TOPIC")
    efforts: str = option(_EFFORT_TOPIC, _EFFORTS, metavar="TOPIC")


@command("plant", Ros2PlantOptions, example="torquec ros2 plant puma560 --seconds 2", extra="ros2", metavar="MODEL")
def ros2_plant(model: Model, options: Ros2PlantOptions) -> Outcome:
    """Simulate the robot as a ROS 2 node: efforts in, joint states out, in real time.

    Brakes hold it until the first efforts arrive. Efforts older than 0.1 s count as zero.
    """
    from torquec.realtime.runtime.ros2_robot import Ros2Robot, run_plant
    from torquec.robot.state_coordinate import start_posture
    from torquec.simulation.plant import as_plant

    robot = model.robot
    start = start_posture(robot) if options.q is None else joint_values(robot, options.q, "--q", degrees=options.deg)
    progress(f"simulating {robot.name} at {options.rate:g} Hz for {options.seconds:g} s ...")
    topics = Ros2Robot(options.states, options.efforts)
    steps = run_plant(as_plant(model), start, period=1.0 / options.rate, duration=options.seconds, robot=topics)
    return Outcome({"steps": steps, "seconds": options.seconds}, f"{steps} states published")


@dataclass(frozen=True, kw_only=True)
class Ros2RecordOptions(CommandOptions):
    """Output file, duration and topic of the recorder."""

    output: Path = option(..., "The bag, a new folder.", "--output", "-o", metavar="FOLDER", writes=Writes.FOLDER)
    seconds: float = option(60.0, "Duration; Ctrl-C ends the recording sooner and keeps it.", metavar="S")
    states: str = option("joint_states", _STATES, metavar="TOPIC")
    force: bool = force_option()


@command(
    "record", Ros2RecordOptions, example="torquec ros2 record -o log --seconds 5", extra="ros2", without_model=True
)
def ros2_record(options: Ros2RecordOptions) -> Outcome:
    """Record joint states from ROS 2 as a bag (MCAP), which `torquec identify` and `check-log` read."""
    from torquec.realtime.runtime.ros2_robot import ros2_record_states

    progress(f"recording {options.states} for {options.seconds:g} s ...")
    count = ros2_record_states(options.output, options.states, duration=options.seconds, force=options.force)
    document = {"messages": count, "folder": str(options.output)}
    return Outcome(document, f"{count} joint states recorded", files=(options.output,))
