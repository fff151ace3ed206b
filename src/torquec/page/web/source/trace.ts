// The path of the hand: a line through its last positions, while it is switched on.

import { BufferGeometry, DynamicDrawUsage, Float32BufferAttribute, Line, LineBasicMaterial, Vector3 } from "three";

const MOST = 4000; // positions: a minute of motion

export class HandTrace {
  readonly line: Line<BufferGeometry, LineBasicMaterial>;
  private count = 0;
  private readonly last = new Vector3(Number.NaN, 0, 0);

  /** Positions nearer than `step` [m] to the last one are left out. */
  constructor(private readonly step: number) {
    const geometry = new BufferGeometry();
    const places = new Float32BufferAttribute(new Float32Array(3 * MOST), 3);
    geometry.setAttribute("position", places.setUsage(DynamicDrawUsage));
    geometry.setDrawRange(0, 0);
    this.line = new Line(geometry, new LineBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 }));
    this.line.frustumCulled = false;
    this.line.renderOrder = 5;
    this.line.visible = false;
  }

  show(visible: boolean): void {
    this.line.visible = visible;
    this.count = 0;
    this.last.set(Number.NaN, 0, 0);
    this.line.geometry.setDrawRange(0, 0);
  }

  add(position: Vector3): void {
    if (!this.line.visible || position.distanceTo(this.last) < this.step) return;
    const places = this.line.geometry.getAttribute("position") as Float32BufferAttribute;
    if (this.count === MOST) {
      places.array.copyWithin(0, 3 * (MOST / 2));
      this.count = MOST / 2;
    }
    places.setXYZ(this.count, position.x, position.y, position.z);
    places.needsUpdate = true;
    this.count += 1;
    this.last.copy(position);
    this.line.geometry.setDrawRange(0, this.count);
  }

  get length(): number {
    return this.count;
  }
}
