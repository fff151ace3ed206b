"""One tetrahedron in every format, for tests of the readers."""

from __future__ import annotations

import json
import struct

import numpy as np

CORNERS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def triangles(mesh):
    """Corners (N, 3, 3) of all triangles of a mesh, parts in order."""
    return mesh.vertices[np.concatenate([part.triangles for part in mesh.parts])]


def binary_stl(head=b""):
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *CORNERS[face].ravel(), 0) for face in FACES)
    return head.ljust(80, b" ") + struct.pack("<I", len(FACES)) + rows


def text_stl():
    facets = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join("vertex {} {} {}\n".format(*corner) for corner in CORNERS[face])
        + "endloop\nendfacet\n"
        for face in FACES
    )
    return f"solid tetra\n{facets}endsolid tetra\n".encode()


def obj(material="red"):
    lines = ["mtllib tetra.mtl", f"usemtl {material}"]
    lines += ["v {} {} {}".format(*corner) for corner in CORNERS]
    lines += ["f {}/1/1 {}//2 {}".format(*(face + 1)) for face in FACES[:3]] + ["f -3 -2 -1"]
    return "\n".join(lines).encode()


def collada(unit="0.5", up="Y_UP"):
    points = " ".join(str(x) for x in CORNERS.ravel())
    corners = " ".join(f"{i} 0" for i in FACES[:2].ravel())
    listed = " ".join(f"{i} 0" for i in FACES[2:].ravel())
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit meter="{unit}"/><up_axis>{up}</up_axis></asset>
  <library_effects><effect id="e"><profile_COMMON><technique><phong><diffuse><color>1 0 0 1</color></diffuse></phong>
    </technique></profile_COMMON></effect></library_effects>
  <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
  <library_geometries><geometry id="g"><mesh>
    <source id="s"><float_array id="a" count="12">{points}</float_array>
      <technique_common><accessor source="#a" count="4" stride="3"/></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
    <triangles material="mat" count="2"><input semantic="VERTEX" source="#v" offset="0"/>
      <input semantic="NORMAL" source="#s" offset="1"/><p>{corners}</p></triangles>
    <polylist count="2"><input semantic="VERTEX" source="#v" offset="0"/>
      <input semantic="NORMAL" source="#s" offset="1"/><vcount>3 3</vcount><p>{listed}</p></polylist>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="x"><node>
    <translate>1 2 3</translate><rotate>0 0 1 90</rotate><scale>2 2 2</scale>
    <instance_geometry url="#g"><bind_material><technique_common>
      <instance_material symbol="mat" target="#m"/></technique_common></bind_material></instance_geometry>
  </node></visual_scene></library_visual_scenes>
</COLLADA>""".encode()


def glb(**changes):
    binary = CORNERS.astype("<f4").tobytes() + FACES.astype("<u2").tobytes()
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"children": [1], "translation": [1, 2, 3]},
            {"mesh": 0, "rotation": [0, 0, 0.5**0.5, 0.5**0.5], "scale": [2, 2, 2]},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1]}}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4},
            {"bufferView": 1, "componentType": 5123, "type": "SCALAR", "count": 12},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 24},
        ],
        "buffers": [{"byteLength": len(binary)}],
        **changes,
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks
