"""`torquec linearize`: the keys, the numbers of the library, bad input."""

from __future__ import annotations

import numpy as np

import torquec as tq

STATE = ("--q", "0.1,-0.8,0.4,0,0.3,0", "--qd", "1,0,0.5,0,0,0", "--qdd", "0,1,0,0,0,0")


def test_the_document_is_the_linear_model(torquec):
    document = torquec("linearize", "puma560", *STATE, "--json").document
    assert {"M", "C", "K", "A", "B", "eigenvalues"} <= set(document)
    model = tq.linearize(tq.classics.puma560(), [0.1, -0.8, 0.4, 0, 0.3, 0], [1, 0, 0.5, 0, 0, 0], [0, 1, 0, 0, 0, 0])
    for name in ("M", "C", "K", "A", "B"):
        assert np.allclose(document[name], getattr(model, name))
    found = [complex(*pair) for pair in document["eigenvalues"]]
    assert np.allclose(np.sort_complex(found), np.sort_complex(model.eigenvalues), atol=1e-9)


def test_abbreviated_and_cartesian(torquec):
    exact = torquec("linearize", "puma560", *STATE, "--json").document
    short = torquec("linearize", "puma560", *STATE, "--abbreviated", "--json").document
    assert 0.0 < np.abs(np.array(exact["M"]) - short["M"]).max() < 0.02
    seen = torquec("linearize", "puma560", *STATE, "--frame", "link6", "--json").document["cartesian"]
    assert np.array(seen["M"]).shape == (6, 6)


def test_the_model_as_c(torquec, tmp_path):
    document = torquec("linearize", "planar2r", "-o", tmp_path, "--json").document
    assert len(document["files"]) == 4
    assert "planar2r_linearized_linear_model" in (tmp_path / "planar2r_linearized.h").read_text()
    assert "not empty" in torquec("linearize", "planar2r", "-o", tmp_path).err
    assert "wrote" in torquec("linearize", "planar2r", "-o", tmp_path, "--force").err


def test_text(torquec):
    shown = torquec("linearize", "puma560", *STATE, "--frame", "link6")
    assert "K = dtau/dq" in shown.out
    assert "Eigenvalues of A" in shown.out
    assert "M at frame 'link6'" in shown.out


def test_a_singular_tool_is_told(torquec):
    shown = torquec("linearize", "puma560", "--frame", "link6", "--json")
    assert shown.status == 2
    assert shown.out == ""
    assert "singular at q = (0, 0, 0, 0, 0, 0)" in shown.err
    assert "remedy" in shown.err


def test_matrices_of_many_joints_are_printed_in_blocks_of_columns(torquec, tmp_path):
    leg = (
        '<joint name="joint_of_the_limb_{k}" type="revolute"><parent link="trunk"/><child link="b{k}"/>'
        '<axis xyz="0 1 0"/></joint><link name="b{k}"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )
    path = tmp_path / "star.urdf"
    path.write_text(f'<robot name="star"><link name="trunk"/>{"".join(leg.format(k=k) for k in range(9))}</robot>')
    for command in ("linearize", "eval"):
        shown = torquec(command, path).out
        assert max(map(len, shown.splitlines())) <= 150
        rows = [line.split() for line in shown.splitlines() if line.strip().startswith("joint_of_the_limb_8 ")]
        assert sum(len(row) - 1 for row in rows if set(row[1:]) <= {"0", "1"}) >= 9
