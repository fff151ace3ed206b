"""COLLADA (DAE): the geometry of its scene in metres, with diffuse colours.

The unit that the file states is applied. Its up axis is not: as in RViz, coordinates are taken as they are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from torquec.errors import RobotFileError
from torquec.foundation.arrays import Array, Indices
from torquec.page.mesh import Color, MeshPart, TriangleMesh
from torquec.robot.xml import Element, parse_xml

_DEEPEST = 100
"""Deepest nesting of nodes: instances of nodes may refer to each other in a cycle."""


def read_collada(data: bytes, where: str) -> TriangleMesh:
    """The mesh of a DAE file; raises `RobotFileError` for an invalid file or a missing reference."""
    try:
        root = parse_xml(data, where)
        if root.tag != "COLLADA":
            raise RobotFileError(f"the document is <{root.tag}>, not <COLLADA>", where=where)
        return _Scene(root).mesh()
    except (ValueError, IndexError, KeyError) as error:
        raise RobotFileError(
            f"the COLLADA file is not understood: {error!r:.80}", where=where, remedy="export the mesh again"
        ) from None


class _Scene:
    def __init__(self, root: Element) -> None:
        self.by_id = {e.attributes["id"]: e for e in root.walk() if "id" in e.attributes}
        self.root = root
        self.vertices: list[Array] = []
        self.parts: list[MeshPart] = []
        self.count = 0

    def mesh(self) -> TriangleMesh:
        units = [unit for asset in self.root.all("asset") for unit in asset.all("unit")]
        meter = float(units[0].attributes.get("meter", "1")) if units else 1.0
        start = np.diag([meter, meter, meter, 1.0])
        scenes = [e for e in self.root.walk() if e.tag == "visual_scene"]
        for scene in scenes[:1]:
            for node in scene.all("node"):
                self.add_node(node, start, 0)
        if not scenes:
            for geometry in (e for e in self.root.walk() if e.tag == "geometry"):
                self.add_geometry(geometry, start, {})
        points = np.concatenate(self.vertices) if self.vertices else np.zeros((0, 3))
        return TriangleMesh(points, tuple(self.parts))

    def target(self, url: str) -> Element:
        return self.by_id[url.removeprefix("#")]

    def add_node(self, node: Element, above: Array, depth: int) -> None:
        if depth > _DEEPEST:
            raise ValueError("nodes refer to each other in a cycle")
        place = above @ _placement(node)
        for instance in node.all("instance_geometry"):
            self.add_geometry(self.target(instance.attributes["url"]), place, self.colors(instance))
        for instance in node.all("instance_node"):
            self.add_node(self.target(instance.attributes["url"]), place, depth + 1)
        for child in node.all("node"):
            self.add_node(child, place, depth + 1)

    def colors(self, instance: Element) -> dict[str, Color]:
        """Diffuse colours by the symbol that the geometry calls its material."""
        found = {}
        for bound in (e for e in instance.walk() if e.tag == "instance_material"):
            material = self.by_id.get(bound.attributes.get("target", "").removeprefix("#"))
            effects = [] if material is None else material.all("instance_effect")
            effect = self.by_id.get(effects[0].attributes.get("url", "").removeprefix("#")) if effects else None
            for diffuse in () if effect is None else (e for e in effect.walk() if e.tag == "diffuse"):
                for color in diffuse.all("color"):
                    r, g, b, a = (float(word) for word in color.text.split())
                    found[bound.attributes.get("symbol", "")] = (r, g, b, a)
        return found

    def add_geometry(self, geometry: Element, place: Array, colors: Mapping[str, Color]) -> None:
        for mesh in geometry.all("mesh"):
            for group in mesh.children:
                if group.tag in ("triangles", "polylist", "polygons"):
                    self.add_group(group, place, colors.get(group.attributes.get("material", "")))

    def add_group(self, group: Element, place: Array, color: Color | None) -> None:
        inputs = group.all("input")
        stride = 1 + max((int(i.attributes.get("offset", "0")) for i in inputs), default=0)
        of_vertices = next(i for i in inputs if i.attributes.get("semantic") == "VERTEX")
        offset = int(of_vertices.attributes.get("offset", "0"))
        positions = self.positions(self.target(of_vertices.attributes["source"]))
        triangles = np.array(list(_triangles(group, stride, offset)), dtype=np.int64).reshape(-1, 3)
        if len(triangles) and (triangles.min() < 0 or triangles.max() >= len(positions)):
            raise ValueError("a triangle refers to a missing vertex")
        self.vertices.append(positions @ place[:3, :3].T + place[:3, 3])
        self.parts.append(MeshPart(triangles + self.count, color))
        self.count += len(positions)

    def positions(self, vertices: Element) -> Array:
        source = next(i for i in vertices.all("input") if i.attributes.get("semantic") == "POSITION")
        holder = self.target(source.attributes["source"])
        array = holder.need("float_array")
        accessor = next(e for e in holder.walk() if e.tag == "accessor")
        stride = int(accessor.attributes.get("stride", "3"))
        values: Array = np.array(array.text.split(), dtype=float).reshape(-1, stride)[:, :3]
        return values


def _placement(node: Element) -> Array:
    """The transforms of a node, in the order in which they are written."""
    total = np.eye(4)
    for step in node.children:
        if step.tag not in ("matrix", "translate", "rotate", "scale"):
            continue
        values = np.array(step.text.split(), dtype=float)
        one = np.eye(4)
        if step.tag == "matrix":
            one = values.reshape(4, 4)
        elif step.tag == "translate":
            one[:3, 3] = values
        elif step.tag == "scale":
            one[:3, :3] = np.diag(values)
        else:
            one[:3, :3] = _turn(values[:3], np.radians(values[3]))
        total = total @ one
    return total


def _turn(axis: Array, angle: float) -> Array:
    x, y, z = axis / np.linalg.norm(axis)
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turned: Array = np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * (k @ k)
    return turned


def _triangles(group: Element, stride: int, offset: int) -> Iterator[Indices]:
    """Corners (3,) of every triangle of a group; polygons become fans."""
    lists = [np.array(p.text.split(), dtype=np.int64).reshape(-1, stride)[:, offset] for p in group.all("p")]
    if group.tag == "triangles":
        for corners in lists:
            yield from corners[: len(corners) // 3 * 3].reshape(-1, 3)
        return
    if group.tag == "polylist":
        counts = np.array(group.need("vcount").text.split(), dtype=np.int64)
        if counts.sum() > len(lists[0]):
            raise ValueError("polygons have more vertices than are listed")
        lists = np.split(lists[0][: counts.sum()], np.cumsum(counts)[:-1])
    for corners in lists:
        for k in range(1, len(corners) - 1):
            yield corners[[0, k, k + 1]]
