// The picture: camera, light, floor, the robot, and the hand that can be dragged. Drawn only when something changed.

import {
  AmbientLight,
  Box3,
  type BufferGeometry,
  DirectionalLight,
  GridHelper,
  Group,
  HemisphereLight,
  Mesh,
  MeshBasicMaterial,
  PCFShadowMap,
  PerspectiveCamera,
  Plane,
  PlaneGeometry,
  Raycaster,
  Scene,
  ShadowMaterial,
  type Object3D,
  type SphereGeometry,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import type { ViewData } from "./document";
import { drawSoon } from "./frames";
import { Ghost } from "./ghost";
import type { Motion } from "./motion";
import { Pace } from "./pace";
import { framePose, type Palette, type Placements, RobotView } from "./robot_view";
import { drawsInSoftware, type Surface, sphere, surface } from "./surfaces";
import { HandTrace } from "./trace";

export interface Dragging {
  /** The hand was taken. */
  begin(): void;
  /** It is pulled to this place [m] in the base frame. */
  pull(position: Vector3): void;
  /** It was let go. */
  end(): void;
}

/** Where the camera stands, seen from the robot, by the name of the view. */
export const VIEWS = { fit: [0.78, -0.55, 0.36], front: [1, 0, 0.04], side: [0, -1, 0.04], top: [0.001, 0, 1] } as const;
export type ViewName = keyof typeof VIEWS;

const BUTTONS = 64; // pixels at the top of the picture, with room for what is around a joint
const NEVER_SHOWN = [960, 640] as const; // pixels of a picture for paper where none was on a screen before

export class SceneView {
  readonly robot: RobotView;
  readonly canvas: HTMLCanvasElement;
  frames = 0;
  private readonly scene = new Scene();
  readonly camera: PerspectiveCamera;
  private readonly renderer: WebGLRenderer;
  private readonly controls: OrbitControls;
  private readonly knob: Mesh<SphereGeometry, MeshBasicMaterial>;
  private readonly ellipsoid: Mesh<SphereGeometry, Surface>;
  private readonly floor: Group;
  private readonly shade = new Mesh<PlaneGeometry, ShadowMaterial>(undefined, new ShadowMaterial());
  private readonly extra = new Group();
  private readonly trace: HandTrace;
  readonly ghost: Ghost;
  private readonly pace = new Pace(
    () => this.resize(),
    () => this.withoutShadows(),
  );
  private sized = false;
  /** Whether a picture was asked for and is not drawn yet. */
  waiting = false;
  private held = false;
  private hand = 0;

  constructor(
    private readonly data: ViewData,
    private readonly place: HTMLElement,
    meshes: (BufferGeometry | null)[],
    readonly size: number,
    private readonly dragging: Dragging,
    placements: Placements,
  ) {
    this.renderer = new WebGLRenderer({ antialias: !drawsInSoftware, alpha: true });
    this.renderer.shadowMap.enabled = !drawsInSoftware;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.canvas = this.renderer.domElement;
    this.canvas.setAttribute("role", "img");
    this.canvas.tabIndex = 0;
    place.append(this.canvas);

    this.robot = new RobotView(data, size, meshes, placements);
    this.trace = new HandTrace(0.002 * size);
    this.ghost = new Ghost(data, size, placements);
    this.scene.add(this.robot.root, this.extra, this.trace.line, this.ghost.group);
    this.camera = new PerspectiveCamera(32, 1, size / 50, size * 60);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => this.draw());
    this.canvas.addEventListener("keydown", (event) => this.turnByKey(event));

    this.floor = this.makeFloor();
    this.addLight();
    if (drawsInSoftware) this.withoutShadows();
    this.knob = new Mesh(
      sphere(0.03 * size),
      new MeshBasicMaterial({ transparent: true, opacity: 0.55, depthTest: false }),
    );
    this.knob.renderOrder = 6;
    this.ellipsoid = new Mesh(
      sphere(1),
      surface({ transparent: true, opacity: 0.28, depthWrite: false, roughness: 0.8 }),
    );
    this.ellipsoid.visible = false;
    this.scene.add(this.knob, this.ellipsoid);
    this.knob.visible = data.hands.length > 0;
    this.catchHand();
    this.look();
    new ResizeObserver(() => this.resize()).observe(place);
    this.resize();
  }

  /** The whole robot from one side; in the beginning from the front right. */
  look(from: ViewName = "fit"): void {
    const { lower, upper } = this.extent();
    const middle = lower.clone().add(upper).multiplyScalar(0.5);
    const radius = Math.max(0.5 * upper.distanceTo(lower) + 0.1 * this.size, 0.62 * this.size);
    const aspect = Math.max(0.3, this.place.clientWidth / Math.max(1, this.place.clientHeight));
    const angle = (this.camera.fov * Math.PI) / 360;
    const distance = radius / Math.sin(Math.min(angle, Math.atan(Math.tan(angle) * aspect)));
    this.camera.position.copy(middle).add(new Vector3(...VIEWS[from]).normalize().multiplyScalar(distance));
    this.controls.target.copy(middle);
    this.controls.update();
    this.stepBack();
    this.draw();
  }

  paint(palette: Palette & { grid: string; floorShade: number }): void {
    this.robot.paint(palette);
    this.robot.highlight(-1);
    this.knob.material.color.set(palette.accent);
    this.ghost.paint(palette.accent);
    this.ellipsoid.material.color.set(palette.accent);
    this.trace.line.material.color.set(palette.accent);
    for (const child of this.floor.children) {
      const material = (child as Mesh).material;
      if (material instanceof ShadowMaterial) material.opacity = palette.floorShade;
      else (material as MeshBasicMaterial).color.set(palette.grid);
    }
    this.draw();
  }

  /** Show the robot at q. */
  move(q: ArrayLike<number>, reference: ArrayLike<number> | null = null): void {
    this.robot.move(q);
    if (this.ghost.group.visible) this.ghost.move(reference, this.data.hands[this.hand]);
    const hand = this.data.hands[this.hand];
    if (hand) this.knob.position.copy(framePose(this.robot, hand.body, hand.pose).position);
    if (hand) this.trace.add(this.knob.position);
    if (!this.held) this.stepBack();
    this.draw();
  }

  chooseHand(index: number): void {
    this.hand = index;
    this.trace.show(this.trace.line.visible);
  }

  /** Draw the path of the hand from now on, or no longer. */
  showTrace(visible: boolean): void {
    this.trace.show(visible);
    this.trace.add(this.knob.position);
    this.draw();
  }

  /** Show the reference of a motion with the tube around its hand, or hide it. */
  showReference(motion: Motion | null): void {
    this.ghost.group.visible = motion !== null;
    if (motion) this.ghost.follow(motion, this.data.hands[this.hand]);
    this.draw();
  }

  /** Positions in the path of the hand. */
  get traced(): number {
    return this.trace.length;
  }

  /** Draw calls of the last picture. */
  get drawCalls(): number {
    return this.renderer.info.render.calls;
  }

  /** The ellipsoid of the hand's velocities at unit joint speeds: principal axes (columns) and lengths; null hides it. */
  showEllipsoid(axes: { vectors: number[][]; lengths: number[] } | null): void {
    this.ellipsoid.visible = axes !== null;
    if (axes) {
      const longest = Math.max(...axes.lengths, 1e-9);
      const [x, y, z] = axes.vectors.map((v) => new Vector3(...(v as [number, number, number]))) as [Vector3, Vector3, Vector3];
      if (x.clone().cross(y).dot(z) < 0) z.negate();
      this.ellipsoid.matrixAutoUpdate = false;
      this.ellipsoid.matrix.makeBasis(x, y, z);
      const scale = axes.lengths.map((l) => Math.max(0.004, (0.25 * l) / longest) * this.size) as [number, number, number];
      this.ellipsoid.matrix.scale(new Vector3(...scale)).setPosition(this.knob.position);
    }
    this.draw();
  }

  /** Things of other parts of the page; drawn once, seen or not, so that nothing is compiled when they are first shown. */
  add(object: Group): void {
    this.extra.add(object);
    const { visible } = object;
    object.visible = true;
    this.drawNow();
    object.visible = visible;
    this.draw();
  }

  /** Ask for a picture; many requests make one. */
  draw(): void {
    this.waiting = true;
    drawSoon(this.picture);
  }

  private readonly picture = (now: number): void => {
    this.waiting = false;
    this.pace.note(now);
    if (this.renderer.getPixelRatio() !== this.pace.ratio) this.renderer.setPixelRatio(this.pace.ratio);
    this.drawNow();
  };

  /** Whether there was a shadow to do without. */
  private withoutShadows(): boolean {
    const had = this.shade.visible;
    this.renderer.shadowMap.enabled = false;
    this.shade.visible = false;
    return had;
  }

  drawNow(): void {
    this.renderer.render(this.scene, this.camera);
    this.frames += 1;
  }

  /** Copy the picture as it is, at once: an image would be decoded later, when paper may have been printed. */
  copyTo(paper: HTMLCanvasElement): void {
    this.pace.rest();
    if (!this.sized) this.setSize(...NEVER_SHOWN);
    this.drawNow();
    paper.width = this.canvas.width;
    paper.height = this.canvas.height;
    paper.getContext("2d")!.drawImage(this.canvas, 0, 0);
  }

  /** Where a point of the base frame is on the screen, in pixels of the window. */
  onScreen(point: Vector3): { x: number; y: number } {
    const seen = point.clone().project(this.camera);
    const box = this.canvas.getBoundingClientRect();
    return { x: box.left + (0.5 + 0.5 * seen.x) * box.width, y: box.top + (0.5 - 0.5 * seen.y) * box.height };
  }

  /** Handles that move or turn an object; while one is held, the camera stays. */
  handles(object: Object3D, moved: () => void): TransformControls {
    const handles = new TransformControls(this.camera, this.canvas);
    handles.setSize(0.8);
    handles.attach(object);
    handles.addEventListener("change", () => this.draw());
    handles.addEventListener("objectChange", moved);
    handles.addEventListener("dragging-changed", ({ value }) => {
      this.controls.enabled = !value;
      this.held = Boolean(value);
      if (!value) this.stepBack();
    });
    this.scene.add(object, handles.getHelper());
    return handles;
  }

  get handPosition(): Vector3 {
    return this.knob.position;
  }

  /** Move the camera away until every joint and every hand is in the picture. */
  private stepBack(): void {
    const points = [...this.data.bodies.keys()].map((k) => new Vector3().setFromMatrixPosition(this.robot.group(k).matrixWorld));
    for (const hand of this.data.hands) points.push(framePose(this.robot, hand.body, hand.pose).position);
    const bar = document.getElementById("overlays"); // buttons over the picture, in one row or in several
    const taken = Math.max(BUTTONS, bar ? bar.offsetTop + bar.offsetHeight + 14 : 0);
    const top = Math.min(0.75, Math.max(0.1, 1 - (2 * taken) / Math.max(1, this.place.clientHeight)));
    const isOutside = (): boolean => {
      this.camera.updateMatrixWorld();
      return points.some((point) => {
        const seen = point.clone().project(this.camera);
        return Math.abs(seen.x) > 0.9 || seen.y > top || seen.y < -0.9;
      });
    };
    if (!isOutside()) return;
    const arm = this.camera.position.clone().sub(this.controls.target);
    const box = new Box3().setFromPoints([...points, new Vector3(0, 0, this.data.floor)]);
    const middle = box.getCenter(new Vector3());
    const rise = 0.5 * (0.9 - top) * Math.tan((this.camera.fov * Math.PI) / 360); // to the middle of what is free
    for (let k = 0; k < 40; k += 1) {
      this.controls.target.copy(middle).setZ(middle.z + rise * arm.length());
      this.camera.position.copy(this.controls.target).add(arm);
      if (!isOutside()) break;
      arm.multiplyScalar(1.05);
    }
    this.controls.update();
  }

  private extent(): { lower: Vector3; upper: Vector3 } {
    const lower = new Vector3(0, 0, this.data.floor);
    const upper = new Vector3(0, 0, 0);
    this.data.bodies.forEach((body, k) => {
      for (const point of [new Vector3(), new Vector3(...body.center)]) {
        point.applyMatrix4(this.robot.group(k).matrixWorld);
        lower.min(point);
        upper.max(point);
      }
    });
    for (const frame of this.data.frames) {
      const { position } = framePose(this.robot, frame.body, frame.pose);
      lower.min(position);
      upper.max(position);
    }
    return { lower, upper };
  }

  private makeFloor(): Group {
    const floor = new Group();
    const rough = this.size / 9;
    const power = 10 ** Math.floor(Math.log10(rough));
    const cell = power * ([1, 2, 5, 10].find((step) => step * power >= rough) ?? 10);
    const cells = drawsInSoftware ? 24 : 40;
    const grid = new GridHelper(cell * cells, cells);
    grid.rotateX(Math.PI / 2);
    grid.material.transparent = true;
    grid.material.opacity = 0.5;
    grid.material.vertexColors = false;
    this.shade.geometry = new PlaneGeometry(cell * 80, cell * 80);
    this.shade.receiveShadow = true;
    floor.add(grid, this.shade);
    floor.position.z = this.data.floor - 0.002 * this.size;
    this.scene.add(floor);
    return floor;
  }

  private addLight(): void {
    const sun = new DirectionalLight("#fff6e8", 2.1);
    sun.position.set(1.6, -1.2, 3).multiplyScalar(2 * this.size);
    sun.castShadow = true;
    sun.shadow.mapSize.set(1024, 1024);
    sun.shadow.radius = 4;
    sun.shadow.normalBias = 0.01 * this.size;
    const view = sun.shadow.camera;
    [view.left, view.right, view.bottom, view.top] = [-2, 2, -2, 2].map((x) => x * this.size) as [number, number, number, number];
    [view.near, view.far] = [0.1 * this.size, 12 * this.size];
    const fill = new DirectionalLight("#dbe7ff", 0.7);
    fill.position.set(-2, 1.5, 1.2);
    const sky = new HemisphereLight("#ffffff", "#cbc6be", 1.25);
    sky.position.set(0, 0, 1);
    this.scene.add(sun, fill, sky, new AmbientLight("#ffffff", 0.25));
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.place;
    if (width === 0 || height === 0) return; // hidden, or on paper
    const isFirst = !this.sized;
    this.setSize(width, height);
    if (isFirst) this.look();
  }

  private setSize(width: number, height: number): void {
    this.sized = true;
    this.renderer.setPixelRatio(this.pace.ratio);
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.drawNow();
  }

  /** Drag the knob in the plane through it that faces the camera. */
  private catchHand(): void {
    const ray = new Raycaster();
    const plane = new Plane();
    const offset = new Vector3();
    const aim = (event: PointerEvent): void => {
      const box = this.canvas.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * 2 - 1;
      ray.setFromCamera(new Vector2(x, 1 - ((event.clientY - box.top) / box.height) * 2), this.camera);
    };
    // A finger needs more room than the knob shows.
    const isNear = (event: PointerEvent): boolean => {
      const { x, y } = this.onScreen(this.knob.position);
      return Math.hypot(event.clientX - x, event.clientY - y) < (event.pointerType === "touch" ? 34 : 20);
    };
    this.canvas.addEventListener(
      "pointerdown",
      (event) => {
        if (!this.knob.visible || !isNear(event)) return;
        aim(event);
        plane.setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), this.knob.position);
        const hit = ray.ray.intersectPlane(plane, new Vector3());
        if (!hit) return;
        offset.copy(this.knob.position).sub(hit);
        event.stopImmediatePropagation();
        this.canvas.setPointerCapture(event.pointerId);
        this.controls.enabled = false;
        this.held = true;
        this.dragging.begin();
        const follow = (moved: PointerEvent): void => {
          aim(moved);
          const at = ray.ray.intersectPlane(plane, new Vector3());
          if (at) this.dragging.pull(at.add(offset));
        };
        const end = (): void => {
          this.canvas.removeEventListener("pointermove", follow);
          this.canvas.removeEventListener("pointerup", end);
          this.canvas.removeEventListener("pointercancel", end);
          this.controls.enabled = true;
          this.held = false;
          this.dragging.end();
          this.stepBack();
        };
        this.canvas.addEventListener("pointermove", follow);
        this.canvas.addEventListener("pointerup", end);
        this.canvas.addEventListener("pointercancel", end);
      },
      { capture: true },
    );
    this.canvas.addEventListener("pointermove", (event) => {
      this.canvas.style.cursor = this.knob.visible && isNear(event) ? "grab" : "";
    });
  }

  private turnByKey(event: KeyboardEvent): void {
    const turn = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const zoom = { "+": 0.9, "=": 0.9, "-": 1 / 0.9 }[event.key];
    if (!turn && !zoom) return;
    event.preventDefault();
    const arm = this.camera.position.clone().sub(this.controls.target);
    if (turn) {
      const [around, over] = turn as [number, number];
      const flat = Math.hypot(arm.x, arm.y);
      const azimuth = Math.atan2(arm.y, arm.x) + 0.12 * around;
      const height = Math.min(1.5, Math.max(-1.5, Math.atan2(arm.z, flat) - 0.12 * over));
      const length = arm.length();
      arm.set(Math.cos(azimuth) * Math.cos(height), Math.sin(azimuth) * Math.cos(height), Math.sin(height)).multiplyScalar(length);
    }
    if (zoom) arm.multiplyScalar(zoom);
    this.camera.position.copy(this.controls.target).add(arm);
    this.controls.update();
    this.draw();
  }
}
