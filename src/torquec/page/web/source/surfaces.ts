// Materials and round shapes, as fine as the renderer can draw: a graphics card, or the processor alone.

import { type BufferGeometry, CapsuleGeometry, LatheGeometry, MeshLambertMaterial, MeshStandardMaterial, type MeshStandardMaterialParameters, SphereGeometry, Vector2 } from "three";

export type Surface = MeshStandardMaterial | MeshLambertMaterial;

/** Whether pictures are made by the processor: shadows, smooth edges and shiny surfaces cost several times the rest. */
export const drawsInSoftware = ((): boolean => {
  const context = document.createElement("canvas").getContext("webgl2");
  const names = context?.getExtension("WEBGL_debug_renderer_info");
  const name = context && names ? String(context.getParameter(names.UNMASKED_RENDERER_WEBGL)) : "";
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
})();

const AROUND = drawsInSoftware ? 20 : 48; // straight pieces of a circle
const EDGE = drawsInSoftware ? 2 : 6; // of a rounded edge

export function surface({ roughness, metalness, ...rest }: MeshStandardMaterialParameters): Surface {
  return drawsInSoftware ? new MeshLambertMaterial(rest) : new MeshStandardMaterial({ roughness: roughness!, metalness: metalness ?? 0, ...rest });
}

export function sphere(radius: number): SphereGeometry {
  return drawsInSoftware ? new SphereGeometry(radius, 20, 12) : new SphereGeometry(radius, 36, 22);
}

export function capsule(radius: number, length: number): CapsuleGeometry {
  return drawsInSoftware ? new CapsuleGeometry(radius, length, 4, AROUND) : new CapsuleGeometry(radius, length, 12, 32);
}

/** A cylinder along y whose edges are broken, as those of machined parts are. */
export function roundedCylinder(radius: number, length: number): BufferGeometry {
  const edge = 0.22 * Math.min(radius, length / 2);
  const points = [new Vector2(0, -length / 2)];
  for (const side of [-1, 1]) {
    for (let k = 0; k <= EDGE; k += 1) {
      const angle = ((side < 0 ? k : EDGE - k) * Math.PI) / (2 * EDGE);
      const [x, y] = [radius - edge + edge * Math.sin(angle), length / 2 - edge + edge * Math.cos(angle)];
      points.push(new Vector2(x, side * y));
    }
  }
  points.push(new Vector2(0, length / 2));
  return new LatheGeometry(points, AROUND);
}
