/** URDF → description → URDF → description: the two descriptions are the same mechanism, and JSON keeps every bit. */
import { describe, expect, it } from "vitest";
import { fromJson, importUrdf, type MechanismDescription, toJson, toUrdf } from "../../src/index.ts";
import { urdfFiles } from "../fixtures/robotFiles.ts";

/** Angles pass through roll, pitch and yaw. */
const TOLERANCE = 1e-9;

/** Every number of a against the one in the same place of b, with defaults written out. */
function expectSame(a: unknown, b: unknown, path: string): void {
  if (typeof a === "number" || typeof b === "number") {
    const gap = Math.abs((a as number) - (b as number));
    if (!(gap < TOLERANCE * Math.max(1, Math.abs(a as number)))) expect.fail(`${path}: ${a} and ${b}`);
  } else if (typeof a === "object" && a !== null && typeof b === "object" && b !== null) {
    if (Object.keys(b).join() !== Object.keys(a).join())
      expect.fail(`${path}: ${Object.keys(b)} and ${Object.keys(a)}`);
    for (const [key, value] of Object.entries(a)) {
      expectSame(value, (b as Record<string, unknown>)[key], `${path}.${key}`);
    }
  } else if (a !== b) {
    expect.fail(`${path}: ${a} and ${b}`);
  }
}

/** Without the point radii, which URDF cannot leave at zero, and with q and −q made one. */
function comparable(description: MechanismDescription): unknown {
  const turned = (q: readonly number[] = [1, 0, 0, 0]): number[] => {
    const largest = q.reduce((best, entry) => (Math.abs(entry) > Math.abs(best) + 1e-6 ? entry : best), 0);
    return q.map((entry) => (largest < 0 ? -entry : entry));
  };
  const joints = Object.entries(description.joints ?? {}).map(([name, joint]) => {
    const { orientation, parentAnchor = [0, 0, 0], childAnchor = [0, 0, 0], axis, ...rest } = joint;
    const noAxis = ["floating", "spherical", "fixed", "fixedOrientation"].includes(joint.kind);
    const sorted = Object.fromEntries(Object.entries(rest).sort());
    return [
      name,
      { ...sorted, parentAnchor, childAnchor, axis: noAxis ? null : axis, q: turned(orientation) },
    ] as const;
  });
  const bodies = Object.entries(description.bodies).map(([name, { mass, inertia, shapes = [] }]) => {
    const placed = shapes.map((shape) => ({ ...shape, orientation: turned(shape.orientation) }));
    return [name, { mass, inertia, shapes: placed }] as const;
  });
  const contacts = (description.contacts ?? []).map(({ radius = 0, ...contact }) => ({ ...contact, radius }));
  return { ...description, bodies: Object.fromEntries(bodies), joints: Object.fromEntries(joints), contacts };
}

describe("given URDF files", () => {
  for (const { name, text, options } of urdfFiles) {
    it(`${name} is the same after a round trip`, () => {
      const first = importUrdf(text, options).description;
      const { xml: exported, warnings } = toUrdf(first);
      const second = importUrdf(exported, options.base ? {} : options).description;
      expectSame(comparable(first), comparable(second), name);
      // what remains unsaid is no more than types and shapes beyond the standard, and which joint has no motor
      const paths = warnings.map(({ message }) => message);
      expect(paths.filter((path) => !/beyond the standard/.test(path))).toEqual([]);
      expect(fromJson(toJson(first))).toEqual(first);
    });
  }
});
