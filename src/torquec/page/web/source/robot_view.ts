// The robot as a tree of three.js groups: one per body, moved by its joint; everything else hangs on these.

import {
  BoxGeometry,
  BufferGeometry,
  CanvasTexture,
  Color,
  Float32BufferAttribute,
  Group,
  Line,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  Quaternion,
  Sprite,
  SpriteMaterial,
  Vector3,
} from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { BodyData, PoseData, ShapeData, ViewData } from "./document";
import { capsule, roundedCylinder, type Surface, sphere, surface } from "./surfaces";

export interface Palette {
  link: string;
  housing: string;
  accent: string;
}

/** Child frames in their joint frames at q, rows of twelve numbers; null where each joint has one number of q. */
export type Placements = (q: ArrayLike<number>) => Float64Array | null;

/** What can be shown besides the shapes. */
export type Overlay = "frames" | "axes" | "center" | "inertia";

/** The primitive shapes of a body as one mesh; `roles` says for each part how many vertices it has. */
interface DrawnBody {
  joint: number;
  mesh: Mesh<BufferGeometry, Surface>;
  roles: { role: "link" | "housing"; vertices: number }[];
}

const AXIS_COLORS = ["#d1495b", "#3a9d5d", "#2f7fd1"];

export function matrixOf(pose: PoseData): Matrix4 {
  const [a, b, c, d, e, f, g, h, i] = pose.rotation as [number, number, number, number, number, number, number, number, number];
  const [x, y, z] = pose.origin;
  return new Matrix4().set(a, b, c, x, d, e, f, y, g, h, i, z, 0, 0, 0, 1);
}

export class RobotView {
  readonly root = new Group();
  /** Of the base (index 0) and of every body (index + 1). */
  private readonly groups: Group[] = [this.root];
  private readonly movers: Group[] = [];
  private readonly overlays = new Map<Overlay, Group[]>();
  private readonly materials: Record<"link" | "housing", Surface>;
  private readonly drawn: DrawnBody[] = [];
  private readonly center: Mesh;
  private accent = "#e8743b";

  constructor(
    private readonly data: ViewData,
    private readonly size: number,
    private readonly meshes: (BufferGeometry | null)[],
    private readonly placements: Placements = () => null,
  ) {
    this.materials = {
      link: surface({ roughness: 0.42, metalness: 0.05 }),
      housing: surface({ roughness: 0.5, metalness: 0.25 }),
    };
    for (const body of data.bodies) this.addBody(body);
    for (const body of [-1, ...data.bodies.keys()]) this.addPrimitives(body);
    for (const shape of data.shapes) if (shape.role === "visual") this.addShape(shape);
    for (const frame of data.frames) {
      const axes = this.axes(0.06 * size);
      axes.applyMatrix4(matrixOf(frame.pose));
      this.overlay("frames", frame.body, axes);
      const name = label(frame.name, 0.035 * size);
      name.position.set(...frame.pose.origin);
      this.overlay("frames", frame.body, name);
    }
    this.center = new Mesh(sphere(0.018 * size), new MeshBasicMaterial({ color: "#d1495b", depthTest: false }));
    this.center.renderOrder = 5;
    this.overlay("center", -1, this.center);
    this.move(data.start);
  }

  /** The group that a body's shapes hang on; -1 is the base. */
  group(body: number): Group {
    return this.groups[body + 1] as Group;
  }

  /** Put every joint at its position. */
  move(q: ArrayLike<number>): void {
    const placements = this.placements(q);
    this.data.bodies.forEach((body, k) => {
      const mover = this.movers[k] as Group;
      if (placements) {
        const row = [...placements.subarray(12 * k, 12 * k + 12)];
        const pose = { rotation: row.slice(0, 9), origin: row.slice(9) as [number, number, number] };
        matrixOf(pose).decompose(mover.position, mover.quaternion, new Vector3());
        return;
      }
      const value = body.multiplier * (q[body.joint] as number) + body.offset;
      const axis = new Vector3(...body.axis);
      if (body.prismatic) mover.position.copy(axis).multiplyScalar(value);
      else mover.quaternion.setFromAxisAngle(axis, value);
    });
    this.root.updateMatrixWorld(true);
    this.placeCenter();
  }

  /** The centre of mass of the moving bodies, in the base frame. */
  centerOfMass(): Vector3 {
    const total = new Vector3();
    let mass = 0;
    this.data.bodies.forEach((body, k) => {
      total.addScaledVector(new Vector3(...body.center).applyMatrix4(this.group(k).matrixWorld), body.mass);
      mass += body.mass;
    });
    return mass > 0 ? total.divideScalar(mass) : total;
  }

  show(overlay: Overlay, visible: boolean): void {
    for (const group of this.overlays.get(overlay) ?? []) group.visible = visible;
    if (overlay === "inertia") {
      for (const material of [...Object.values(this.materials), ...this.drawn.map(({ mesh }) => mesh.material)]) {
        material.transparent = visible;
        material.opacity = visible ? 0.45 : 1;
        material.depthWrite = !visible;
        material.needsUpdate = true;
      }
    }
  }

  paint(palette: Palette): void {
    this.materials.link.color.set(palette.link);
    this.materials.housing.color.set(palette.housing);
    this.accent = palette.accent;
    for (const { mesh, roles } of this.drawn) {
      const values = roles.flatMap(({ role, vertices }) => Array.from({ length: vertices }, () => this.materials[role].color.toArray()).flat());
      mesh.geometry.setAttribute("color", new Float32BufferAttribute(values, 3));
    }
  }

  /** Make the body that one joint moves stand out; -1 for none. */
  highlight(joint: number): void {
    for (const body of this.drawn) {
      const chosen = joint >= 0 && body.joint === joint;
      body.mesh.material.emissive.set(chosen ? this.accent : "#000000");
      body.mesh.material.emissiveIntensity = chosen ? 0.35 : 0;
    }
  }

  private addBody(body: BodyData): void {
    const placed = new Group();
    placed.applyMatrix4(matrixOf(body.placement));
    const mover = new Group();
    placed.add(mover);
    this.group(body.parent).add(placed);
    this.groups.push(mover);
    this.movers.push(mover);
    const index = this.groups.length - 2;

    const axis = new Vector3(...body.axis);
    const points = [axis.clone().multiplyScalar(-0.16 * this.size), axis.clone().multiplyScalar(0.16 * this.size)];
    const line = new Line(
      new BufferGeometry().setFromPoints(points),
      new LineBasicMaterial({ color: body.prismatic ? AXIS_COLORS[1]! : AXIS_COLORS[2]!, depthTest: false }),
    );
    line.renderOrder = 4;
    this.overlay("axes", index, line);
    if (body.ellipsoid) {
      const shape = new Mesh(
        sphere(1),
        surface({ color: "#2f7fd1", transparent: true, opacity: 0.45, roughness: 0.6 }),
      );
      const pose = matrixOf({ rotation: body.ellipsoid.rotation, origin: body.center });
      shape.applyMatrix4(pose.multiply(new Matrix4().makeScale(...body.ellipsoid.axes)));
      this.overlay("inertia", index, shape);
    }
  }

  /** Links and housings of a body (-1: the base) as one mesh, so that it is drawn by one call. */
  private addPrimitives(body: number): void {
    const shapes = this.data.shapes.filter((shape) => shape.body === body && shape.role !== "visual");
    if (shapes.length === 0) return;
    const parts = shapes.map((shape) => {
      const part = this.geometry(shape) as BufferGeometry;
      if (shape.kind === "capsule" || shape.kind === "cylinder") part.rotateX(Math.PI / 2); // ours lie along z
      return part.applyMatrix4(matrixOf(shape.pose));
    });
    const roles = shapes.map((shape, k) => ({ role: shape.role as "link" | "housing", vertices: parts[k]!.getAttribute("position").count }));
    const material = surface({ roughness: 0.45, metalness: 0.12, vertexColors: true });
    const mesh = new Mesh(mergeGeometries(parts), material);
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    this.group(body).add(mesh);
    this.drawn.push({ joint: this.data.bodies[body]?.joint ?? -1, mesh, roles });
  }

  private addShape(shape: ShapeData): void {
    const geometry = this.geometry(shape);
    if (!geometry) return;
    const mesh = new Mesh(geometry, this.materialOf(shape, geometry));
    mesh.applyMatrix4(matrixOf(shape.pose));
    if (shape.kind === "capsule" || shape.kind === "cylinder") mesh.rotateX(Math.PI / 2); // ours lie along z
    if (shape.kind === "mesh") mesh.scale.set(...shape.scale);
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    this.group(shape.body).add(mesh);
  }

  private materialOf(shape: ShapeData, geometry: BufferGeometry): Surface | Surface[] {
    const painted = (color: number[] | null): Surface => {
      if (!color) return this.materials.link;
      const [r, g, b, a] = color as [number, number, number, number];
      const opaque = a >= 1;
      return surface({
        color: new Color().setRGB(r, g, b, "srgb"),
        roughness: 0.5,
        metalness: 0.05,
        transparent: !opaque,
        opacity: a,
      });
    };
    if (shape.color || shape.kind !== "mesh") return painted(shape.color);
    const parts = this.data.meshes[shape.mesh]?.parts ?? [];
    return geometry.groups.length > 0 ? parts.map((part) => painted(part.color)) : painted(parts[0]?.color ?? null);
  }

  private geometry(shape: ShapeData): BufferGeometry | null {
    const [a, b, c] = shape.sizes as [number, number, number];
    switch (shape.kind) {
      case "capsule":
        return capsule(a, b);
      case "cylinder":
        return roundedCylinder(a, b);
      case "sphere":
        return sphere(a);
      case "ellipsoid":
        return sphere(1).scale(a, b, c);
      case "box":
        return new BoxGeometry(a, b, c);
      case "mesh":
        return this.meshes[shape.mesh] ?? null;
    }
  }

  private axes(length: number): LineSegments {
    const geometry = new BufferGeometry();
    const [l, colors] = [length, AXIS_COLORS.map((color) => new Color(color))];
    geometry.setAttribute("position", new Float32BufferAttribute([0, 0, 0, l, 0, 0, 0, 0, 0, 0, l, 0, 0, 0, 0, 0, 0, l], 3));
    const values = colors.flatMap((color) => [color.r, color.g, color.b, color.r, color.g, color.b]);
    geometry.setAttribute("color", new Float32BufferAttribute(values, 3));
    const lines = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, depthTest: false }));
    lines.renderOrder = 3;
    return lines;
  }

  private overlay(kind: Overlay, body: number, object: Line | LineSegments | Mesh | Sprite): void {
    const group = new Group();
    group.visible = false;
    group.add(object);
    this.group(body).add(group);
    this.overlays.set(kind, [...(this.overlays.get(kind) ?? []), group]);
  }

  private placeCenter(): void {
    this.center.position.copy(this.centerOfMass());
  }
}

/** A name beside a frame, as high as `height` [m]. */
function label(text: string, height: number): Sprite {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d")!;
  const font = "500 44px system-ui, sans-serif";
  pen.font = font;
  canvas.width = Math.ceil(pen.measureText(text).width) + 24;
  canvas.height = 60;
  pen.font = font; // setting a size resets it
  pen.fillStyle = "rgba(255, 255, 255, 0.85)";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = "#1b2430";
  pen.textBaseline = "middle";
  pen.fillText(text, 12, 32);
  const sprite = new Sprite(new SpriteMaterial({ map: new CanvasTexture(canvas), depthTest: false, transparent: true }));
  sprite.scale.set((height * canvas.width) / canvas.height, height, 1);
  sprite.center.set(-0.05, -0.3);
  sprite.renderOrder = 7;
  return sprite;
}

/** Position and orientation of a frame that hangs on a body, in the base frame. */
export function framePose(view: RobotView, body: number, pose: PoseData): { position: Vector3; turn: Quaternion } {
  const matrix = view.group(body).matrixWorld.clone().multiply(matrixOf(pose));
  const [position, turn] = [new Vector3(), new Quaternion()];
  matrix.decompose(position, turn, new Vector3());
  return { position, turn };
}
