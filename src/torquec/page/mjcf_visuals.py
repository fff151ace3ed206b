"""The shapes of MJCF: its geoms, primitive ones and meshes.

A mesh's vertices v stand on the geom at S R' (v - r), with the asset's scale S and its reference frame R, r; MuJoCo
moves and turns them before it scales them.
"""

from __future__ import annotations

from pathlib import Path

from torquec.page.robot_shapes import Shape, ShapeKind, ShapeRole
from torquec.page.visual_collection import VisualCollection
from torquec.robot.mjcf_geoms import MjcfGeom, MjcfMesh, read_mjcf_geoms
from torquec.spatial import IDENTITY, Pose, matvec, transpose


def collect_mjcf(path: Path, into: VisualCollection) -> None:
    """Collect what the bodies of an MJCF file show; raises `RobotFileError`, `MissingExtraError`."""
    for geom in read_mjcf_geoms(path):
        frame = into.frames.get(geom.body)
        if frame is not None:
            into.add(frame, _shape(geom, into))


def _shape(geom: MjcfGeom, into: VisualCollection) -> Shape | None:
    """The shape of a geom, its body not yet known; None for what cannot be drawn."""
    a, b, c = geom.sizes  # halves of lengths
    forms = {
        "sphere": (ShapeKind.SPHERE, (a,)),
        "capsule": (ShapeKind.CAPSULE, (a, 2.0 * b)),
        "cylinder": (ShapeKind.CYLINDER, (a, 2.0 * b)),
        "ellipsoid": (ShapeKind.ELLIPSOID, (a, b, c)),
        "box": (ShapeKind.BOX, (2.0 * a, 2.0 * b, 2.0 * c)),
    }
    if geom.type in forms:
        kind, sizes = forms[geom.type]
        return Shape(0, kind, geom.pose, sizes, ShapeRole.VISUAL, color=geom.color)
    what = f"a geom of body '{geom.body}'"
    if geom.type != "mesh":
        into.refuse(what, f"shapes of the type {geom.type} are not drawn")
        return None
    if geom.mesh is None:
        into.refuse(what, "its mesh names no file")
        return None
    reference = geom.mesh.reference
    if reference.rotation != IDENTITY.rotation and len(set(geom.mesh.scale)) > 1:
        into.refuse(geom.mesh.file, "a mesh that is both turned and scaled unevenly is not drawn")
        return None
    number = into.mesh(geom.mesh.file)
    if number < 0:
        return None
    pose = geom.pose @ _moved(geom.mesh)
    return Shape(0, ShapeKind.MESH, pose, (), ShapeRole.VISUAL, number, geom.mesh.scale, geom.color)


def _moved(mesh: MjcfMesh) -> Pose:
    """Where the scaled vertices of the file stand on the geom."""
    back = transpose(mesh.reference.rotation)
    x, y, z = (-s * r for s, r in zip(mesh.scale, matvec(back, mesh.reference.origin), strict=True))
    return Pose(back, (x, y, z))
