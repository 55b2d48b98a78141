/** Attributes that URDF writes in its own way: poses and colours. */
import { quaternion } from "../../math/index.ts";
import type { Quaternion } from "../../mechanism/index.ts";
import { type Markup, markup } from "../markup.ts";
import type { Pose } from "../pose.ts";

export function originAttributes(pose: Pose): { readonly xyz: readonly number[]; readonly rpy: readonly number[] } {
  return { xyz: pose.position, rpy: rollPitchYaw(pose.orientation) };
}

export function originElement(pose: Pose): Markup {
  return markup("origin", originAttributes(pose));
}

/**
 * R = Rz(yaw) Ry(pitch) Rx(roll). Yaw is read off R Rx(roll)ᵀ: where pitch is a quarter turn, roll is any angle, and yaw
 * makes up for it.
 */
function rollPitchYaw(q: Quaternion): readonly [number, number, number] {
  const [[r00, r01, r02], [r10, r11, r12], [r20, r21, r22]] = quaternion.toMatrix(quaternion.normalize(q));
  const roll = Math.atan2(r21, r22);
  const pitch = Math.atan2(-r20, Math.sqrt(r00 * r00 + r10 * r10));
  const [c, s] = [Math.cos(roll), Math.sin(roll)];
  const yaw = Math.atan2(s * r02 - c * r01, c * r11 - s * r12);
  return [roll, pitch, yaw];
}

/** Red, green, blue and alpha from 0 to 1 of #rgb, #rrggbb, #rrggbbaa, rgb(…) and rgba(…). */
export function rgba(color: string | undefined): readonly number[] | undefined {
  if (color === undefined) return undefined;
  const hex = /^#([0-9a-f]{3,8})$/i.exec(color.trim())?.[1];
  if (hex !== undefined) {
    const digits = hex.length <= 4 ? [...hex].map((digit) => digit + digit).join("") : hex;
    if (digits.length !== 6 && digits.length !== 8) return undefined;
    const bytes = `${digits}ff`.slice(0, 8).match(/../g) ?? [];
    return bytes.map((byte) => Number.parseInt(byte, 16) / 255);
  }
  const words = /^rgba?\(([^)]*)\)$/i
    .exec(color.trim())?.[1]
    .split(/[\s,/]+/)
    .filter(Boolean);
  const values = words?.map(Number) ?? [];
  if ((values.length !== 3 && values.length !== 4) || values.some(Number.isNaN)) return undefined;
  return [...values.slice(0, 3).map((value) => value / 255), values[3] ?? 1];
}
