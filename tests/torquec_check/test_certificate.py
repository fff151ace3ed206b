"""Certificates as documents: what is claimed, what is refused, and attacks that an older checker accepted."""

from __future__ import annotations

import pytest
from tests.torquec_check.documents import program_document, robot_document
from tests.torquec_check.test_program_error import _added

from torquec_check.certificate import FORMAT, OLDER, certificate_of, check_certificate
from torquec_check.document import RefusedError, canonical_hash


def sealed(document):
    """The document with its checksum."""
    values = {key: value for key, value in document.items() if key != "sha256"}
    return values | {"sha256": canonical_hash(values)}


def document(**changes):
    """A certificate of the exact program of planar2r."""
    proof = {"bound": 1e-6, "found": 0.0, "tolerance": None}
    values = {
        "format": FORMAT,
        "robot": "planar2r",
        "robot_hash": "",
        "robot_document": robot_document(),
        "program": program_document(),
        "motions": {"lower": [-3.0] * 2, "upper": [3.0] * 2, "velocity": [1.0] * 2, "acceleration": [2.0] * 2},
        "joints": {"joint1": dict(proof), "joint2": dict(proof)},
        "coefficients": None,
        "counts": None,
        "specification": "",
    }
    return sealed(values | changes)


def coefficients(program=None, **proofs):
    return {
        "format": "torquec coefficient certificate 3",
        "robot": "planar2r",
        "robot_hash": "",
        "program": program or program_document(),
        "box": {"lower": [-3.0] * 2, "upper": [3.0] * 2},
        "coefficients": proofs,
        "others": [1e-12] * 2,
    }


def proven(values, robot=None):
    return check_certificate(certificate_of(values, robot), lambda *_: None)


def test_an_honest_certificate_is_proven():
    assert set(proven(document())) == {"joint1", "joint2"}
    assert set(proven(document(coefficients=coefficients()))) == {"joint1", "joint2"}


def test_an_older_certificate_is_proven_with_its_robot():
    values = document(format=OLDER)
    del values["robot_document"]
    proven(sealed(values), robot_document())
    with pytest.raises(RefusedError, match="does not hold its robot"):
        certificate_of(sealed(values))


M11 = {"family": "M", "index": [0, 0], "kind": "absolute", "bound": 1e-3, "found": 0.0, "tolerance": None}
JOINT = {"bound": 1e-6, "found": 0.0, "tolerance": None}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "torquec certificate 1"}, "format"),
        ({"robot": "puma560"}, "names the robot"),
        ({"joints": {"joint2": JOINT, "joint1": JOINT}}, "in order"),
        ({"joints": {}}, "in order"),
        ({"joints": {"joint1": JOINT | {"bound": -1.0}, "joint2": JOINT}}, "its bound is"),
        ({"joints": {"joint1": JOINT | {"tolerance": 1e-7}, "joint2": JOINT}}, "tolerance 1e-07"),
        ({"joints": {"joint1": JOINT | {"found": 1e-5}, "joint2": JOINT}}, "found 1e-05"),
        ({"joints": {"joint1": JOINT | {"more": 1}, "joint2": JOINT}}, "not known"),
        ({"motions": {"lower": [3.0] * 2, "upper": [-3.0] * 2, "velocity": [], "acceleration": []}}, "ranges"),
        ({"motions": {"lower": [0.0] * 2, "upper": [1.0] * 2, "velocity": [1.0], "acceleration": [1.0] * 2}}, "speeds"),
        (
            {"motions": {"lower": [0.0] * 2, "upper": [1.0] * 2, "velocity": [-1.0] * 2, "acceleration": [1.0] * 2}},
            "neg",
        ),
        ({"rounding": {"precision": "half", "joints": {}}}, "half"),
        ({"rounding": {"precision": "single", "joints": {}}}, "other joints"),
        (
            {"rounding": {"precision": "single", "joints": {"joint1": 1e-9, "joint2": 1e-9}}},
            "single precision may change",
        ),
        ({"coefficients": coefficients(**{"M[1,2]": M11})}, "filed under another name"),
        ({"coefficients": coefficients(**{"M[2,1]": M11 | {"index": [1, 0]}})}, "diagonal"),
        ({"coefficients": coefficients(**{"M[1,1]": M11 | {"kind": "most"}})}, "no such error"),
        ({"coefficients": coefficients() | {"others": [1e-12, -1.0]}}, "negative"),
        ({"coefficients": coefficients() | {"box": {"lower": [0.0] * 2, "upper": [1.0] * 2}}}, "different positions"),
    ],
)
def test_statements_that_make_no_sense_are_refused(changes, message):
    with pytest.raises(RefusedError, match=message):
        proven(document(**changes))


def test_a_changed_document_is_refused():
    with pytest.raises(RefusedError, match="checksum"):
        certificate_of(document() | {"specification": "x"})


def test_another_robot_is_refused():
    """A package of planar2r is no package of the robot that somebody has."""
    with pytest.raises(RefusedError, match="another robot"):
        certificate_of(document(), robot_document() | {"gravity": [0.0, 0.0, -1.6]})


def test_an_outer_program_is_never_taken_on_trust():
    values = document(joints={}, coefficients=coefficients(), program=_added([["const", 1.0]]))
    with pytest.raises(RefusedError, match="not the one"):
        proven(values)
    proven(document(joints={}, coefficients=coefficients()))


def test_rounding_below_the_largest_joints_allowance_is_refused():
    """((s + B) - B) - s times a wave that vanishes on the grid, times qd1^2: zero as a real function."""
    steps = [
        ["input", "q", 1],
        ["const", 2.0],
        ["sin", 0],
        ["mul", 1, 2],
        ["const", 1e12],
        ["add", 3, 4],
        ["sub", 5, 4],
    ]
    steps += [
        ["sub", 6, 3],
        ["const", 5.0],
        ["mul", 8, 0],
        ["sin", 9],
        ["mul", 7, 10],
        ["input", "qd", 0],
        ["mul", 12, 12],
    ]
    steps += [["mul", 11, 13]]
    with pytest.raises(RefusedError, match="rounding"):
        proven(document(program=_added(steps)))


def test_constants_that_were_folded_carry_their_rounding():
    """A robot of 513 t: the program's constants are rounded, and the checker's own have radii."""
    heavy = robot_document()
    for body in heavy["bodies"]:
        body["inertia"] = {key: 513e3 * value for key, value in body["inertia"].items()}
        body["joint"]["placement"]["origin"] = [640.0 * x for x in body["joint"]["placement"]["origin"]]
    from torquec.expr import function_to_dict
    from torquec.model.quantities import trace_quantity
    from torquec.robot.robot_document import robot_from_dict

    program = function_to_dict(trace_quantity(robot_from_dict(heavy), "inverse_dynamics"))
    tiny = {name: JOINT | {"bound": 1e-9} for name in ("joint1", "joint2")}
    with pytest.raises(RefusedError, match="rounding"):
        proven(document(robot_document=heavy, program=program, joints=tiny))


def test_rounding_that_is_stated_is_that_of_floats():
    """A claim with `rounding` says that it holds for code in floats."""
    joints = dict.fromkeys(("joint1", "joint2"), 1.0)
    with pytest.raises(RefusedError, match="rounding is stated"):
        certificate_of(document(rounding={"precision": "double", "joints": joints}))
    stated = {"precision": "single", "joints": {}}
    with pytest.raises(RefusedError, match="rounding is stated"):
        certificate_of(document(rounding=stated, joints={}, coefficients=coefficients()))


def test_a_least_inertia_is_proven_or_refused():
    assert set(proven(document(least_inertia=[0.1, 0.02]))) == {"joint1", "joint2"}
    for least, message in (([0.5, 0.2], "M is not proven"), ([0.1], "a list of 2"), ([0.1, -0.1], "not positive")):
        with pytest.raises(RefusedError, match=message):
            proven(document(least_inertia=least))


@pytest.mark.parametrize("side", ["velocity", "acceleration"])
def test_each_side_of_the_box_fits(side):
    motions = document()["motions"]
    with pytest.raises(RefusedError, match="do not fit"):
        proven(document(motions=motions | {side: [1.0]}))


def test_a_box_may_be_a_single_posture():
    motions = document()["motions"]
    assert proven(document(motions=motions | {"lower": [0.5, 0.5], "upper": [0.5, 0.5]}))
    with pytest.raises(RefusedError, match="do not fit"):
        proven(document(motions=motions | {"lower": [0.5, 0.6], "upper": [0.5, 0.5]}))


def test_other_coefficients_may_be_stated_exact_and_are_not():
    """Zero is no negative number: it is read, and refused because of rounding."""
    values = document(coefficients=coefficients() | {"others": [0.0, 1e-12]})
    assert certificate_of(values).others == (0.0, 1e-12)
    with pytest.raises(RefusedError, match="has no bound of its own"):
        proven(values)


@pytest.mark.parametrize(("family", "index"), [("M", [0, 1]), ("H", [0, 0, 1]), ("H", [1, 0, 0]), ("g", [1])])
def test_coefficients_of_every_family_are_proven_and_have_their_own_number_of_indices(family, index):
    name = f"{family}[{','.join(str(k + 1) for k in index)}]"
    stated = M11 | {"family": family, "index": index}
    proven(document(coefficients=coefficients(**{name: stated})))
    with pytest.raises(RefusedError, match="is not proven"):
        proven(document(coefficients=coefficients(**{name: stated | {"bound": 0.0}})))
    longer = f"{family}[{','.join(str(k + 1) for k in [*index, index[-1]])}]"
    with pytest.raises(RefusedError, match="filed under another name"):
        proven(document(coefficients=coefficients(**{longer: stated | {"index": [*index, index[-1]]}})))


def test_a_specification_of_a_book_is_refused():
    """A key of a million parts takes hours: tomllib takes the square of their number."""
    longest = "#" * 50_000
    assert certificate_of(sealed(document(specification=longest)), robot_document()).specification == longest
    with pytest.raises(RefusedError, match="more than 50000 letters"):
        certificate_of(sealed(document(specification=f"{longest}#")), robot_document())


def test_a_bound_may_be_its_tolerance():
    proofs = {name: JOINT | {"tolerance": JOINT["bound"], "found": JOINT["bound"]} for name in ("joint1", "joint2")}
    assert certificate_of(document(joints=proofs)).bounds == {"joint1": 1e-6, "joint2": 1e-6}
