"""The table of laws: a controller is made again from what it says of itself, saved and loaded it runs bit for bit."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.model_kinds import program_model

import torquec as tq
from torquec.closedform.fourier import CLOVER
from torquec.control.controller_file import (
    controller_from_dict,
    controller_to_dict,
    read_controller,
    read_observer,
    write_controller,
)
from torquec.control.independent_joint import gains_from_poles
from torquec.control.law_options import ControllerOptions, Feedforward, LawKind
from torquec.control.laws import LAWS, USUAL_LAW, make_law, usual_weights
from torquec.control.model_terms import Evaluation, FrictionAt, FrictionCompensation
from torquec.control.observer import momentum_observer
from torquec.errors import ArgumentError, ModelFileError
from torquec.foundation.json_text import document_text, parse_json
from torquec.model.model import ModelKind
from torquec.model.model_function import ModelOrigin
from torquec.simulation.closed_loop import LoopOptions, simulate
from torquec.simulation.integrators import RungeKutta4
from torquec.simulation.plant import Plant
from torquec.simulation.sensors import Sensors

ARM = tq.classics.planar2r()
PUMA = tq.classics.puma560()
PERIOD = 0.01
MOTION = tq.minimum_jerk([0.1, 0.2], [0.4, 0.1], 0.4, joints=ARM.joint_names, period=PERIOD)

SETTINGS = {
    "CT1": (LawKind.POLE_PLACEMENT, ControllerOptions(poles=-5 + 3j, period=PERIOD)),
    "CT1 sampled": (LawKind.POLE_PLACEMENT, ControllerOptions(poles=[-5, (-3, -4)], period=PERIOD, sampled=True)),
    "CT1 abbreviated": (LawKind.POLE_PLACEMENT, ControllerOptions(poles=-5, period=PERIOD, rule=CLOVER)),
    "CT2": (LawKind.COMPUTED_TORQUE, ControllerOptions(poles=-5 + 3j, period=PERIOD)),
    "CT2 measured": (
        LawKind.COMPUTED_TORQUE,
        ControllerOptions(
            poles=-5 + 3j,
            period=PERIOD,
            evaluation=Evaluation.MEASURED,
            friction=FrictionCompensation(FrictionAt.MEASURED, 0.05),
        ),
    ),
    "CT2 limited": (
        LawKind.COMPUTED_TORQUE,
        ControllerOptions(poles=-5, period=PERIOD, efforts=(3.0, None), rates=(50.0, 60.0)),
    ),
    "CT3": (LawKind.DIAGONAL, ControllerOptions(poles=-5 + 3j, period=PERIOD, evaluation="measured")),
    "robust": (
        LawKind.ROBUST,
        ControllerOptions(
            poles=(-5, -8), period=PERIOD, evaluation="reference", amplitude=(4.0, 5.0), layer=(0.5, 0.6)
        ),
    ),
    "Slotine-Li": (LawKind.SLOTINE_LI, ControllerOptions(poles=-5, period=PERIOD, posture=(0.1, 0.2))),
    "PD": (LawKind.PD, ControllerOptions(poles=-5 + 3j, period=PERIOD, posture=(0.1, 0.2))),
    "PID": (LawKind.PID, ControllerOptions(poles=-5, period=PERIOD, feedforward="dynamics", anti_windup=(20.0, None))),
    "LQR": (LawKind.LQR, ControllerOptions(period=PERIOD, friction="nothing")),
    "gravity": (LawKind.GRAVITY, ControllerOptions()),
    "open loop": (LawKind.OPEN_LOOP, ControllerOptions()),
    "open loop gravity": (LawKind.OPEN_LOOP_GRAVITY, ControllerOptions(friction="nothing")),
}
"""Every law, and every option somewhere."""


def made(name, source=ARM):
    kind, options = SETTINGS[name]
    return make_law(source, kind, options, trajectory=MOTION)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_controller_has_the_name_of_its_law(name):
    """Files, simulations and generated C print it: a law without gains is no PD law."""
    kind, _ = SETTINGS[name]
    law = made(name)
    own = "diagonal_computed_torque" if kind is LawKind.DIAGONAL else kind.value.replace("-", "_")
    assert (law.name, law.function.name) == (own, own)


def test_the_table_is_whole():
    assert set(LAWS) == set(LawKind)
    assert {kind for kind, _ in SETTINGS.values()} == set(LawKind)
    used = {name for _, options in SETTINGS.values() for name in options.given} | {"gains", "weights"}
    assert used == set(vars(ControllerOptions()))


@pytest.mark.parametrize("name", SETTINGS)
def test_a_controller_is_made_again_from_what_it_says(name):
    law = made(name)
    again = make_law(ARM, law.design.law, law.design.options, trajectory=MOTION)
    assert again == law
    assert law.origin == ModelOrigin.of(tq.compile(ARM))
    assert law.origin.is_of(tq.compile(ARM))
    assert not law.origin.is_of(program_model(ARM))


@pytest.mark.parametrize("name", SETTINGS)
def test_a_document_is_the_controller(name):
    law = made(name)
    text = document_text(controller_to_dict(law))
    found = controller_from_dict(parse_json(text, where="controller.json"))
    assert found == law
    assert document_text(controller_to_dict(found)) == text


@pytest.mark.parametrize(
    "name", ["CT1", "CT1 abbreviated", "CT2 measured", "CT2 limited", "robust", "Slotine-Li", "PID", "LQR"]
)
def test_saved_loaded_simulated_bit_for_bit(name, tmp_path):
    law = made(name)
    write_controller(law, tmp_path, prefix="arm")
    found = read_controller(tmp_path / "controller.json")
    options = LoopOptions(sensors=Sensors(resolution=1e-4, speed="difference"), integrator=RungeKutta4(2))
    runs = [simulate(Plant(ARM, friction="stick"), one, MOTION, options=options) for one in (law, found)]
    assert np.array_equal(runs[0].tau, runs[1].tau)
    assert np.array_equal(runs[0].q, runs[1].q)


def test_ct1_of_the_puma_runs_from_its_file(tmp_path):
    """Clover's CT1 on the standard motion: the controller from its file, bit for bit."""
    law = make_law(PUMA, "pole-placement", ControllerOptions(poles=-12 + 45j, period=0.002))
    write_controller(law, tmp_path, prefix="puma560")
    motion = tq.minimum_jerk([0.0] * 6, [0.3] * 6, 0.2, joints=PUMA.joint_names, period=0.002)
    runs = [simulate(PUMA, one, motion) for one in (law, read_controller(tmp_path / "controller.json"))]
    assert np.array_equal(runs[0].tau, runs[1].tau)
    direct = tq.pole_placement(PUMA, -12 + 45j, period=0.002)
    assert direct == law


def test_a_controller_of_a_program_says_so(tmp_path):
    model = program_model(ARM)
    law = made("CT1", model)
    write_controller(law, tmp_path, prefix="arm")
    document = json.loads((tmp_path / "controller.json").read_text())
    assert document["origin"]["kind"] == ModelKind.CERTIFIED_TORQUE
    assert document["origin"]["robot_hash"] == ARM.content_hash
    assert document["origin"]["model_hash"] == model.content_hash != ARM.content_hash
    assert read_controller(tmp_path / "controller.json") == law


def test_observers_are_files_too(tmp_path):
    observer = momentum_observer(ARM, bandwidth=30.0, period=PERIOD, thresholds=[5.0, np.inf])
    files = write_controller(observer, tmp_path, prefix="arm")
    found = read_observer(tmp_path / "controller.json")
    assert found == observer
    assert found.thresholds == (5.0, None)
    assert np.array_equal(found.state_at([0.1, 0.2], [1.0, 2.0]), observer.state_at([0.1, 0.2], [1.0, 2.0]))
    source = next(path for path in files if path.suffix == ".c").read_text()
    assert "momentum_observer_start" in source
    with pytest.raises(ModelFileError, match="this is an observer"):
        read_controller(tmp_path / "controller.json")
    write_controller(made("CT1"), tmp_path, prefix="arm")
    with pytest.raises(ModelFileError, match="this is a controller"):
        read_observer(tmp_path / "controller.json")


def test_files_of_the_first_version_are_read():
    law = made("PID")
    new = controller_to_dict(law)
    old = {key: value for key, value in new.items() if key not in ("kind", "origin", "design", "slots")}
    old |= {"version": 1, "state": new["slots"], "details": {"poles": []}}
    found = controller_from_dict(old)
    assert found.function == law.function
    assert found.slots == law.slots
    assert found.design is None


def changed(**changes):
    def change(document):
        for path, value in changes.items():
            *parts, last = path.split("__")
            at = document
            for part in parts:
                at = at[part]
            at[last] = value
        return document

    return change


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("CT1", changed(version=3), "version 3 is not known"),
        ("CT1", changed(joints=["a", "a"]), "controller.joints"),
        ("CT1", changed(joints=["a", "b", "c"]), "controller.function: its inputs"),
        ("CT1", changed(period=-1.0), "controller.period: -1"),
        ("CT1", changed(period="fast"), "controller.period"),
        ("CT1", changed(design__law="magic"), "magic.* is none of pole-placement"),
        ("CT1", changed(design__options__poles=[[[1.0, 0.0], [1.0, 0.0]]] * 2), r"design\.options\.poles.* unstable"),
        ("CT1", changed(design__options__extra=1), "'extra' is not known"),
        ("CT1", changed(origin__kind="guessed"), "guessed.* is none of exact"),
        ("CT1", changed(slots=[{"name": "integral", "initial": [0.0]}]), "0 numbers in 'state', its slots have 1"),
        ("LQR", changed(schedule__t=[0.0]), "gains of shape"),
        ("LQR", changed(schedule=None), "controller.function: its inputs"),
        ("PID", changed(slots=[]), "4 numbers in 'state', its slots have 0"),
    ],
)
def test_what_does_not_fit_is_refused(name, change, message):
    with pytest.raises(ModelFileError, match=message):
        controller_from_dict(change(controller_to_dict(made(name))))


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("magic", ControllerOptions(), "there is no law 'magic'"),
        ("diagonal", ControllerOptions(rule=CLOVER), "diagonal does not use 'rule'"),
        ("lqr", ControllerOptions(poles=-5), "lqr does not use 'poles'"),
        ("computed-torque", ControllerOptions(weights=usual_weights(ARM)), "does not use 'weights'"),
        ("pd", ControllerOptions(evaluation="measured"), "pd does not use 'evaluation'"),
        ("pd", ControllerOptions(gains=gains_from_poles(ARM, -5, [0.0, 0.0]), poles=-5), "gains and poles are given"),
        ("pid", ControllerOptions(gains=gains_from_poles(ARM, -5, [0.0, 0.0])), "gains without an integral"),
    ],
)
def test_options_without_use_are_refused(kind, options, message):
    with pytest.raises(ArgumentError, match=message):
        make_law(ARM, kind, options, trajectory=MOTION)


def test_lqr_is_made_for_the_period_that_it_is_called_at():
    law = make_law(ARM, "lqr", ControllerOptions(period=0.02), trajectory=MOTION)
    assert law.period == 0.02
    assert len(law.schedule.t) == 21
    assert law == tq.lqr(ARM, MOTION.sampled(0.02), usual_weights(ARM))


def test_lqr_needs_its_trajectory():
    with pytest.raises(ArgumentError, match="belong to a trajectory"):
        make_law(ARM, "lqr")


def test_defaults_are_those_of_the_laws():
    at_measured = tq.computed_torque(ARM, -20.0, evaluation="measured", friction="reference")
    assert make_law(ARM, USUAL_LAW) == make_law(ARM, "computed-torque") == at_measured
    gains = gains_from_poles(ARM, -20.0, [0.0, 0.0])
    assert make_law(ARM, "pd") == tq.independent_joint(ARM, gains, feedforward=Feedforward.GRAVITY)
