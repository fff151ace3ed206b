// What Python writes into the page, as one JSON document. Generated from `document_types.py`: edit that file, then run
// `python -m torquec.page.typescript_types`.

export type Vector3 = [number, number, number];

/** Rotation row by row, and origin, of a frame in another. */
export interface PoseData {
  rotation: number[];
  origin: Vector3;
}

/** A rate of the state; limits are null where the file gives none. */
export interface JointData {
  name: string;
  /** Index in q of its position, or of the quaternion that it turns. */
  at: number;
  /** Of a quaternion: 0 roll, 1 pitch, 2 yaw. */
  turn: number | null;
  prismatic: boolean;
  lower: number | null;
  upper: number | null;
  velocity: number | null;
  effort: number | null;
}

/** multiplier * q[joint] + offset. */
export interface CoordinateData {
  joint: number;
  multiplier: number;
  offset: number;
}

/** A moving body and the coordinate of its joint; joint -1 where closed loops make it dependent. */
export interface BodyData extends CoordinateData {
  name: string;
  parent: number;
  /** Number of rates of its joint; `joint` is the first of them. */
  rates: number;
  placement: PoseData;
  axis: Vector3;
  prismatic: boolean;
  mass: number;
  center: Vector3;
  /** The solid ellipsoid of the same mass and inertia, about the centre of mass; null where there is none. */
  ellipsoid: { rotation: number[]; axes: Vector3 } | null;
}

/** A frame on a body (-1: the base). */
export interface FrameData {
  name: string;
  body: number;
  pose: PoseData;
}

export type ShapeRole = "link" | "housing" | "visual";

/** Something to draw on a body (-1: the base). Sizes: capsule and cylinder (radius, length), sphere (radius), ellipsoid (half axes), box (x, y, z). */
export interface ShapeData {
  body: number;
  role: ShapeRole;
  kind: "capsule" | "cylinder" | "sphere" | "ellipsoid" | "box" | "mesh";
  pose: PoseData;
  sizes: number[];
  scale: Vector3;
  mesh: number;
  color: number[] | null;
}

/** Triangles: positions in steps of the box (16 bits), indices; compressed with deflate, in base64. */
export interface MeshData {
  name: string;
  lower: Vector3;
  upper: Vector3;
  vertices: number;
  parts: { count: number; color: number[] | null }[];
  packed: string;
}

/** An input or output of a function; matrices go row by row. */
export interface PortData {
  name: string;
  shape: number[];
}

/** A WebAssembly module in base64, and its functions by name. */
export interface ModuleData {
  code: string;
  functions: Record<string, { symbol: string; inputs: PortData[]; outputs: PortData[] }>;
}

/** A frame that can be dragged: functions of the module that move it and measure its manipulability. */
export interface HandData {
  frame: string;
  body: number;
  /** The body in whose frame the functions compute (-1: the base). */
  base: number;
  /** Index in q of their first joint; earlier positions are those of a floating base. */
  first: number;
  pose: PoseData;
  /** Step towards a position and rotation; null for arms with fewer than six joints. */
  step: string | null;
  /** Step towards a position alone. */
  place: string;
  jacobian: string;
  rank: number;
  reach: number;
}

/** Bounds of the torque error by joint, and the box of motions in which they are proven. */
export interface ProvenData {
  bounds: number[];
  lower: (number | null)[];
  upper: (number | null)[];
  velocity: (number | null)[];
  acceleration: (number | null)[];
}

/** A term: its coefficient, then a code 16 * variable + 8 * (cosine's power) + (power of sine or displacement) per factor. */
export type TermData = number[];

/** The closed form of M, g and, where it does not follow from M, c. */
export interface EquationData {
  coordinates: CoordinateData[];
  /** Sums of coordinates, [coordinate, sign] each. */
  variables: { bodies: [number, number][]; prismatic: boolean; name: string }[];
  /** By rows; of a symmetric matrix only the upper triangle is filled. */
  symmetric: boolean;
  mass: TermData[][];
  gravity: TermData[][];
  /** Of a simplified model: [i, j, k, terms] with j <= k; null where c follows from M. */
  velocity: [number, number, number, TermData[]][] | null;
}

/** A motion to be played. */
export interface MotionData {
  title: string;
  samples: number;
  /** Doubles in base64: t (N), then q (N, nq), then qd, qdd and, where there are any, torques, (N, nv) each; then, where there is one, the reference of q (N, nq). */
  values: string;
  /** Origin of these torques: measured or simulated; empty without torques. */
  torques: string;
  /** Whether a simulated run comes with its reference. */
  reference: boolean;
  /** Guaranteed bound of every joint's error [rad or m] along this motion; empty without a guarantee. */
  tube: number[];
}

/** The haptic scene: functions of one cycle by law and of a fine step, and the layout of a row of the loop. */
export interface HapticData {
  module: ModuleData;
  laws: Record<string, string>;
  motion: string;
  jacobian: string;
  steps: number;
  period: number;
  parts: Record<string, [number, number]>;
  cycle: Record<string, [number, number]>;
  settings: number[];
  settingSizes: Record<string, number>;
  goalSizes: Record<string, number>;
  first: string;
  radius: number;
  wall: number;
  reach: number;
  largest: number;
}

/** The whole document. */
export interface ViewData {
  name: string;
  version: string;
  kind: string;
  kindText: string;
  mass: number;
  gravity: Vector3;
  joints: JointData[];
  bodies: BodyData[];
  frames: FrameData[];
  shapes: ShapeData[];
  meshes: MeshData[];
  hands: HandData[];
  module: ModuleData | null;
  noDynamics: string;
  simplified: boolean;
  proven: ProvenData | null;
  equations: EquationData | null;
  noEquations: string;
  motions: MotionData[];
  haptic: HapticData | null;
  /** The body of a floating base, which can be dragged and turned; its position stands first in q. */
  base: number | null;
  start: number[];
  /** Height of the floor [m]. */
  floor: number;
  problems: string[];
}
