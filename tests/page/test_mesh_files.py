"""Where meshes may lie, and what is said of those that may not be read or hold nothing."""

from __future__ import annotations

import numpy as np
import pytest
from tests.page.solids import CORNERS, FACES, binary_stl, collada, glb, obj, text_stl, triangles

from torquec.errors import RobotFileError
from torquec.page.mesh_files import MeshFolders, read_mesh, read_obj, read_stl


@pytest.fixture
def package(tmp_path):
    """my_arm/urdf/arm.urdf and my_arm/meshes/a.stl, and a mesh that is nobody's."""
    for folder in ("my_arm/urdf", "my_arm/meshes", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.stl").write_bytes(binary_stl())
    return tmp_path


def test_meshes_of_the_folder_and_of_the_package_are_found(package):
    folders = MeshFolders(package / "my_arm" / "urdf" / "arm.urdf", {"other": package / "elsewhere"})
    assert folders.find("a.stl") == package / "my_arm" / "urdf" / "a.stl"
    assert folders.find("package://my_arm/meshes/a.stl") == package / "my_arm" / "meshes" / "a.stl"
    assert folders.find("package://other/a.stl") == package / "elsewhere" / "a.stl"
    assert folders.find(f"file://{package}/my_arm/urdf/a.stl").is_file()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../meshes/a.stl", "outside"),
        ("package://my_arm/../elsewhere/a.stl", "outside"),
        ("package://unknown/a.stl", "not known"),
        ("package:///a.stl", "not known"),
        ("http://somewhere/a.stl", "not read"),
        ("/etc/passwd", "outside"),
        ("file:///etc/passwd", "outside"),
        ("b.stl", "no such file"),
        ("link.stl", "outside"),
        (".", "no such file"),
    ],
)
def test_everything_else_is_refused(package, name, message):
    (package / "my_arm" / "urdf" / "link.stl").symlink_to(package / "elsewhere" / "a.stl")
    with pytest.raises(RobotFileError, match=message):
        MeshFolders(package / "my_arm" / "urdf" / "arm.urdf").find(name)


def test_the_ending_chooses_the_reader(tmp_path):
    for name, data in (("a.STL", binary_stl()), ("a.obj", obj()), ("a.dae", collada()), ("a.glb", glb())):
        (tmp_path / name).write_bytes(data)
        assert triangles(read_mesh(tmp_path / name)).shape == (4, 3, 3)


def test_colours_come_from_the_folder_of_the_mesh_only(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "tetra.mtl").write_text("newmtl red\nKd 1 0 0\n")
    (tmp_path / "in" / "a.obj").write_bytes(obj().replace(b"tetra.mtl", b"../tetra.mtl"))
    assert read_mesh(tmp_path / "in" / "a.obj").parts[0].color is None
    (tmp_path / "in" / "tetra.mtl").write_text("newmtl red\nKd 1 0 0\n")
    (tmp_path / "in" / "a.obj").write_bytes(obj())
    assert read_mesh(tmp_path / "in" / "a.obj").parts[0].color == (1.0, 0.0, 0.0, 1.0)


def test_what_holds_nothing_to_draw_is_refused(tmp_path, monkeypatch):
    cases = {
        "a.ply": (b"ply", "not a supported mesh format"),
        "empty.obj": (b"v 0 0 0\n", "no triangle"),
        "far.obj": (b"v 0 0 0\nf 1 2 3\n", "missing vertex"),
        "nan.obj": (b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not finite"),
    }
    for name, (data, message) in cases.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(RobotFileError, match=message):
            read_mesh(tmp_path / name)
    monkeypatch.setenv("TORQUEC_FILE_LIMIT", "1")
    (tmp_path / "huge.stl").write_bytes(b"\0" * 1_000_001)
    with pytest.raises(RobotFileError, match="a mesh may take 1 MB"):
        read_mesh(tmp_path / "huge.stl")


def test_fifty_megabytes_are_the_limit(tmp_path):
    with (tmp_path / "huge.stl").open("wb") as file:
        file.truncate(50_000_001)
    with pytest.raises(RobotFileError, match="50 MB"):
        read_mesh(tmp_path / "huge.stl")


@pytest.mark.parametrize("data", [binary_stl(), binary_stl(b"solid exported by somebody"), text_stl()])
def test_every_triangle_is_there(data):
    np.testing.assert_array_equal(triangles(read_stl(data, "a.stl")), CORNERS[FACES])


@pytest.mark.parametrize("data", [b"", b"nonsense" * 20, binary_stl()[:-1], b"solid a\nfacet\nvertex 1 2 x\n"])
def test_what_is_no_stl_is_refused(data):
    with pytest.raises(RobotFileError):
        read_stl(data, "a.stl")


MATERIALS = b"newmtl red\nKd 1 0 0\nd 0.5\nnewmtl broken\nKd x\n"


def test_every_triangle_is_there_with_its_colour():
    asked = []
    mesh = read_obj(obj(), "a.obj", beside=lambda name: asked.append(name) or MATERIALS)
    np.testing.assert_array_equal(triangles(mesh), CORNERS[FACES])
    assert asked == ["tetra.mtl"]
    assert [part.color for part in mesh.parts] == [(1.0, 0.0, 0.0, 0.5)]
    assert read_obj(obj("broken"), "a.obj", beside=lambda _: MATERIALS).parts[0].color is None


def test_polygons_become_fans():
    square = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"
    np.testing.assert_array_equal(read_obj(square, "a.obj").parts[0].triangles, [[0, 1, 2], [0, 2, 3]])


@pytest.mark.parametrize("data", [b"v 1 2 x\n", b"v 1 2 3\nf 1 b 1\n", b"v 1 2\n"])
def test_what_is_not_understood_is_refused(data):
    with pytest.raises(RobotFileError):
        read_obj(data, "a.obj")
