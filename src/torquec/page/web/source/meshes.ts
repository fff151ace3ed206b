// Triangles from what Python packed: 16-bit positions in a box, then 32-bit indices, then the parts by colour.

import { BufferGeometry, Float32BufferAttribute, Uint32BufferAttribute } from "three";
import { bytesOf, inflated } from "./bytes";
import type { MeshData } from "./document";

const STEPS = 65535;

export async function geometryOf(mesh: MeshData): Promise<BufferGeometry> {
  const buffer = await inflated(bytesOf(mesh.packed));
  const steps = new Uint16Array(buffer, 0, 3 * mesh.vertices);
  const start = Math.ceil((6 * mesh.vertices) / 4) * 4;
  const indices = new Uint32Array(buffer, start);
  const positions = new Float32Array(3 * mesh.vertices);
  for (let k = 0; k < positions.length; k += 1) {
    const [low, high] = [mesh.lower[k % 3]!, mesh.upper[k % 3]!];
    positions[k] = low + ((high - low) * steps[k]!) / STEPS;
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(positions, 3));
  geometry.setIndex(new Uint32BufferAttribute(indices, 1));
  let first = 0;
  mesh.parts.forEach((part, k) => {
    if (mesh.parts.length > 1) geometry.addGroup(first, part.count, k);
    first += part.count;
  });
  const flat = creased(geometry);
  flat.computeVertexNormals();
  return flat;
}

/** Vertices doubled where faces meet at more than `CREASE`, so that edges look like edges and round things round. */
const CREASE = Math.cos((35 * Math.PI) / 180);

function creased(geometry: BufferGeometry): BufferGeometry {
  const position = geometry.getAttribute("position").array;
  const index = geometry.getIndex()!.array;
  const faces = index.length / 3;
  const normals = new Float32Array(3 * faces);
  for (let f = 0; f < faces; f += 1) {
    const [a, b, c] = [3 * index[3 * f]!, 3 * index[3 * f + 1]!, 3 * index[3 * f + 2]!];
    const [ux, uy, uz] = [position[b]! - position[a]!, position[b + 1]! - position[a + 1]!, position[b + 2]! - position[a + 2]!];
    const [vx, vy, vz] = [position[c]! - position[a]!, position[c + 1]! - position[a + 1]!, position[c + 2]! - position[a + 2]!];
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const size = Math.hypot(x, y, z) || 1;
    normals.set([x / size, y / size, z / size], 3 * f);
  }
  // Each vertex becomes one per cluster of faces that are nearly in one plane.
  const clusters: { face: number; vertex: number }[][] = Array.from({ length: position.length / 3 }, () => []);
  const points: number[] = Array.from(position);
  const renamed = new Uint32Array(index.length);
  for (let k = 0; k < index.length; k += 1) {
    const [vertex, face] = [index[k]!, Math.floor(k / 3)];
    const known = clusters[vertex]!;
    const same = known.find((c) => {
      const [i, j] = [3 * c.face, 3 * face];
      return normals[i]! * normals[j]! + normals[i + 1]! * normals[j + 1]! + normals[i + 2]! * normals[j + 2]! > CREASE;
    });
    if (same) renamed[k] = same.vertex;
    else {
      const fresh = known.length === 0 ? vertex : points.length / 3;
      if (known.length > 0) points.push(position[3 * vertex]!, position[3 * vertex + 1]!, position[3 * vertex + 2]!);
      known.push({ face, vertex: fresh });
      renamed[k] = fresh;
    }
  }
  const result = new BufferGeometry();
  result.setAttribute("position", new Float32BufferAttribute(points, 3));
  result.setIndex(new Uint32BufferAttribute(renamed, 1));
  for (const group of geometry.groups) result.addGroup(group.start, group.count, group.materialIndex);
  return result;
}
