// The reference of a simulated run: a line through its bodies, and the tube around its hand that the error bound allows.

import { BufferGeometry, CatmullRomCurve3, Float32BufferAttribute, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, TubeGeometry, type Vector3 } from "three";
import type { HandData, ViewData } from "./document";
import type { Motion } from "./motion";
import { framePose, type Placements, RobotView } from "./robot_view";

const STEP = 1e-4; // rad or m, of a difference quotient
const ALONG = 160; // points of a tube

export class Ghost {
  readonly group = new Group();
  /** Largest distance [m] of the hand from its reference that the bounds of the joints allow; 0 without bounds. */
  radius = 0;
  private readonly robot: RobotView;
  private readonly lines: LineSegments<BufferGeometry, LineBasicMaterial>;
  private tube: Mesh<TubeGeometry, MeshBasicMaterial> | null = null;

  constructor(
    private readonly data: ViewData,
    size: number,
    placements: Placements,
  ) {
    this.robot = new RobotView({ ...data, shapes: [] }, size, [], placements);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(new Float32Array(6 * (data.bodies.length + 1)), 3));
    this.lines = new LineSegments(geometry, new LineBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 }));
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 4;
    this.group.add(this.lines);
    this.group.visible = false;
  }

  paint(color: string): void {
    this.lines.material.color.set(color);
    this.tube?.material.color.set(color);
  }

  /** The joints of the reference; null hides it. */
  move(q: ArrayLike<number> | null, hand: HandData | undefined): void {
    this.lines.visible = q !== null;
    if (!q) return;
    this.robot.move(q);
    const places = this.lines.geometry.getAttribute("position") as Float32BufferAttribute;
    const at = (body: number): Vector3 => framePose(this.robot, body, { rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], origin: [0, 0, 0] }).position;
    this.data.bodies.forEach(({ parent }, k) => {
      places.setXYZ(2 * k, ...at(parent).toArray());
      places.setXYZ(2 * k + 1, ...at(k).toArray());
    });
    const n = this.data.bodies.length;
    places.setXYZ(2 * n, ...at(hand?.body ?? 0).toArray());
    places.setXYZ(2 * n + 1, ...this.handAt(q, hand).toArray());
    places.needsUpdate = true;
  }

  /** The tube of a motion with bounds around the path of a hand, everywhere with its largest width. */
  follow(motion: Motion, hand: HandData | undefined): void {
    if (this.tube) this.group.remove(this.tube);
    this.tube = null;
    this.radius = 0;
    const { reference, data } = motion;
    if (!reference || !hand || data.tube.length === 0) return;
    const nq = reference.length / data.samples;
    const path: Vector3[] = [];
    for (let k = 0; k < ALONG; k += 1) {
      const row = Math.round((k * (data.samples - 1)) / (ALONG - 1));
      const q = reference.slice(row * nq, (row + 1) * nq);
      const place = this.handAt(q, hand).clone();
      let radius = 0;
      data.tube.forEach((bound, j) => {
        const moved = q.slice();
        moved[j] = moved[j]! + STEP;
        radius += (bound * this.handAt(moved, hand).distanceTo(place)) / STEP;
      });
      this.radius = Math.max(this.radius, radius);
      if (path.length === 0 || path[path.length - 1]!.distanceTo(place) > 1e-5) path.push(place);
    }
    if (path.length < 2) return;
    this.tube = new Mesh(new TubeGeometry(new CatmullRomCurve3(path), ALONG, this.radius, 12), new MeshBasicMaterial({ color: this.lines.material.color, transparent: true, opacity: 0.22, depthWrite: false }));
    this.group.add(this.tube);
  }

  private handAt(q: ArrayLike<number>, hand: HandData | undefined): Vector3 {
    this.robot.move(q);
    return framePose(this.robot, hand?.body ?? 0, hand?.pose ?? { rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], origin: [0, 0, 0] }).position;
  }
}
