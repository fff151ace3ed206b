// Rotations as roll, pitch and yaw, as URDF has them: about the fixed axes x, y and z, in this order.

import { Matrix4, Quaternion, Vector3 } from "three";

export type Angles = [number, number, number];

export function rollPitchYaw(turn: Quaternion): Angles {
  const m = new Matrix4().makeRotationFromQuaternion(turn).elements;
  const pitch = Math.atan2(-m[2]!, Math.hypot(m[0]!, m[1]!));
  return [Math.atan2(m[6]!, m[10]!), pitch, Math.atan2(m[1]!, m[0]!)];
}

export function turnOf([roll, pitch, yaw]: Angles): Quaternion {
  const about = (x: number, y: number, z: number, angle: number): Quaternion => new Quaternion().setFromAxisAngle(new Vector3(x, y, z), angle);
  return about(0, 0, 1, yaw).multiply(about(0, 1, 0, pitch)).multiply(about(1, 0, 0, roll));
}
