/** What Atlas looks like, by link, in link frames: boxes, capsules and balls, as large as its contact spheres allow. */
import type { Shape, Vector3 } from "../../mechanism/index.ts";
import { tube } from "../builder.ts";
import { colors } from "../colors.ts";

const crate = (size: Vector3, position: Vector3, color: string): Shape => ({ kind: "box", size, position, color });
const ball = (radius: number, position: Vector3, color: string): Shape => ({ kind: "sphere", radius, position, color });

const middle: Readonly<Record<string, readonly Shape[]>> = {
  pelvis: [crate([0.2, 0.26, 0.12], [0, 0, 0.02], colors.steel)],
  ltorso: [tube(0.07, [0, 0, 0.05], [0, 0, 0.13], colors.dark)],
  mtorso: [tube(0.07, [0, -0.05, 0.02], [0, 0.05, 0.02], colors.dark)],
  utorso: [
    crate([0.28, 0.3, 0.46], [0, 0, 0.34], colors.dark),
    tube(0.15, [-0.157, 0, 0.116], [-0.157, 0, 0.566], colors.black),
    crate([0.06, 0.16, 0.2], [0.16, 0, 0.36], colors.orange),
  ],
  head: [ball(0.09, [-0.04, 0, 0.04], colors.steel), crate([0.06, 0.16, 0.05], [0.03, 0, 0], colors.black)],
};
const leg: Readonly<Record<string, readonly Shape[]>> = {
  uglut: [tube(0.05, [0, 0, -0.02], [0, 0, 0.03], colors.dark)],
  lglut: [tube(0.05, [0, 0, 0], [0.04, 0, -0.06], colors.dark)],
  uleg: [tube(0.065, [0, 0, -0.06], [0, 0, -0.34], colors.light)],
  lleg: [tube(0.06, [0, 0, -0.03], [0, 0, -0.38], colors.dark)],
  talus: [ball(0.04, [0, 0, 0], colors.steel)],
  foot: [crate([0.25, 0.09, 0.035], [0.047, 0, -0.0595], colors.black)],
};
const arm: Readonly<Record<string, readonly Shape[]>> = {
  clav: [tube(0.08, [0, -0.02, 0], [0, -0.08, -0.2], colors.dark)],
  scap: [tube(0.07, [0, 0, 0], [0, -0.15, 0], colors.dark)],
  uarm: [tube(0.065, [0, 0.02, 0], [0, -0.11, 0], colors.light)],
  larm: [tube(0.06, [0, 0, 0], [0, -0.15, 0], colors.dark)],
  ufarm: [tube(0.05, [0, 0.14, 0], [0, 0, 0], colors.light)],
  lfarm: [ball(0.05, [0, -0.02, 0], colors.dark)],
  hand: [tube(0.035, [0, -0.04, 0], [0, -0.13, 0], colors.steel), ball(0.05, [0, -0.09, 0], colors.black)],
};

/** Links that overlap although no joint holds them together: hips and wrists have short links between them. */
export const apart: readonly (readonly [string, string])[] = ["l", "r"].flatMap((side) => [
  ["pelvis", `${side}_lglut`] as const,
  ["pelvis", `${side}_uleg`] as const,
  ["ltorso", `${side}_uglut`] as const,
  ["ltorso", `${side}_lglut`] as const,
  [`${side}_uglut`, `${side}_uleg`] as const,
  [`${side}_ufarm`, `${side}_hand`] as const,
]);

/** Shapes of a link by its name. */
export function shapesOf(link: string): readonly Shape[] {
  const [side, name] = link.split("_");
  if (name === undefined) return middle[side] ?? [];
  return leg[name] ?? arm[name] ?? [];
}
