"""Models of every kind: saved whole, refused by name where tampered with, generated as C that computes the same."""

from __future__ import annotations

import ctypes
import hashlib
import json
import shutil
import subprocess
from dataclasses import asdict, replace

import numpy as np
import pytest
from tests.model.kinds import ROBOTS, model_of, robot_of

from torquec.errors import ArgumentError, ExpressionError, ModelFileError, RefusedQuantityError, RobotError
from torquec.expr import count_operations, trace
from torquec.expr.function import function_to_dict
from torquec.foundation.json_text import checksum
from torquec.model.generate import generate
from torquec.model.model import Model, compile
from torquec.model.model_kinds import abbreviated_model, base_parameter_model, certified_model
from torquec.model.model_parameters import ModelKind, ModelParameters
from torquec.model.proven import Standing
from torquec.model.save import load_model, save
from torquec.robot.classics import load_classic
from torquec.robot.friction import Friction
from torquec.robot.lock_joints import lock_joints
from torquec.robot.payload import attach_payload
from torquec.robot.robot import Mimic

KINDS = list(ModelKind)
FOLLOWING = [kind for kind in KINDS if kind.follows_program]


def rewrite(path, change):
    """Edit the document and make its checksums fit again."""
    document = json.loads(path.read_text())
    change(document)
    document.pop("sha256")
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    document["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    path.write_text(json.dumps(document))


# --- files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_saved_loaded_and_saved_again_it_is_the_same_bytes(kind, tmp_path):
    model = model_of("scara", kind)
    one, two = tmp_path / "one.tq.json", tmp_path / "two.tq.json"
    save(model, one)
    again = load_model(one)
    save(again, two)
    assert one.read_bytes() == two.read_bytes()
    assert (again.kind, again.robot, again.record, again.parameters) == (
        model.kind,
        model.robot,
        model.record,
        model.parameters,
    )
    assert again.refused() == model.refused()


@pytest.mark.parametrize("kind", [ModelKind.EXACT, ModelKind.ABBREVIATED])
def test_a_part_of_the_quantities_stays_a_part(kind, tmp_path):
    one, two = tmp_path / "one.tq.json", tmp_path / "two.tq.json"
    save(model_of("scara", kind), one, quantities=["gravity_torque"])
    again = load_model(one)
    save(again, two)
    assert one.read_bytes() == two.read_bytes()
    assert again.total_torque([0.1] * 4, [0.0] * 4, [0.0] * 4).shape == (4,)


def test_payloads_and_locked_joints_travel_with_the_robot(tmp_path):
    robot = load_classic("puma560")
    changed = lock_joints(attach_payload(robot, robot.frames[-1].name, mass=2.0), {robot.joint_names[4]: 0.25})
    save(compile(changed), tmp_path / "arm.tq.json", quantities=["gravity_torque"])
    again = load_model(tmp_path / "arm.tq.json").robot
    assert [(p.name, p.frame, p.mass) for p in again.attached] == [("payload", robot.frames[-1].name, 2.0)]
    assert [(j.name, j.position) for j in again.locked] == [(robot.joint_names[4], 0.25)]


def test_a_file_of_version_1_is_read(tmp_path):
    path = tmp_path / "old.tq.json"
    model = compile(load_classic("scara"))
    save(model, path)

    def older(document):
        for name in ("kind", "route", "assumed_regular", "parameters", "certificate", "refused", "coefficients"):
            del document[name]
        for name in ("attached", "locked"):
            del document["robot"][name]
        for entry in document["quantities"].values():
            del entry["sha256"]
        document["version"] = 1

    rewrite(path, older)
    again = load_model(path)
    assert again.robot == model.robot
    assert again.kind is ModelKind.EXACT
    assert again.function("inverse_dynamics") == model.function("inverse_dynamics")


def exact_program(quantity):
    """The entry of a file that holds the exact model's program."""
    function = compile(robot_of("scara")).function(quantity)
    return {
        "operations": asdict(count_operations(function)),
        "sha256": function.content_hash,
        "function": function_to_dict(function),
    }


def hashed(certificate, **changes):
    """Change fields of a certificate's document, and make its checksum again."""
    certificate.update(changes)
    del certificate["sha256"]
    certificate["sha256"] = checksum(certificate)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("kind"), "'kind' is missing"),
        (lambda d: d.update(colour=1), "'colour' is not known"),
        (lambda d: d.update(kind="guessed"), r"model\.kind: 'guessed' is none of exact"),
        (lambda d: d.update(kind="exact"), "certificate: a model of the kind 'exact' has none"),
        (lambda d: d.update(certificate=None), "certificate: a model of the kind 'certified torque' has one"),
        (lambda d: d.update(route="magic"), r"model\.route"),
        (lambda d: d.update(assumed_regular=1), r"model\.assumed_regular"),
        (lambda d: d["certificate"].update(robot="x"), r"certificate\.sha256: the checksum does not fit"),
        (lambda d: hashed(d["certificate"], robot_hash="0"), r"certificate\.robot_hash: it is about another robot"),
        (lambda d: hashed(d["certificate"], motions={"lower": [0.0]}), r"certificate: .*motions"),
        (lambda d: hashed(d["certificate"], joints=[]), r"certificate: .*joints"),
        (lambda d: d["quantities"].pop("inverse_dynamics"), "needs its inverse_dynamics"),
        (lambda d: d["quantities"]["mass_matrix"].update(sha256="0"), "'mass_matrix': its sha256 is not that"),
        (lambda d: d["quantities"]["mass_matrix"]["operations"].update(mul=0), "'mass_matrix': its operations are not"),
        (
            lambda d: d["quantities"].update(inverse_dynamics=exact_program("inverse_dynamics")),
            "not the program that the certificate is about",
        ),
        (
            lambda d: d["quantities"].update(gravity_torque=exact_program("mass_matrix")),
            "the program of 'gravity_torque' is called 'mass_matrix'",
        ),
        (
            lambda d: d["quantities"].update(mass_matrix=exact_program("mass_matrix")),
            "'mass_matrix' does not compute what its name says",
        ),
        (
            lambda d: d["quantities"].update(forward_dynamics=exact_program("forward_dynamics")),
            "'forward_dynamics' does not compute what its name says",
        ),
        (
            lambda d: d["quantities"].update(total_torque=exact_program("total_torque")),
            "'total_torque' does not compute what its name says",
        ),
    ],
)
def test_a_wrong_field_is_refused_by_name(change, message, tmp_path):
    path = tmp_path / "arm.tq.json"
    save(model_of("scara", ModelKind.CERTIFIED_TORQUE), path)
    rewrite(path, change)
    with pytest.raises(ModelFileError, match=message) as caught:
        load_model(path)
    assert "arm.tq.json" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r["bodies"][0]["joint"].update(axis=[0.0, 0.0, 2.0]), r"robot: the axis of joint"),
        (lambda r: r["bodies"][0]["joint"].update(axis=[0.0, 0.0, 0.0]), r"robot: the axis of joint"),
        (lambda r: r["bodies"][0]["inertia"].update(m=-5.0), r"bodies\[0\]\.inertia\.m: the mass is negative: -5"),
        (lambda r: r["bodies"][1]["joint"].update(name=r["bodies"][0]["joint"]["name"]), "two parts of the robot"),
        (lambda r: r["bodies"][0]["joint"]["placement"]["rotation"].reverse(), r"placement\.rotation: it is not a rot"),
        (lambda r: r["bodies"][0]["joint"]["placement"]["rotation"][0].__setitem__(0, "1"), "finite number was exp"),
        (lambda r: r["frames"][0]["pose"].update(rotation=[[1, 0, 0]] * 3), r"pose\.rotation: it is not a rotation"),
    ],
)
def test_a_robot_that_is_none_is_refused(change, message, tmp_path):
    path = tmp_path / "arm.tq.json"
    save(compile(load_classic("scara")), path, quantities=["gravity_torque"])
    rewrite(path, lambda document: change(document["robot"]))
    with pytest.raises(ModelFileError, match=message):
        load_model(path)


# --- what each kind has ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FOLLOWING)
def test_what_does_not_exist_is_refused_with_its_reason_and_the_exact_one_is_had_by_name(kind):
    model = model_of("scara", kind)
    for quantity, reason in (("potential_energy", "gradient of any energy"), ("regressor", "inertial parameters")):
        with pytest.raises(RefusedQuantityError, match=reason) as caught:
            getattr(model, quantity)
        assert "model.exact" in caught.value.remedy
        assert quantity in model.refused()
        assert model.exact.function(quantity)
    assert model.exact.kind is ModelKind.EXACT


def test_base_parameters_keep_their_regressor():
    model = model_of("scara", ModelKind.BASE_PARAMETERS)
    q, qd, qdd = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 4))
    tau = model.base_regressor(q, qd, qdd) @ np.array(model.parameters.values)
    np.testing.assert_allclose(tau, model.inverse_dynamics(q, qd, qdd), atol=1e-11)
    with pytest.raises(RefusedQuantityError, match="inertial parameters"):
        _ = model_of("scara", ModelKind.ABBREVIATED).base_regressor


def test_other_values_of_the_base_give_another_model():
    robot = load_classic("scara")
    own = base_parameter_model(robot)
    doubled = base_parameter_model(robot, [2.0 * value for value in own.parameters.values])
    q, qd, qdd = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 4))
    np.testing.assert_allclose(doubled.inverse_dynamics(q, qd, qdd), 2.0 * own.inverse_dynamics(q, qd, qdd), atol=1e-9)
    np.testing.assert_allclose(own.inverse_dynamics(q, qd, qdd), compile(robot).inverse_dynamics(q, qd, qdd), atol=1e-9)
    assert doubled.regularity.shown
    with pytest.raises(ArgumentError, match="base parameters of robot 'scara'"):
        base_parameter_model(robot, [1.0])


def test_what_a_certificate_proves_is_carried_over():
    model = model_of("scara", ModelKind.CERTIFIED_TORQUE)
    assert model.proven("inverse_dynamics").bounds == model.proven("gravity_torque").bounds == ((1.0,),) * 4
    assert model.proven("velocity_torque").bounds == ((2.0,),) * 4
    assert model.proven("mass_matrix").bounds == ((0.5,) * 4,) * 4
    assert model.proven("forward_dynamics").standing is Standing.UNPROVEN
    assert model.proven("friction_torque").standing is Standing.EXACT
    assert model_of("scara", ModelKind.EXACT).proven("mass_matrix").standing is Standing.EXACT
    assert model_of("scara", ModelKind.ABBREVIATED).proven("mass_matrix").standing is Standing.UNPROVEN
    assert model_of("scara", ModelKind.CERTIFIED_COEFFICIENTS).proven("mass_matrix").standing is Standing.BOUNDED
    with pytest.raises(RefusedQuantityError):
        model.proven("regressor")


def test_friction_that_depends_on_the_load_carries_no_proof_of_the_total():
    model = model_of("scara", ModelKind.CERTIFIED_TORQUE)
    assert model.proven("total_torque").bounds == model.proven("inverse_dynamics").bounds
    first, *others = model.robot.bodies
    loaded = replace(first, joint=replace(first.joint, friction=Friction.of({"coulomb": 0.2, "load": 0.1})))
    robot = replace(model.robot, bodies=(loaded, *others))
    rubbing = certified_model(robot, replace(model.record, robot_hash=robot.content_hash))
    assert rubbing.proven("total_torque").standing is Standing.UNPROVEN
    assert rubbing.proven("inverse_dynamics").standing is Standing.BOUNDED


def test_a_program_with_friction_in_it_is_no_inverse_dynamics():
    robot = load_classic("planar2r")

    def rubbing(q, qd, qdd):
        return {"tau": [qdd[0] + 0.1 * qd[0], qdd[1]]}

    program = trace("inverse_dynamics", rubbing, dict.fromkeys(("q", "qd", "qdd"), (2,)))
    model = Model(robot, {"inverse_dynamics": program}, kind=ModelKind.ABBREVIATED)
    with pytest.raises(ExpressionError, match="torque 1 of 'inverse_dynamics' is not M"):
        _ = model.mass_matrix
    with pytest.raises(ArgumentError, match="needs its program"):
        Model(robot, kind=ModelKind.ABBREVIATED)


def test_a_certificate_of_another_robot_is_refused():
    record = model_of("scara", ModelKind.CERTIFIED_TORQUE).record
    with pytest.raises(ArgumentError, match="not about this robot"):
        certified_model(load_classic("planar2r"), record)


def test_forward_of_inverse_is_one_on_a_simplified_puma_560():
    model = model_of("puma560", ModelKind.CERTIFIED_TORQUE)
    ones = np.ones(6)
    for seed in range(5):
        q, qd = np.random.default_rng(seed).uniform(-0.5, 0.5, (2, 6))
        tau = model.inverse_dynamics(q, qd, ones)
        np.testing.assert_allclose(model.forward_dynamics(q, qd, tau), ones, rtol=1e-10)
        assert not np.allclose(model.exact.forward_dynamics(q, qd, tau), ones, rtol=1e-4)


def test_an_abbreviated_model_that_is_too_long_or_coupled_is_refused(monkeypatch):
    robot = load_classic("planar2r")
    first, second = robot.bodies
    follower = replace(second, joint=replace(second.joint, mimic=Mimic(first.joint.name)))
    with pytest.raises(RobotError, match="follows another one"):
        abbreviated_model(replace(robot, bodies=(first, follower)))
    monkeypatch.setattr("torquec.model.model_kinds._MOST_TERMS", 2)
    with pytest.raises(RobotError, match="longer than the exact recursion"):
        abbreviated_model(robot)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"values": (1.0,)}, "2 parameters have 1 values"),
        ({"covariance": ((1.0, 0.5), (0.4, 1.0))}, "not symmetric"),
        ({"covariance": ((-1.0, 0.0), (0.0, 1.0))}, "variance of the parameters is negative"),
        ({"values": (1.0, float("nan"))}, "not finite"),
        ({"names": ("a", "a")}, "the same name"),
    ],
)
def test_parameters_that_do_not_fit_together_are_refused(changes, message):
    with pytest.raises(ArgumentError, match=message):
        ModelParameters(**{"names": ("a", "b"), "values": (1.0, 2.0), **changes})


# --- influence coefficients -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [ModelKind.EXACT, ModelKind.CERTIFIED_TORQUE])
def test_influence_coefficients_are_the_jacobian_and_what_it_becomes(kind):
    model = model_of("puma560", kind)
    frame = model.robot.frames[-1].name
    q, qd = np.random.default_rng(2).uniform(-1.0, 1.0, (2, 50, 6))
    point, curved, link, turned = model.influence_coefficients(frame)(q)
    J, Jd = model.jacobian(frame)(q), model.jacobian_derivative(frame)(q, qd)
    np.testing.assert_allclose(np.concatenate([point, link], axis=1), J, atol=1e-12)
    for second, rows in ((curved, slice(0, 3)), (turned, slice(3, 6))):
        np.testing.assert_allclose(
            np.einsum("njkx,nj,nk->nx", second, qd, qd), np.einsum("nxk,nk->nx", Jd[:, rows], qd), atol=1e-12
        )


# --- C --------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "count"), [("scara", 200), *(pytest.param(name, 1000, marks=pytest.mark.slow) for name in ROBOTS)]
)
def test_the_c_package_computes_what_python_does(name, count, kind, tmp_path):
    model = model_of(name, kind)
    package = generate(model, tmp_path / "out", prefix="arm")
    assert set(package.functions) == set(model.served())
    assert dict(package.refused) == model.refused()
    source = next(path for path in package.files if path.name == "arm.c")
    library = tmp_path / "arm.so"
    flags = ["-O2", "-ffp-contract=off", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, str(source), "-o", str(library), "-lm"], check=True)
    code = ctypes.CDLL(str(library))
    rng = np.random.default_rng(4)
    for quantity in package.functions:
        function = model.function(quantity)
        states = [rng.uniform(0.05, 0.1, (count, port.size)) for port in function.inputs]
        outputs = [np.empty((count, port.size)) for port in function.outputs]
        call = getattr(code, f"arm_{quantity}")
        for k in range(count):
            rows = [array[k] for array in (*states, *outputs)]
            call(*(row.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for row in rows))
        found = getattr(model, quantity)(*states)
        for have, want in zip(outputs, found if len(outputs) > 1 else [found], strict=True):
            scale = max(1.0, np.abs(want).max())
            np.testing.assert_allclose(have, np.reshape(want, have.shape), rtol=0.0, atol=1e-12 * scale)
