/**
 * The tossed cube of the real tosses [real2sim]: an acrylic cube, motion-captured while it is thrown onto a table. Its parameters, each a
 * name that `tossParameters` takes:
 *   friction        coefficient of all corners
 *   halfWidth       half the edge, in the lengths of the data: moves all corners
 *   inertia         moment about each axis
 *   centerOfMass    its three coordinates in the recorded frame: comX, comY, comZ; moves corners, starts and the measured point
 *   radius          corners are balls of this radius, inside the same faces
 *   corners         all 24 coordinates of the corners, in place of the half-width
 *   gravity         downwards, in the lengths of the data
 *   restitution     of all corners
 */
import {
  ArgumentError,
  customBody,
  floating,
  frictionContact,
  type MechanismDescription,
  nearestName,
} from "../mechanism/index.ts";
import type { Stage } from "./identify.ts";
import type { ParameterRange, ParameterSet } from "./parameterSet.ts";
import type { Sampling } from "./sampling.ts";

/** Facts of the cube and of its data. */
export const tossedCube = {
  body: "cube",
  /** Hertz. */
  rate: 148,
  /** Kilograms. */
  mass: 0.37,
  /** Metres, of the cube itself, and as the data's own lengths have it: those are 2% short. */
  halfWidth: 0.0524,
  recordedHalfWidth: 0.0513,
  /** kg m² about each axis. */
  inertia: 8.1e-4,
  friction: 0.18,
  restitution: 0.125,
} as const;

/** How whole tosses are predicted: from three frames before a corner can touch, with velocities of at most 11 frames of flight. */
export const wholeToss: Sampling = {
  window: "whole",
  startFrames: 11,
  begin: { below: Math.sqrt(3) * tossedCube.recordedHalfWidth, before: 3 },
};

/** What errors of position are told in per cent of. */
export const tossWidth = 2 * tossedCube.halfWidth;

/** What is searched, and how far at first: mass properties stay where the fit has determined them, and generalise better so. */
const searchSteps: Readonly<Record<string, number>> = {
  friction: -0.02,
  radius: 0.002,
  restitution: 0.08,
};

/**
 * The stages from tosses to parameters: all but radius and restitution by a robust fit to every seventh frame, one step each; then friction, radius
 * and restitution, on which the flight after an impact depends most, by the error of whole tosses.
 */
export function tossStages(set: ParameterSet, { evaluations = 30 }: { readonly evaluations?: number } = {}): Stage[] {
  const names = Object.keys(set.parameters);
  const fitted = names.filter((name) => name !== "radius" && name !== "restitution");
  const searched = names.filter((name) => name in searchSteps);
  const stages: Stage[] = [];
  if (fitted.length > 0) {
    stages.push({
      kind: "fit",
      name: "every 7th frame",
      parameters: fitted,
      // in steps of seven frames a bounce is over before it shows
      ...(names.includes("restitution") && { hold: { restitution: 0 } }),
      sampling: { every: 7, window: 1 },
      starts: "fixed",
      noise: { position: 0.002, rotation: 0.02 },
      loss: { kind: "cauchy", size: 3 },
      schedule: { from: 0.1, to: 0.01, factor: 3 },
      tolerance: 1e-5,
      intervals: "recordings",
    });
  }
  if (searched.length > 0 && !names.includes("corner0X")) {
    stages.push({
      kind: "search",
      name: "whole tosses",
      steps: Object.fromEntries(searched.map((name) => [name, searchSteps[name]])),
      sampling: wholeToss,
      maxEvaluations: evaluations,
      // 1% of the width counts as much as 1°
      length: (tossWidth * 1.8) / Math.PI,
    });
  }
  return stages;
}

export const tossParameterNames = [
  "friction",
  "halfWidth",
  "inertia",
  "centerOfMass",
  "radius",
  "corners",
  "gravity",
  "restitution",
] as const;
export type TossParameterName = (typeof tossParameterNames)[number];

/** Signs of the corners, in the order of their contacts. */
const cornerSigns: readonly (readonly [number, number, number])[] = [-1, 1].flatMap((x) =>
  [-1, 1].flatMap((y) => [-1, 1].map((z) => [x, y, z] as const)),
);

export interface TossedCubeOptions {
  /** Seconds. Default the interval of the recordings. */
  readonly timestep?: number;
  /** Compile corners that can bounce. Default false. */
  readonly restitution?: boolean;
}

export function tossedCubeDescription({
  timestep = 1 / tossedCube.rate,
  restitution = false,
}: TossedCubeOptions = {}): MechanismDescription {
  const { body, mass, inertia, recordedHalfWidth: half, friction } = tossedCube;
  return {
    name: "tossedCube",
    timestep,
    bodies: { [body]: customBody({ mass, inertia: [inertia, inertia, inertia] }) },
    joints: { base: floating({ parent: "world", child: body }) },
    contacts: cornerSigns.map((signs, i) =>
      frictionContact({
        name: `corner${i}`,
        body,
        point: [signs[0] * half, signs[1] * half, signs[2] * half],
        frictionCoefficient: friction,
        ...(restitution && { restitution: tossedCube.restitution }),
      }),
    ),
  };
}

/** Known values that formulas use where a parameter is not to be found. */
export interface TossConstants {
  readonly friction?: number;
  readonly halfWidth?: number;
  readonly inertia?: number;
  readonly radius?: number;
  readonly gravity?: number;
  readonly com?: readonly [number, number, number];
}

const axes = ["X", "Y", "Z"] as const;

/** The parameters asked for, with starts and bounds, and what they move. */
export function tossParameters(names: readonly string[], constants: TossConstants = {}): ParameterSet {
  for (const name of names) {
    if ((tossParameterNames as readonly string[]).includes(name)) continue;
    const nearest = nearestName(name, tossParameterNames);
    const hint = nearest === undefined ? `have: ${tossParameterNames.join(", ")}` : `did you mean "${nearest}"?`;
    throw new ArgumentError("unknown-parameter", name, `no parameter of the tossed cube; ${hint}`);
  }
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new ArgumentError("both-given", twice, "is named twice; leave one of the two out");
  const has = (name: TossParameterName): boolean => names.includes(name);
  if (has("corners") && has("halfWidth")) {
    throw new ArgumentError("both-given", "corners", "say all that halfWidth says; give one of them");
  }
  const known = {
    friction: tossedCube.friction,
    halfWidth: tossedCube.recordedHalfWidth,
    inertia: tossedCube.inertia,
    radius: 0,
    gravity: 9.81,
    com: [0, 0, 0],
    ...constants,
  };
  const parameters: Record<string, ParameterRange> = {};
  const number = (
    name: "friction" | "halfWidth" | "inertia" | "radius" | "gravity",
    range: Omit<ParameterRange, "start">,
  ): string => {
    if (!has(name)) return String(known[name]);
    const { lower = -Infinity, upper = Infinity } = range;
    parameters[name] = { start: Math.min(upper, Math.max(lower, known[name])), ...range };
    return name;
  };
  const friction = number("friction", { lower: 0.01, upper: 1.5 });
  const half = number("halfWidth", { lower: 0.02, upper: 0.2 });
  const inertia = number("inertia", { lower: 5e-5, upper: 5e-3 });
  const radius = number("radius", { lower: 0, upper: 0.015 });
  const gravity = number("gravity", { lower: 5, upper: 15 });
  const com = axes.map((axis, k) => {
    if (!has("centerOfMass")) return String(known.com[k]);
    parameters[`com${axis}`] = { start: known.com[k], lower: -0.02, upper: 0.02 };
    return `com${axis}`;
  });
  const values: Record<string, string> = {
    "contacts.*.frictionCoefficient": friction,
    "contacts.*.radius": radius,
    "gravity.z": `-(${gravity})`,
    "bodies.cube.inertia.xx": inertia,
    "bodies.cube.inertia.yy": inertia,
    "bodies.cube.inertia.zz": inertia,
  };
  cornerSigns.forEach((signs, i) => {
    axes.forEach((axis, k) => {
      let place = `${signs[k]} * (${half} - ${radius})`;
      if (has("corners")) {
        place = `corner${i}${axis}`;
        const start = signs[k] * known.halfWidth;
        const [near, far] = [0.02, 0.2].map((size) => signs[k] * size);
        parameters[place] = { start, lower: Math.min(near, far), upper: Math.max(near, far) };
      }
      values[`contacts.corner${i}.point.${axis.toLowerCase()}`] = `${place} - (${com[k]})`;
    });
  });
  if (has("restitution")) {
    parameters.restitution = { start: 0.125, lower: 0, upper: 0.9 };
    values["contacts.*.restitution"] = "restitution";
  }
  return {
    parameters,
    values,
    measured: { cube: { point: [`-(${com[0]})`, `-(${com[1]})`, `-(${com[2]})`] } },
  };
}
