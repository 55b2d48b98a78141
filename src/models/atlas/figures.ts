/** Published URDF of Atlas v5: masses, frames, ranges and efforts, read off link by link. */
import { matrix3, vector } from "../../math/index.ts";
import type { Matrix3, Vector3 } from "../../mechanism/index.ts";
import { inertiaOf, type Link, type LinkPose } from "../builder.ts";

type Side = "l" | "r";
/** Mass, centre, and inertia in the order xx, xy, xz, yy, yz, zz. */
type Row = readonly [number, Vector3, readonly [number, number, number, number, number, number]];

const middle: Readonly<Record<string, Row>> = {
  pelvis: [9.509, [0.0111, 0, 0.0271], [0.1244, 0.0008, -0.0007, 0.0958, -0.0005, 0.1167]],
  ltorso: [
    2.27,
    [-0.0112984, -3.15366e-6, 0.0746835],
    [0.0039092, -5.04491e-8, -0.000342157, 0.00341694, 4.87119e-7, 0.00174492],
  ],
  mtorso: [
    0.799,
    [-0.00816266, -0.0131245, 0.0305974],
    [0.000454181, -6.10764e-5, 3.94009e-5, 0.000483282, 5.27463e-5, 0.000444215],
  ],
  utorso: [84.409, [-0.0622, 0.0023, 0.3157], [1.577, -0.032, 0.102, 1.602, 0.047, 0.565]],
  head: [
    1.4199,
    [-0.075493, 3.3383e-5, 0.02774],
    [0.0039688, -1.5797e-6, -0.00089293, 0.0041178, -6.8415e-7, 0.0035243],
  ],
};

/** Those of the left leg; y, xy and yz change their sign on the right. */
const leg: Readonly<Record<string, Row>> = {
  uglut: [
    1.959,
    [0.00529262, -0.00344732, 0.00313046],
    [0.00074276, -3.79607e-8, -2.79549e-5, 0.000688179, -3.2735e-8, 0.00041242],
  ],
  lglut: [
    0.898,
    [0.0133341, 0.0170484, -0.0312052],
    [0.000691326, -2.24344e-5, 2.50508e-6, 0.00126856, 0.000137862, 0.00106487],
  ],
  uleg: [8.204, [0, 0, -0.21], [0.09, 0, 0, 0.09, 0, 0.02]],
  lleg: [4.515, [0.001, 0, -0.187], [0.077, 0, -0.003, 0.076, 0, 0.01]],
  talus: [0.125, [0, 0, 0], [1.01674e-5, 0, 0, 8.42775e-6, 0, 1.30101e-5]],
  foot: [2.41, [0.027, 0, -0.067], [0.002, 0, 0, 0.007, 0, 0.008]],
};

/** The same in both arms, whose frames are turned against each other. */
const arm: Readonly<Record<string, Row>> = {
  clav: [4.466, [0, 0, -0.084], [0.011, 0, 0, 0.009, 0.004, 0.004]],
  scap: [3.899, [0, 0, 0], [0.00319, 0, 0, 0.00583, 0, 0.00583]],
  uarm: [4.386, [0, 0.065, 0], [0.00656, 0, 0, 0.00358, 0, 0.00656]],
  larm: [3.248, [0, 0, 0], [0.00265, 0, 0, 0.00446, 0, 0.00446]],
  ufarm: [2.4798, [0.00015, 0.08296, 0.00037], [0.012731, 0, 0, 0.002857, 0, 0.011948]],
  lfarm: [0.648, [0.00017, -0.02515, 0.00163], [0.000764, 0, 0, 0.000429, 0, 0.000825]],
  hand: [0.5839, [0.00016, -0.08159, 2e-5], [0.000388, 0, 0, 0.000477, 0, 0.000379]],
};

/** All links by name, without shapes. */
export const links: Readonly<Record<string, Link>> = Object.fromEntries([
  ...Object.entries(middle).map(([name, row]) => [name, linkOf(row)]),
  ...(["l", "r"] as const).flatMap((side) => [
    ...Object.entries(leg).map(([name, row]) => [`${side}_${name}`, linkOf(side === "l" ? row : mirrored(row))]),
    ...Object.entries(arm).map(([name, row]) => [`${side}_${name}`, linkOf(row)]),
  ]),
]);

function linkOf([mass, center, inertia]: Row): Link {
  return { mass, center, inertia: inertiaOf(...inertia) };
}

function mirrored([mass, [x, y, z], [xx, xy, xz, yy, yz, zz]]: Row): Row {
  return [mass, [x, -y, z], [xx, -xy, xz, yy, -yz, zz]];
}

/** Sensors that are fixed to a link: what is fixed, and where. The cameras' and lights' turns do not matter to equal moments. */
const even = (value: number): Matrix3 => matrix3.diagonal(value, value, value);
const piece = (
  mass: number,
  inertia: Matrix3,
  position: Vector3,
  center: Vector3 = vector.zero,
): Link & Partial<LinkPose> => ({
  mass,
  center,
  inertia,
  position,
});
const scanner: Vector3 = [-0.0446, 0, 0.088];
const wrist = [piece(0.1, even(1e-5), [0, -0.1245, 0])];
export const sensors: Readonly<Record<string, readonly (Link & Partial<LinkPose>)[]>> = {
  utorso: [-1, 1].map((side) => piece(0.1, even(1e-5), [0.155, 0.121 * side, 0.785])),
  head: [
    piece(
      0.057664,
      inertiaOf(3.7174e-5, 4.9927e-8, 1.1015e-5, 4.2412e-5, -9.8165e-9, 4.167e-5),
      scanner,
      [0.012428, 0.0004084, -0.0041835],
    ),
    piece(0.01, even(1e-5), vector.add(scanner, [0.03, 0, 0.015])),
    ...[1, -1].map((side) => piece(0.1, even(0.001), [0, 0.035 * side, -0.002])),
    piece(0.1, even(0.001), [0.01125, 0, 0.0105]),
    piece(0.1, even(0.001), [0.01125, 0, -0.0155]),
    ...[1, -1].map((side) => piece(0.1, even(0.001), [-0.01443, 0.07452 * side, 0.050346])),
  ],
  l_hand: wrist,
  r_hand: wrist,
};

export interface HingeFigures {
  readonly parent: string;
  readonly child: string;
  readonly position: Vector3;
  /** Turn of the child's frame, about the axis named. */
  readonly turn?: readonly ["y" | "z", number];
  readonly axis: Vector3;
  readonly range: readonly [number, number];
  readonly effort: number;
}

const { unitX: x, unitY: y, unitZ: z, zero } = vector;
const minus = (v: Vector3): Vector3 => vector.scale(v, -1);
const pi = Math.PI;

const back: Readonly<Record<string, HingeFigures>> = {
  back_bkz: {
    parent: "pelvis",
    child: "ltorso",
    position: [-0.0125, 0, 0],
    axis: z,
    range: [-0.663225, 0.663225],
    effort: 106,
  },
  back_bky: {
    parent: "ltorso",
    child: "mtorso",
    position: [0, 0, 0.162],
    axis: y,
    range: [-0.219388, 0.538783],
    effort: 445,
  },
  back_bkx: {
    parent: "mtorso",
    child: "utorso",
    position: [0, 0, 0.05],
    axis: x,
    range: [-0.523599, 0.523599],
    effort: 300,
  },
  neck_ay: {
    parent: "utorso",
    child: "head",
    position: [0.2546, 0, 0.6215],
    axis: y,
    range: [-0.602139, 1.14319],
    effort: 25,
  },
};

function legHinges(side: Side): Readonly<Record<string, HingeFigures>> {
  const sign = side === "l" ? 1 : -1;
  const link = (name: string): string => `${side}_${name}`;
  // the left hip turns out further than in, the right one the other way round
  const hpz: readonly [number, number] = side === "l" ? [-0.174358, 0.786794] : [-0.786794, 0.174358];
  return {
    hpz: { parent: "pelvis", child: link("uglut"), position: [0, 0.089 * sign, 0], axis: z, range: hpz, effort: 275 },
    hpx: {
      parent: link("uglut"),
      child: link("lglut"),
      position: zero,
      axis: x,
      range: [-0.523599, 0.523599],
      effort: 530,
    },
    hpy: {
      parent: link("lglut"),
      child: link("uleg"),
      position: [0.05, 0.0225 * sign, -0.066],
      axis: y,
      range: [-1.61234, 0.65764],
      effort: 840,
    },
    kny: {
      parent: link("uleg"),
      child: link("lleg"),
      position: [-0.05, 0, -0.374],
      axis: y,
      range: [0, 2.35637],
      effort: 890,
    },
    aky: {
      parent: link("lleg"),
      child: link("talus"),
      position: [0, 0, -0.422],
      axis: y,
      range: [-1, 0.7],
      effort: 740,
    },
    akx: { parent: link("talus"), child: link("foot"), position: zero, axis: x, range: [-0.8, 0.8], effort: 360 },
  };
}

function armHinges(side: Side): Readonly<Record<string, HingeFigures>> {
  const link = (name: string): string => `${side}_${name}`;
  const isLeft = side === "l";
  const facing = (v: Vector3): Vector3 => (isLeft ? minus(v) : v);
  const range = (low: number, high: number): readonly [number, number] => (isLeft ? [-high, -low] : [low, high]);
  const turned = (axis: "y" | "z") => (isLeft ? ({ turn: [axis, pi] } as const) : {});
  return {
    shz: {
      parent: "utorso",
      child: link("clav"),
      position: [0.1406, isLeft ? 0.2256 : -0.2256, 0.4776],
      ...turned("z"),
      axis: z,
      range: range(-0.785398, 1.5708),
      effort: 87,
    },
    shx: {
      parent: link("clav"),
      child: link("scap"),
      position: [0, -0.11, -0.245],
      axis: facing(x),
      range: [-1.5708, 1.5708],
      effort: 99,
    },
    ely: {
      parent: link("scap"),
      child: link("uarm"),
      position: [0, -0.187, -0.016],
      axis: facing(y),
      range: [0, Math.PI],
      effort: 63,
    },
    elx: {
      parent: link("uarm"),
      child: link("larm"),
      position: [0, -0.119, 0.0092],
      axis: facing(x),
      range: range(-2.35619, 0),
      effort: 112,
    },
    uwy: {
      parent: link("larm"),
      child: link("ufarm"),
      position: [0, -0.29955, -0.00921],
      ...turned("y"),
      axis: facing(y),
      range: [-3.011, 3.011],
      effort: 25,
    },
    mwx: { parent: link("ufarm"), child: link("lfarm"), position: zero, axis: x, range: [-1.7628, 1.7628], effort: 25 },
    lwy: {
      parent: link("lfarm"),
      child: link("hand"),
      position: zero,
      ...turned("y"),
      axis: facing(y),
      range: [-2.9671, 2.9671],
      effort: 25,
    },
  };
}

/** All thirty hinges, parents first. */
export const hinges: Readonly<Record<string, HingeFigures>> = {
  ...back,
  ...named("l_leg", legHinges("l")),
  ...named("r_leg", legHinges("r")),
  ...named("l_arm", armHinges("l")),
  ...named("r_arm", armHinges("r")),
};

function named(prefix: string, table: Readonly<Record<string, HingeFigures>>): Record<string, HingeFigures> {
  return Object.fromEntries(Object.entries(table).map(([name, hinge]) => [`${prefix}_${name}`, hinge]));
}

/** Contact spheres by link: centres of the spheres from the link's centre of mass, and their radius. */
export const footSpots: readonly Vector3[] = [
  [-0.08, -0.04, 0.015],
  [0.12, -0.02, 0.015],
  [-0.08, 0.04, 0.015],
  [0.12, 0.02, 0.015],
];
export const footRadius = 0.025;

const both = (name: string, points: readonly Vector3[], radius: number) =>
  (["l", "r"] as const).map((side) => [`${side}_${name}`, { points, radius }] as const);
export const bodySpots: Readonly<Record<string, { readonly points: readonly Vector3[]; readonly radius: number }>> = {
  pelvis: { points: [[0, 0, 0.05]], radius: 0.19 },
  utorso: { points: [[-0.095, 0, 0.25], [-0.095, 0, -0.2]], radius: 0.15 }, // biome-ignore format: a list
  head: { points: [zero], radius: 0.175 },
  ...Object.fromEntries([
    ...both("hand", [zero], 0.06),
    ...both("lleg", [[0.025, 0, 0.175]], 0.075),
    ...both("clav", [[0, -0.05, -0.075]], 0.11),
    ...both("uarm", [[0, -0.185, 0]], 0.085),
  ]),
};
