"""Uncertainty: the TOML of the sets, what is refused, and guarantees that simulated robots in the sets keep."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import torquec as tq
from torquec.control.computed_torque import computed_torque
from torquec.control.controller import make_controller
from torquec.control.tracking_claim import guarantee_sentence
from torquec.control.uncertainty import SpeedSource, parse_uncertainty
from torquec.dynamics.sampled_function import StateSlot
from torquec.errors import ArgumentError
from torquec.expr.replay import replay
from torquec.model.model_parameters import ModelParameters
from torquec.model.quantities import base_of
from torquec.model.residual_bound import ResidualBound
from torquec.proof.tracking.plant_uncertainty import PlantUncertainty
from torquec.simulation.closed_loop import LoopOptions
from torquec.simulation.sensors import Sensors
from torquec.spatial import Inertia
from torquec.trajectory import minimum_jerk

TEXT = """
[every_joint]
friction_part = 0.3
friction_residual = 0.5
torque_part = 0.01
position = 1e-5
position_bias = 1e-4
speed = "difference"
speed_filter = 0.5
[[joint]]
name = "joint2"
friction_part = 0.1
[bodies]
mass_part = 0.03
inertia_part = 0.02
[payload]
frame = "link6"
mass = [0.0, 1.0]
centre_within = 0.05
nominal_mass = 0.5
[timing]
delay = 1
jitter = 1e-4
"""

PERIOD = 1e-3


@pytest.fixture(scope="module")
def puma():
    return tq.classics.puma560()


def test_a_file_gives_the_sets_of_every_joint(puma, tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text(TEXT, encoding="utf-8")
    stated = tq.load_uncertainty(path, puma)
    first, second, *_ = stated.of(puma)
    assert (first.friction_part, first.friction_residual, first.speed) == (0.3, 0.5, SpeedSource.DIFFERENCE)
    assert (second.friction_part, second.position) == (0.1, 1e-5)
    assert stated.bodies == tq.BodyUncertainty(0.03, 0.0, 0.02)
    assert stated.payload == tq.PayloadUncertainty("link6", (0.0, 1.0), 0.05, nominal_mass=0.5)
    assert stated.timing == tq.TimingUncertainty(1, 1e-4)
    assert stated.samples_late(PERIOD) == 2
    said = stated.conditions(puma)
    for words in ("joint2: friction known to 10 %", "encoders of 1e-05 rad", "speeds by difference",
                  "masses known to 3 %", "an unknown payload of 0 to 1 kg at 'link6'", "0.5 N m",
                  "1 sampling interval(s) late"):  # fmt: skip
        assert words in said


def test_what_is_absent_is_none_assumed(puma):
    said = tq.Uncertainty().conditions(puma)
    for words in ("exact positions", "drives that give the torque asked for", "bodies as in the model", "no delay",
                  "no payload that the model does not know", "any Coulomb torque standing"):  # fmt: skip
        assert words in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[every_joint]\nfriction_part = 3", r"arm.toml:2: 'friction_part' is 3.0.*30 % is 0.3"),
        ("[every_joint]\nfriction_residual = -1", "'friction_residual' is -1.0.*not negative"),
        ("[every_joint]\ntorque_part = 1.0", "'torque_part' is 1.0"),
        ("[every_joint]\nposition = 0.5", "'position' is 0.5.*not degrees"),
        ("[every_joint]\nspeed_filter = 0.0", "'speed_filter' is 0.0"),
        ("[every_joint]\nspeed_filter = 0.5", "speed = \"difference\""),
        ("[every_joint]\nspeed = \"difference\"\nspeed_noise = 0.1", "'speed_noise' is 0.1"),
        ("[every_joint]\nspeed = \"guessed\"", "'every_joint.speed' is 'guessed'"),
        ("[every_joint]\nfrikton = 1", "unknown key 'every_joint.frikton'"),
        ("[[joint]]\nname = \"elbow\"", "has no joint 'elbow'"),
        ("[[joint]]\nname = \"joint1\"\n[[joint]]\nname = \"joint1\"", "given twice"),
        ("[bodies]\nmass_part = nan", "'bodies.mass_part' is nan"),
        ("[bodies]\nmass_part = 2.0", "'mass_part' is 2.0"),
        ("[bodies]\ncovariance = 95", "arm.toml:2: 'covariance' is 95.0.*between 0 and 1, such as 0.95"),
        ("[bodies]\ncovariance = 0", "'covariance' is 0.0.*between 0 and 1"),
        ("[bodies]\nmass_part = 0.1\ncovariance = 0.9", "'covariance' is 0.9 beside mass_part = 0.1.*leave out"),
        ("[bodies]\ncovariance = 0.9", "'covariance' is 0.9, and the model is not known.*torquec identify"),
        ("[payload]\nframe = \"tool9\"\nmass = [0, 1]", "has no frame 'tool9'"),
        ("[payload]\nframe = \"link6\"\nmass = [2, 1]", "'payload.mass' is \\[2.0, 1.0\\]"),
        ("[payload]\nframe = \"link6\"\nmass = [0, 1]\ncentre_within = 50", "looks like millimetres"),
        ("[payload]\nframe = \"link6\"\nmass = [0, 1]\nnominal_mass = 2", "'payload.nominal_mass' is 2.0"),
        ("[timing]\ndelay = 0.5", "'timing.delay' is 0.5"),
        ("[timing]\njitter = 2.0", "'jitter' is 2.0.*at most 0.1, not milliseconds"),
        ("[every_joint]\nspeed_noise = 57", "'speed_noise' is 57.0.*at most 1, not degrees"),
        ("[[joint]]\nname = \"joint2\"\nfriction_part = 3", "arm.toml:3: joint 'joint2': 'friction_part' is 3.0"),
        ("[every_joint]\nfriction_residual = 1e6", "1e\\+06 at joint 'joint1'.*its drive gives, 97.6 N m"),
        ("[payload]\nframe = \"link6\"\nmass = [0, 500]", "'payload.mass' is \\[0.0, 500.0\\].*not grams.* 70.3"),
        ("[payload]\nframe = \"link6\"\nmass = [0, 1]\ninertia_part = 500", "'inertia_part' is 500.0.*at most 100"),
        ("[timings]\ndelay = 1", "unknown key 'timings'"),
    ],
)  # fmt: skip
def test_bad_input_is_named_with_its_place(puma, text, message):
    with pytest.raises(ArgumentError, match=f"(?s){message}"):
        parse_uncertainty(text, puma, source="arm.toml")


def identified(robot):
    """A model with residuals of 0.1, 0.2, .. N m by joint; every joint's logs have one of 0.3 N m, too."""
    bounds = (ResidualBound(name, 0.99, 20, 0.5, (0.0,), (0.1 * k,), (-0.3, 0.05))
              for k, name in enumerate(robot.joint_names, start=1))  # fmt: skip
    return replace(tq.compile(robot), parameters=ModelParameters(("m",), (1.0,), residual=tuple(bounds)))


def test_a_residual_of_the_log_is_that_of_the_identified_model(puma):
    text = '[every_joint]\nfriction_residual = "log"\n[[joint]]\nname = "joint6"\nfriction_residual = 0.02'
    sets = parse_uncertainty(text, identified(puma))
    assert [joint.friction_residual for joint in sets.of(puma)] == pytest.approx([0.3, 0.3, 0.3, 0.4, 0.5, 0.02])
    assert "joint5: a friction residual of 0.5 N m (N) by the logs" in sets.conditions(puma)
    with pytest.raises(ArgumentError, match=r"\"log\" at joint 'joint1'.*(?s:.*)torquec identify"):
        parse_uncertainty(text, puma)
    with pytest.raises(ArgumentError, match="has no residual"):
        parse_uncertainty(text, tq.compile(puma))
    with pytest.raises(ArgumentError, match=r"'every_joint\.friction_residual' is 'logs'"):
        parse_uncertainty('[every_joint]\nfriction_residual = "logs"', identified(puma))
    with pytest.raises(ArgumentError, match="residuals are of robot 'puma560', not of 'other'"):
        sets.of(replace(puma, name="other"))


def test_a_guarantee_takes_the_residual_of_its_model():
    model = identified(tq.classics.planar2r())
    motion = minimum_jerk([-1.5, 0.0], [-1.45, 0.05], 0.3, joints=model.robot.joint_names)
    logged = tq.Uncertainty(every_joint=tq.JointUncertainty(residual_of_log=True))
    stated = tq.Uncertainty(every_joint=tq.JointUncertainty(friction_residual=0.3))
    found, same = (tq.tracking_guarantee(model, -20.0, motion, period=PERIOD, uncertainty=x) for x in (logged, stated))
    assert found.valid
    assert found.joints == same.joints
    assert "0.3 N m (N) by the logs" in found.conditions


def test_options_that_need_a_period_or_a_limit(puma):
    motion = minimum_jerk(np.zeros(6), np.full(6, 0.2), 1.0, joints=puma.joint_names)
    late = tq.Uncertainty(timing=tq.TimingUncertainty(1))
    with pytest.raises(ArgumentError, match="without a sampling interval"):
        tq.tracking_guarantee(puma, -20.0, motion, uncertainty=late)
    drives = tq.Uncertainty(every_joint=tq.JointUncertainty(torque_part=0.1))
    with pytest.raises(ArgumentError, match="no effort limit"):
        tq.tracking_guarantee(puma, -20.0, motion, uncertainty=drives, efforts=np.full(6, np.inf))
    with pytest.raises(ArgumentError, match="a joint 'elbow'"):
        tq.Uncertainty(joints={"elbow": tq.JointUncertainty()}).of(puma)
    with pytest.raises(ArgumentError, match="evaluated at the measured state"):
        tq.tracking_guarantee(puma, -20.0, motion, evaluation="reference")
    no_motion = tq.tracking_guarantee(puma, -20.0, uncertainty=tq.Uncertainty(), period=PERIOD)
    assert "give a trajectory" in no_motion.reason


def test_sets_that_are_too_large_name_joint_and_set(puma):
    wrist = tq.lock_joints(puma, {"joint1": 0.0, "joint2": 0.0, "joint3": 0.0, "joint6": 0.0})
    motion = minimum_jerk(np.zeros(2), np.full(2, 0.5), 0.2, joints=wrist.joint_names)
    stated = tq.Uncertainty(payload=tq.PayloadUncertainty("link6", (0.0, 40.0), 0.2))
    found = tq.tracking_guarantee(wrist, -60.0, motion, period=PERIOD, uncertainty=stated)
    assert not found.valid
    assert "is not proven nonsingular for all robots of the sets" in found.reason
    assert "'payload' at joint 'joint" in found.reason
    assert "40 kg at 'link6'" in found.conditions
    # the largest sets for which there is an answer: a little less is proven nonsingular, a little more is not
    largest = float(re.search(r"up to the largest payload.mass = (\S+?);", found.reason)[1])
    for mass, regular in ((0.9 * largest, True), (1.2 * largest, False)):
        stated = tq.Uncertainty(payload=tq.PayloadUncertainty("link6", (0.0, mass), 0.2))
        given = tq.tracking_guarantee(wrist, -60.0, motion, period=PERIOD, uncertainty=stated)
        assert ("nonsingular" not in given.reason) == regular


def test_a_covariance_is_that_of_the_identified_model(puma):
    text = "[bodies]\ncovariance = 0.95"
    base = base_of(puma)
    sizes = (1e-6 * (1.0 + np.arange(len(base)))).tolist()
    rows = tuple(tuple(size * (i == j) for j in range(len(base))) for i, size in enumerate(sizes))
    known = ModelParameters(base.names, tuple(base.values.tolist()), rows)
    model = replace(tq.compile(puma), parameters=known)
    sets = parse_uncertainty(text, model)
    assert sets == tq.Uncertainty(bodies=tq.BodyUncertainty(covariance=0.95)).with_identified(model)
    assert "parameters in the 95 % confidence ellipsoid of the logs" in sets.conditions(puma)
    assert not sets.needs_log
    assert tq.Uncertainty(bodies=sets.bodies).needs_log
    with pytest.raises(ArgumentError, match=r"has no covariance of its parameters.*(?s:.*)parts of masses"):
        parse_uncertainty(text, tq.compile(puma))
    with pytest.raises(ArgumentError, match="covariance is of robot 'puma560', not of 'other'"):
        sets.of(replace(puma, name="other"))
    motion = minimum_jerk(np.zeros(6), np.full(6, 0.4), 1.0, joints=puma.joint_names)
    renamed = replace(known, names=(*base.names[:-1], "other"))
    bad = ((1.0, 2.0, *[0.0] * (len(base) - 2)), (2.0, *rows[1][1:]), *rows[2:])
    for parameters, message in (
        (renamed, f"not that of the base parameters of robot 'puma560': it has no '{re.escape(base.names[-1])}'"),
        (replace(known, covariance=bad), "is not positive: an eigenvalue"),
    ):
        with pytest.raises(ArgumentError, match=message):
            tq.tracking_guarantee(
                replace(model, parameters=parameters), -60.0, motion, period=PERIOD,
                uncertainty=tq.Uncertainty(bodies=sets.bodies),
            )  # fmt: skip
    wide = tuple(tuple(1e6 * x for x in row) for row in rows)
    found = tq.tracking_guarantee(
        replace(model, parameters=replace(known, covariance=wide)), -60.0, motion, period=PERIOD,
        uncertainty=tq.Uncertainty(bodies=sets.bodies),
    )  # fmt: skip
    assert re.search(r"'bodies' at joint 'joint\d', .* up to bodies.covariance = \S+;", found.reason)


# --- simulated robots in the sets -----------------------------------------------------------------------------------

STATED = tq.Uncertainty(
    every_joint=tq.JointUncertainty(friction_part=0.3, position=1e-5, speed=SpeedSource.DIFFERENCE, speed_filter=0.7),
    bodies=tq.BodyUncertainty(0.02, 0.02, 0.02),
    payload=tq.PayloadUncertainty("link6", (0.0, 0.2), 0.03, nominal_mass=0.1),
    timing=tq.TimingUncertainty(1),
)


def late(controller, motion):
    """The same law, its torques one sample late; those of the first sample act from the start."""
    first = controller.torque(motion.q[0], motion.qd[0], motion.qdd[0], motion.q[0], motion.qd[0])

    def law(state, **signals):
        return {"tau": state, "next_state": replay(controller.function, signals)["tau"]}

    slots = (StateSlot("torque", tuple(first.tolist())),)
    return make_controller("late", controller.joints, law, slots=slots, period=controller.period)


def plant_in_the_sets(robot, rng):
    """A robot of `STATED`: parameters at their ends, friction scaled, a payload somewhere."""
    bodies = []
    for body in robot.bodies:
        scale = 1.0 + 0.02 * rng.choice([-1.0, 1.0], 10)
        own = body.joint.friction
        rubbing = replace(own, **{k: v * rng.choice([0.7, 1.3]) for k, v in vars(own).items() if isinstance(v, float)})
        bodies.append(
            replace(body, inertia=Inertia(*(np.array(body.inertia.parameters) * scale).tolist()),
                    joint=replace(body.joint, friction=rubbing))
        )  # fmt: skip
    centre = rng.normal(size=3)
    centre *= 0.03 / np.linalg.norm(centre)
    return tq.attach_payload(replace(robot, bodies=tuple(bodies)), "link6", mass=rng.choice([1e-6, 0.2]), center=centre)


@pytest.mark.parametrize("evaluation", ["measured", "reference"])
def test_simulated_robots_in_the_sets_stay_inside(puma, evaluation):
    nominal = tq.attach_payload(puma, "link6", mass=0.1)
    motion = minimum_jerk(np.zeros(6), np.full(6, 0.4), 1.0, joints=puma.joint_names)
    options = {"period": PERIOD, "evaluation": evaluation}
    found = tq.tracking_guarantee(tq.compile(nominal), -60.0, motion, uncertainty=STATED, **options)
    assert found.valid, found.reason
    limits = np.array([bound.position for bound in found.joints])
    assert np.all(limits < 0.02)
    for bound in found.joints:
        assert sum(found.budget[bound.joint].values()) == pytest.approx(bound.position, rel=1e-2)
        assert {"friction", "payload", "bodies", "sensors", "delay", "sampling"} <= set(found.budget[bound.joint])
    law = late(computed_torque(nominal, -60.0, **options), motion)
    sensors = Sensors(resolution=1e-5, speed=SpeedSource.DIFFERENCE, filter_share=0.7)
    rng = np.random.default_rng(1)
    reached = []
    for _ in range(6):
        run = tq.simulate(plant_in_the_sets(puma, rng), law, motion, options=LoopOptions(sensors=sensors))
        reached.append(np.abs(run.error).max(axis=0))
    assert np.all(np.array(reached) <= limits)
    said = guarantee_sentence(found.to_document())
    assert "friction known to 30 % while moving, any Coulomb torque standing" in said
    assert "an unknown payload of 0 to 0.2 kg" in said


def test_gen3_like_masses_cost_what_the_budget_says(puma):
    motion = minimum_jerk(np.zeros(6), np.full(6, 0.4), 1.0, joints=puma.joint_names)
    levels = []
    for part in (0.01, 0.02, 0.04):
        stated = tq.Uncertainty(bodies=tq.BodyUncertainty(part, part, part))
        found = tq.tracking_guarantee(puma, -60.0, motion, period=PERIOD, uncertainty=stated)
        levels.append(found.budget["joint3"]["bodies"])
    assert levels[0] < levels[1] < levels[2]
    assert levels[1] == pytest.approx(2.0 * levels[0], rel=0.3)


def test_jitter_moves_a_payload_too(monkeypatch):
    """The change of the feedback by jitter accelerates a robot that is lighter than its model by more than itself."""
    seen = []
    real = PlantUncertainty.plant_errors

    def spied(sets, inverse, own, cells, frozen, acting):
        seen.append(acting.other.max())
        return real(sets, inverse, own, cells, frozen, acting)

    monkeypatch.setattr(PlantUncertainty, "plant_errors", spied)
    robot = tq.attach_payload(tq.classics.planar2r(), "link2", mass=0.5)
    motion = minimum_jerk([0.0, 0.0], [0.4, -0.3], 1.0, joints=robot.joint_names)
    held = tq.PayloadUncertainty("link2", (0.4, 0.5), nominal_mass=0.5)
    stated = tq.Uncertainty(payload=held, timing=tq.TimingUncertainty(0, 0.5 * PERIOD))
    found = tq.tracking_guarantee(
        robot, -40.0, motion, period=PERIOD, uncertainty=stated, start=tq.StartError(1e-3), efforts=[1e4, 1e4]
    )
    assert found.valid, found.reason
    rate = 1600.0 * max(bound.speed for bound in found.joints)
    assert max(seen) >= PERIOD * rate  # of |u|, (1) of the level: a sample late, p |ed| at least
