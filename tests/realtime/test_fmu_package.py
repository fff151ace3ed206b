"""Functional mock-up units: what they hold, and what they compute, called as a master calls them."""

from __future__ import annotations

import ctypes
import io
import re
import shutil
import xml.etree.ElementTree as ET
import zipfile

import numpy as np
import pytest
from tests.codegen.c.compiler import COMPILERS, needs_compiler, run

import torquec as tq
from torquec.errors import ArgumentError
from torquec.expr import evaluate
from torquec.realtime.fmu_package import motion_rate, write_fmu_package

PERIOD = 0.002
MODEL = tq.compile(tq.classics.puma560())
LAW = tq.computed_torque(MODEL, -12.0, period=PERIOD)
JOINTS = MODEL.robot.joint_names


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("fmu")
    write_fmu_package(MODEL, path, law=LAW)
    return path


def unpacked(archive):
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


class Unit:
    """A unit, compiled and instantiated for co-simulation or model exchange."""

    def __init__(self, archive, place, *, exchange: bool = False):
        files = unpacked(archive)
        for name, content in files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(content)
        description = ET.fromstring(files["modelDescription.xml"])
        self.vr = {row.get("name"): int(row.get("valueReference")) for row in description.find("ModelVariables")}
        sources = sorted((place / "sources").glob("*.c"))
        strict = ("-Wall", "-Wextra", "-Wno-unused-parameter", "-pedantic", "-Werror")
        flags = ("-std=c99", *strict, "-O2", "-fPIC", "-shared", "-fvisibility=hidden")
        made = run(COMPILERS[0], *flags, *sources, "-lm", "-o", place / "unit.so")
        assert made.returncode == 0, made.stderr
        self.library = ctypes.CDLL(str(place / "unit.so"))
        self.token = description.get("instantiationToken").encode()
        kind = "fmi3InstantiateModelExchange" if exchange else "fmi3InstantiateCoSimulation"
        make = getattr(self.library, kind)
        make.restype = ctypes.c_void_p
        more = (None, None) if exchange else (False, False, None, ctypes.c_size_t(0), None, None, None)
        self.make = lambda token: make(b"x", token, None, False, False, *more)
        self.unit = ctypes.c_void_p(self.make(self.token))
        number = ctypes.c_double(0.0)
        assert self("fmi3EnterInitializationMode", False, number, number, False, number) == 0
        assert self("fmi3ExitInitializationMode") == 0

    def __call__(self, name, *arguments):
        return getattr(self.library, name)(self.unit, *arguments)

    def _transfer(self, name, names, values):
        places = (ctypes.c_uint32 * len(names))(*(self.vr[each] for each in names))
        numbers = (ctypes.c_double * len(names))(*values)
        count = ctypes.c_size_t(len(names))
        assert self(name, places, count, numbers, count) == 0
        return np.array(numbers)

    def set(self, names, values):
        self._transfer("fmi3SetFloat64", names, values)

    def get(self, names):
        return self._transfer("fmi3GetFloat64", names, [0.0] * len(names))

    def step(self, time, size):
        flags, last = [ctypes.c_bool() for _ in range(3)], ctypes.c_double()
        answer = self("fmi3DoStep", ctypes.c_double(time), ctypes.c_double(size), True, *map(ctypes.byref, flags),
                      ctypes.byref(last))  # fmt: skip
        return answer, last.value


def named(*words):
    return [f"{word}_{joint}" for word in words for joint in JOINTS]


def motion():
    t = np.arange(0.0, 0.3, PERIOD)
    shape = np.linspace(0.2, 0.4, 6)
    q, qd, qdd = (f(2.0 * t)[:, None] * a * shape for f, a in ((np.sin, 1.0), (np.cos, 2.0), (np.sin, -4.0)))
    return tq.Trajectory(JOINTS, t, q, qd, qdd)


@needs_compiler
def test_the_closed_loop_of_two_units_is_the_simulation(folder, tmp_path):
    plant = Unit(folder / "puma560.fmu", tmp_path / "plant")
    law = Unit(folder / "puma560_law.fmu", tmp_path / "law")
    reference = motion()
    plant.set([*named("q", "qd"), "longest_step"], [*reference.q[0], *reference.qd[0], PERIOD / 2])
    found = [reference.q[0]]
    for k in range(len(reference) - 1):
        rows = [*reference.q[k], *reference.qd[k], *reference.qdd[k], *plant.get(named("q", "qd"))]
        law.set(named("q_ref", "qd_ref", "qdd_ref", "q", "qd"), rows)
        assert law.step(reference.t[k], PERIOD)[0] == 0
        plant.set(named("tau"), law.get(named("tau")))
        assert plant.step(reference.t[k], PERIOD) == (0, pytest.approx(reference.t[k] + PERIOD, rel=1e-15))
        found.append(plant.get(named("q")))
    expected = tq.simulate(MODEL, LAW, reference).q[: len(found)]
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9)


@needs_compiler
def test_model_exchange_gives_the_rates_and_takes_the_states(folder, tmp_path):
    unit = Unit(folder / "puma560.fmu", tmp_path, exchange=True)
    rng = np.random.default_rng(2)
    y, tau = rng.uniform(-1.0, 1.0, 12), rng.uniform(-5.0, 5.0, 6)
    unit.set(named("tau"), tau)
    numbers, count = (ctypes.c_double * 12)(*y), ctypes.c_size_t(12)
    assert unit("fmi3SetContinuousStates", numbers, count) == 0
    rates = (ctypes.c_double * 12)()
    assert unit("fmi3GetContinuousStateDerivatives", rates, count) == 0
    expected = evaluate(motion_rate(MODEL), {"y": y, "tau": tau})["rate"]
    np.testing.assert_allclose(rates, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(unit.get(named("der_q", "der_qd")), expected, rtol=1e-12, atol=1e-12)


@needs_compiler
def test_states_are_kept_and_misuse_is_an_error(folder, tmp_path):
    unit = Unit(folder / "puma560.fmu", tmp_path / "plant")
    kept = ctypes.c_void_p()
    assert unit("fmi3GetFMUState", ctypes.byref(kept)) == 0
    unit.set(named("tau"), [1.0] * 6)
    assert unit.step(0.0, 0.01)[0] == 0
    first = unit.get(named("q"))
    assert unit("fmi3SetFMUState", kept) == 0
    assert unit.get(named("q")).tolist() == [0.0] * 6
    unit.set(named("tau"), [1.0] * 6)
    unit.step(0.0, 0.01)
    assert unit.get(named("q")).tolist() == first.tolist()
    assert unit("fmi3FreeFMUState", ctypes.byref(kept)) == 0
    assert unit.step(0.0, 0.0)[0] == 3
    unit.set(named("tau"), [np.nan] * 6)
    assert unit.step(0.0, 0.01)[0] == 3
    assert unit("fmi3GetFloat32", None, ctypes.c_size_t(0), None, ctypes.c_size_t(0)) == 3
    place, one = (ctypes.c_uint32 * 1)(unit.vr[named("der_q")[0]]), ctypes.c_size_t(1)
    assert unit("fmi3SetFloat64", place, one, (ctypes.c_double * 1)(), one) == 3
    assert unit.make(b"another") is None
    law = Unit(folder / "puma560_law.fmu", tmp_path / "law")
    assert law.step(0.0, 1.5 * PERIOD)[0] == 3
    assert law.step(0.0, 3.0 * PERIOD)[0] == 0


def test_the_description_states_variables_units_of_the_interface_and_the_claim(folder):
    files = unpacked(folder / "puma560.fmu")
    description = ET.fromstring(files["modelDescription.xml"])
    assert description.get("fmiVersion") == "3.0"
    assert {"ModelExchange", "CoSimulation"} <= {row.tag for row in description}
    assert files["documentation/claim.txt"].decode().strip() == description.get("description").strip()
    assert "puma560" in description.get("description")
    rates = [row for row in description.find("ModelVariables") if row.get("derivative")]
    assert [row.get("derivative") for row in rates] == [str(k) for k in range(1, 13)]
    law = ET.fromstring(unpacked(folder / "puma560_law.fmu")["modelDescription.xml"])
    assert law.find("ModelExchange") is None
    assert float(law.find("CoSimulation").get("fixedInternalStepSize")) == PERIOD


def test_golden_description(golden, tmp_path):
    write_fmu_package(tq.classics.planar2r(), tmp_path)
    text = unpacked(tmp_path / "planar2r.fmu")["modelDescription.xml"].decode()
    golden("fmu/modelDescription.xml", re.sub(r"\{[0-9a-f]{64}\}", "{TOKEN}", text))


def test_the_same_model_gives_the_same_bytes(folder, tmp_path):
    write_fmu_package(MODEL, tmp_path, law=LAW)
    for name in ("puma560.fmu", "puma560_law.fmu", "CMakeLists.txt"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


@needs_compiler
@pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake")
def test_cmake_adds_a_binary(folder, tmp_path):
    made = run("cmake", "-B", tmp_path, "-S", folder)
    assert made.returncode == 0, made.stderr
    assert run("cmake", "--build", tmp_path).returncode == 0
    for name in ("puma560", "puma560_law"):
        files = unpacked(io.BytesIO((tmp_path / f"{name}.fmu").read_bytes()))
        assert any(file.startswith("binaries/") and name in file for file in files)
        assert files["modelDescription.xml"] == unpacked(folder / f"{name}.fmu")["modelDescription.xml"]


def test_laws_that_no_unit_can_hold_are_refused(tmp_path):
    with pytest.raises(ArgumentError, match="no period"):
        write_fmu_package(MODEL, tmp_path / "a", law=tq.computed_torque(MODEL, -12.0))
    with pytest.raises(ArgumentError, match="for the joints"):
        write_fmu_package(MODEL, tmp_path / "a", law=tq.computed_torque(tq.classics.planar3r(), -5.0, period=0.001))
    assert not (tmp_path / "a").exists()


@pytest.mark.slow
@needs_compiler
def test_fmpy_finds_no_problem_and_integrates_both_kinds(folder, tmp_path):
    fmpy = pytest.importorskip("fmpy")
    from fmpy.validation import validate_fmu

    run("cmake", "-B", tmp_path, "-S", folder)
    run("cmake", "--build", tmp_path)
    for name in ("puma560", "puma560_law"):
        assert validate_fmu(str(tmp_path / f"{name}.fmu")) == []
    rows = {}
    start = dict(zip(named("q"), np.linspace(0.1, 0.6, 6), strict=True))
    for kind in ("ModelExchange", "CoSimulation"):
        rows[kind] = fmpy.simulate_fmu(
            str(tmp_path / "puma560.fmu"), fmi_type=kind, stop_time=0.2, output_interval=0.01, relative_tolerance=1e-10,
            start_values=start, output=named("q"),
        )  # fmt: skip
    for name in named("q"):
        np.testing.assert_allclose(rows["ModelExchange"][name], rows["CoSimulation"][name], rtol=1e-5, atol=1e-6)
