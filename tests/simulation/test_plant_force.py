"""Forces on a plant: known answers of one wheel, loads against a heavier robot, walls, hands; misuse."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from tests.model_kinds import heavier, program_model
from tests.simulation.arms import clock, constant, free, rotor

import torquec as tq
from torquec.dynamics import ExternalWrench, inverse_dynamics
from torquec.errors import ArgumentError
from torquec.expr.math import absolute
from torquec.realtime.runtime.drivers import native_plant
from torquec.robot.friction import Friction
from torquec.robot.robot import Frame
from torquec.simulation.applied_forces import FrameWrench, HandHold, HeldPayload, WallContact
from torquec.simulation.closed_loop import LoopOptions, simulate
from torquec.simulation.integrators import DormandPrince, RungeKutta4, rk4_step
from torquec.simulation.plant import DryFriction, Dynamics, Plant
from torquec.simulation.plant_bodies import DcMotor
from torquec.simulation.plant_force import ForceWithState, PlantForce, PlantInstant
from torquec.simulation.stick import stick_slip_step

ARM = tq.classics.puma560()
TOOL = ARM.frames[-1].name
MOTION = tq.minimum_jerk([0.0] * 6, [0.3] * 6, 0.5, joints=ARM.joint_names, period=0.002)
LAW = tq.computed_torque(ARM, -12 + 45j)


def fingered(path):
    """A palm that turns, with two fingers."""
    links = "".join(
        f'<link name="{name}"><inertial><origin xyz="0.05 0.01 0.02"/><mass value="{mass}"/>'
        f'<inertia ixx="{mass}" iyy="{mass}" izz="{mass}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        for name, mass in (("palm", 1.0), ("finger_a", 0.1), ("finger_b", 0.2))
    )
    joints = "".join(
        f'<joint name="{child}_joint" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0.1 {y} 0.2"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="1" effort="5"/></joint>'
        for child, parent, y in (("palm", "base", 0.0), ("finger_a", "palm", 0.1), ("finger_b", "palm", -0.1))
    )
    path.write_text(f'<robot name="hand"><link name="base"/>{links}{joints}</robot>')
    return tq.load(path)


@pytest.mark.parametrize("axes", ["base", "frame"])
def test_a_wrench_acts_as_inverse_dynamics_says(axes):
    rng = np.random.default_rng(0)
    q, force, moment = rng.normal(size=6).tolist(), tuple(rng.normal(size=3)), tuple(rng.normal(size=3))
    still = [0.0] * 6
    pushed = inverse_dynamics(ARM, q, still, still, wrenches=(ExternalWrench(TOOL, force, moment, axes),))
    expected = np.array(inverse_dynamics(ARM, q, still, still)) - pushed
    found = FrameWrench(TOOL, force, moment, axes).torque(ARM, PlantInstant(q, still))
    assert found == pytest.approx(expected, abs=1e-12)


def test_a_push_lasts_as_long_as_it_lasts():
    """A rotor of 2 kg m^2, pushed by 3 Nm from 0.2 s to 0.5 s."""
    wheel = replace(rotor(inertia=2.0), frames=(Frame("rim", 0),))
    push = FrameWrench("rim", (0.0,) * 3, (0.0, 0.0, 3.0), start=0.2, end=0.5)
    result = simulate(Plant(wheel, forces=(push,)), free(wheel), clock(wheel, 1.0, 0.01))
    assert result.qd[-1, 0] == pytest.approx(3.0 / 2.0 * 0.3, abs=0.02)  # a step that sees half of the edge
    assert result.qdd[[10, 30, 70], 0].tolist() == [0.0, 1.5, 0.0]


def test_a_load_that_is_carried_is_a_heavier_robot():
    """The same run on a plant with the load attached to its bodies: nothing else may tell them apart."""
    load = HeldPayload(TOOL, 2.0, (0.02, -0.01, 0.1), ((0.01, 0.0, 0.0), (0.0, 0.02, 0.0), (0.0, 0.0, 0.03)))
    heavier = tq.attach_payload(ARM, TOOL, mass=2.0, center=load.center, inertia=load.inertia_tensor)
    runs = [
        simulate(plant, LAW, MOTION, options=LoopOptions(integrator=RungeKutta4(4)))
        for plant in (Plant(ARM, forces=(load,)), Plant(heavier), Plant(ARM))
    ]
    assert runs[0].q == pytest.approx(runs[1].q, abs=1e-10)
    assert np.abs(runs[0].q - runs[2].q).max() > 1e-4
    assert runs[0].qdd == pytest.approx(runs[1].qdd, abs=1e-7)


@pytest.mark.parametrize("frame", ["finger_a", "palm"])
def test_joints_that_do_not_carry_the_load_are_no_mistake(tmp_path, frame):
    """A hand with two fingers and a load at one of them, or at the palm."""
    hand = fingered(tmp_path / "hand.urdf")
    q, qd, tau = np.random.default_rng(6).normal(scale=0.4, size=(3, hand.n)).tolist()
    found, expected = (
        Dynamics(plant).acceleration([*q, *qd], tau)
        for plant in (
            Plant(hand, forces=(HeldPayload(frame, 0.5, (0.1, 0.0, 0.02)),)),
            Plant(tq.attach_payload(hand, frame, mass=0.5, center=(0.1, 0.0, 0.02))),
        )
    )
    assert found == pytest.approx(expected, rel=1e-9, abs=0.0)


def test_a_model_that_follows_a_program_carries_loads_too():
    load = HeldPayload(TOOL, 2.0, (0.02, -0.01, 0.1))
    q, qd, tau = np.random.default_rng(5).normal(scale=0.4, size=(3, 6)).tolist()
    found, expected = (
        Dynamics(Plant(source, forces=(load,))).acceleration([*q, *qd], tau)
        for source in (program_model(ARM), heavier(ARM))
    )
    assert found == pytest.approx(expected, rel=1e-9)


@dataclass(frozen=True)
class DahlFriction(ForceWithState):
    """Friction with memory of the first joint (Dahl 1968): F = -s z, zd = qd - s |qd| z / level; z its deflection."""

    stiffness: float
    level: float
    preload: float = 0.0

    def check(self, robot):
        pass

    def first_state(self, robot, q, qd):
        return [self.preload]

    def state_rate(self, robot, now):
        speed, (z,) = now.qd[0], now.state
        return [speed - (self.stiffness / self.level) * absolute(speed) * z]

    def torque(self, robot, now):
        return [-self.stiffness * now.state[0], *[0.0] * (robot.n - 1)]


DAHL = DahlFriction(stiffness=200.0, level=3.0)


@pytest.mark.parametrize("integrator", [RungeKutta4(4), DormandPrince()])
def test_friction_with_memory_takes_the_energy_of_its_hysteresis_curve(integrator):
    """In one direction F = level (1 - exp(-s x/level)), whose work over x is what the wheel loses."""
    wheel, inertia, first = rotor(inertia=2.0), 2.0, 1.2
    result = simulate(
        Plant(wheel, forces=(DAHL,)),
        free(wheel),
        clock(wheel, 0.3, 0.001),
        options=LoopOptions(integrator=integrator, largest_error=math.inf),
        initial_qd=[first],
    )
    moving = result.qd[:, 0] > 0.0
    x, reach = result.q[moving, 0], DAHL.level / DAHL.stiffness
    work = DAHL.level * (x - reach * (1.0 - np.exp(-x / reach)))
    assert x.max() > 5 * reach
    assert 0.5 * inertia * (first**2 - result.qd[moving, 0] ** 2) == pytest.approx(work, abs=1e-6)
    force = DAHL.level * (1.0 - np.exp(-x / reach))
    assert result.qdd[moving, 0] == pytest.approx(-force / inertia, abs=1e-4)


def test_before_it_slips_friction_with_memory_is_a_spring():
    """A preload of a hundredth of the slip swings at sqrt(s/I); the first state is the force's own."""
    wheel, preload = rotor(inertia=2.0), 0.01 * DAHL.level / DAHL.stiffness
    held = replace(DAHL, preload=preload)
    result = simulate(Plant(wheel, forces=(held,)), free(wheel), clock(wheel, 0.5, 0.001))
    swing = preload * (np.cos(math.sqrt(DAHL.stiffness / 2.0) * result.t) - 1.0)
    assert result.q[:, 0] == pytest.approx(swing, abs=0.02 * preload)


@pytest.mark.parametrize("friction", list(DryFriction))
def test_states_of_forces_stand_between_currents_and_time(friction):
    """Two forces with state, one without, one that looks at the time, behind motors: natively and step by step."""
    wheel = replace(rotor(friction=Friction.of({"coulomb": 0.2, "load": 0.1})), frames=(Frame("rim", 0),))
    push = FrameWrench("rim", (0.0,) * 3, (0.0, 0.0, 3.0), start=0.02, end=0.05)
    soft = DahlFriction(stiffness=20.0, level=1.0, preload=0.002)
    motor = DcMotor(torque_constant=0.5, gear_ratio=1.0, resistance=1.0, inductance=0.01, supply=24.0, bandwidth=200.0)
    plant = Plant(wheel, friction, forces=(DAHL, push, soft), motors=(motor,), slip_speed=0.1)
    bristle = [1.0] if friction is DryFriction.MEMORY else []  # the sign of the speed
    assert plant.motion_size == 3 + 2 + len(bristle) + 1
    first = plant.first_motion([0.1], [0.5], time=0.01)
    assert first == [0.1, 0.5, 0.0, 0.0, 0.002, *bristle, 0.01]
    dynamics, h = Dynamics(plant), 0.0005
    native = native_plant(plant, h)
    y, found = list(first), np.array(first)
    for _ in range(40):
        if friction is DryFriction.STICK:
            y = stick_slip_step(dynamics, y, [1.0], h)
        else:
            y = rk4_step(lambda at: dynamics.motion_rate(at, [1.0]), y, h)
        found = native.call(found, [1.0])
    assert found == pytest.approx(y, rel=1e-12, abs=1e-14)
    assert y[-1] == pytest.approx(0.03)
    assert abs(y[3]) > 1e-3
    assert y[4] != y[3]


def test_an_arm_rests_on_a_wall():
    """A floating arm sinks until the wall holds it: the depth is its weight over the stiffness."""
    arm = tq.classics.planar2r()
    tool = arm.frames[-1].name
    q = np.array([0.3, 0.4])
    pose = tq.compile(arm).frame_pose(tool)
    height = pose(q)[1]
    down = np.array(arm.gravity) / np.linalg.norm(arm.gravity)
    wall = WallContact(tool, tuple(height), 5e3, 2e2, normal=tuple(-down), friction=0.5)
    plant = Plant(arm, forces=(wall,), friction="none")
    law = tq.independent_joint(arm, tq.PidGains((50.0, 50.0), (20.0, 20.0)))
    t = 0.001 * np.arange(2001)
    rest = np.zeros((len(t), 2))
    held = tq.Trajectory(arm.joint_names, t, rest + q, rest, rest)
    result = simulate(plant, law, held, options=LoopOptions(integrator=RungeKutta4(2)))
    depth = float(down @ (pose(result.q[-1])[1] - height))
    last = PlantInstant(result.q[-1].tolist(), result.qd[-1].tolist())
    push = np.array(wall.torque(arm, last))
    tau = result.tau[-1] + push
    assert 0.0 < depth < 0.01
    assert tau == pytest.approx(tq.compile(arm).gravity_torque(result.q[-1]), abs=1e-2)
    above = PlantInstant(q.tolist(), [0.0, 0.0])
    lifted = WallContact(tool, tuple(height + 0.1 * down), 5e3, 2e2, normal=tuple(-down))
    assert lifted.torque(arm, above) == [0.0, 0.0]


def test_a_hand_pulls_the_tool_to_where_it_holds_it():
    place = tq.compile(ARM).frame_pose(TOOL)([0.2] * 6)[1]
    hand = HandHold(TOOL, tuple(place + np.array([0.0, 0.0, 0.05])), 1e3, 50.0)
    law = tq.gravity_compensation(ARM, friction="nothing")
    plant = Plant(ARM, forces=(hand,), friction=DryFriction.SMOOTH, slip_speed=0.1)
    t = 0.002 * np.arange(1001)
    rest = np.zeros((len(t), 6))
    held = tq.Trajectory(ARM.joint_names, t, rest + 0.2, rest, rest)
    result = simulate(plant, law, held, options=LoopOptions(integrator=DormandPrince()))
    reached = tq.compile(ARM).frame_pose(TOOL)(result.q[-1])[1]
    assert np.linalg.norm(reached - hand.point) < np.linalg.norm(place - hand.point) / 2


def test_stiff_walls_need_short_steps():
    wall = WallContact(TOOL, (0.0, 0.0, -5.0), 1e9)
    with pytest.raises(ArgumentError, match=r"contact\): steps of 0.002 s cannot follow"):
        simulate(
            Plant(ARM, forces=(wall,), friction="none"), LAW, MOTION, options=LoopOptions(integrator=RungeKutta4())
        )


@dataclass(frozen=True)
class Brake(PlantForce):
    """A force of one's own takes one class: a torque against the first joint's speed."""

    strength: float

    def check(self, robot):
        """Any robot."""

    def torque(self, robot, now):
        """-c qd at the first joint."""
        return [-self.strength * now.qd[0], *[0.0] * (robot.n - 1)]


def test_a_force_of_ones_own():
    wheel = rotor(inertia=2.0)
    result = simulate(Plant(wheel, forces=(Brake(4.0),)), constant(wheel, 8.0), clock(wheel, 1.0, 0.01))
    assert result.qd[-1, 0] == pytest.approx(2.0 * (1.0 - math.exp(-2.0)), rel=1e-6)
    assert result.qdd[:, 0] == pytest.approx(4.0 * np.exp(-2.0 * result.t), rel=1e-6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Plant(ARM, forces=(FrameWrench("nowhere", (1.0, 0.0, 0.0)),)), "nowhere"),
        (lambda: Plant(ARM, forces=("push",)), "a force is given as str"),
        (lambda: FrameWrench(TOOL, (1.0, 0.0, math.nan)), "nan"),
        (lambda: FrameWrench(TOOL, (1.0, 0.0, 0.0), start=2.0, end=1.0), "from 2 s to 1 s"),
        (lambda: FrameWrench(TOOL, (1.0, 0.0, 0.0), axes="world"), "no axes 'world'"),
        (lambda: WallContact(TOOL, (0.0,) * 3, 1.0, normal=(0.0, 0.0, 2.0)), "a normal"),
        (lambda: HandHold(TOOL, (0.0,) * 3, -1.0), "a stiffness of -1"),
        (lambda: Plant(ARM, forces=(HeldPayload(TOOL, -1.0),)), "mass"),
        (lambda: Plant(program_model(ARM), varies=True), r"inertias that vary need bodies.*certified torque"),
        (lambda: Plant(ARM, effort=0.0), "0.0 of the effort limits"),
    ],
)
def test_misuse_is_refused(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()
