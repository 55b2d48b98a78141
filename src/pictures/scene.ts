/** What there is to see of a mechanism: its shapes with their colours, and a floor where it has one. */
import { type Quaternion, quaternion, type Vector3, vector } from "../math/index.ts";
import { entriesOf, halfSpaceContacts, type Mechanism, type Shape, worldIndex } from "../mechanism/index.ts";
import { inertiaEllipsoid } from "../replay/index.ts";
import type { Solid } from "./solid.ts";
import { solidOf } from "./solids.ts";

export interface ScenePart {
  /** Index of the body that carries it; −1 is the world. */
  readonly body: number;
  readonly position: Vector3;
  readonly orientation: Quaternion;
  readonly solid: Solid;
  /** Radius of a sphere around it. */
  readonly radius: number;
  /** How far it reaches from the body's centre of mass. */
  readonly reach: number;
  /** Red, green and blue, 0 to 1. */
  readonly color: Vector3;
}

export interface Scene {
  readonly parts: readonly ScenePart[];
  /** Height of the floor; undefined where there is none that lies level. */
  readonly floor: number | undefined;
}

/** Colours for shapes without one of their own, body by body. */
const palette = ["#5b8db8", "#e08e45", "#6aa06a", "#b56576", "#8d7bb5", "#c9a24b"];
/** The colour for those of the world. */
const fixedColor = "#a8b0b8";
/** Least z of the normal of a floor that counts as level. */
const level = 0.999;

export function sceneOf(mechanism: Mechanism): Scene {
  const parts = entriesOf(mechanism.description, "bodies").flatMap(([, body], index) => {
    const shapes = (body.shapes ?? []).filter(isVisible);
    return (shapes.length > 0 ? shapes : [inertiaEllipsoid(body)]).map((shape) => partOf(shape, index));
  });
  const { shapes: fixed = [] } = mechanism.description;
  const contacts = halfSpaceContacts(mechanism).filter(
    ({ other, normal }) => other === worldIndex && normal[2] > level,
  );
  const floors = [...contacts.map(({ offset }) => offset), ...fixed.filter(isLevel).map(heightOf)];
  return {
    parts: [
      ...parts,
      ...fixed.filter((shape) => !isLevel(shape) && !isGlass(shape)).map((shape) => partOf(shape, worldIndex)),
    ],
    floor: floors.length > 0 ? Math.min(...floors) : undefined,
  };
}

/** Whether a shape of the world is a floor. */
function isLevel({ kind, orientation = quaternion.identity }: Shape): boolean {
  return kind === "halfSpace" && quaternion.rotate(quaternion.normalize(orientation), vector.unitZ)[2] > level;
}

/** Whether one sees through it, so that it must not hide what it holds: "rgba(…)" with an opacity below a half. */
function isGlass({ color = "" }: Shape): boolean {
  const opacity = /^rgba\(.*[,/\s]\s*(0?\.\d+|0)\s*\)$/i.exec(color);
  return opacity !== null && Number(opacity[1]) < 0.5;
}

function heightOf({ position = vector.zero }: Shape): number {
  return position[2];
}

export function partOf(shape: Shape, body: number): ScenePart {
  const { position = [0, 0, 0], orientation = [1, 0, 0, 0] } = shape;
  const { solid, radius } = solidOf(shape);
  const color = colorOf(shape.color) ?? (colorOf(body < 0 ? fixedColor : palette[body % palette.length]) as Vector3);
  const reach = Math.sqrt(vector.dot(position, position)) + radius;
  return { body, position, orientation, solid, radius, reach, color };
}

/** Whether it is more than clear glass: opacity is not drawn otherwise. */
function isVisible({ color }: Shape): boolean {
  return color === undefined || !/^#([0-9a-f]{3}0|[0-9a-f]{6}00)$/i.test(color);
}

/** The colour of "#rgb", "#rrggbb" with or without opacity, and "rgb(…)"; undefined of others. */
export function colorOf(css: string | undefined): Vector3 | undefined {
  if (css === undefined) return undefined;
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])[0-9a-f]?$/i.exec(css);
  if (short) return hex(short.slice(1).map((digit) => digit + digit));
  const long = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})?$/i.exec(css);
  if (long) return hex(long.slice(1, 4));
  const listed = /^rgba?\(\s*(\d+(?:\.\d+)?)[,\s]+(\d+(?:\.\d+)?)[,\s]+(\d+(?:\.\d+)?)/i.exec(css);
  return listed ? (listed.slice(1, 4).map((value) => Number(value) / 255) as unknown as Vector3) : undefined;
}

function hex(parts: readonly string[]): Vector3 {
  return parts.map((part) => Number.parseInt(part, 16) / 255) as unknown as Vector3;
}
