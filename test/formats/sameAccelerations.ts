/** MJCF files whose accelerations must be those of MuJoCo. */
import { expect } from "vitest";
import { importMjcf, type MjcfImport } from "../../src/formats/index.ts";
import { accelerationError, type Mujoco } from "./mjcfOracle.ts";

/** Steps of microseconds round positions to 1e-5 of an acceleration. */
export const TOLERANCE = 1e-3;

export function expectSameAccelerations(mujoco: Mujoco, xml: string): MjcfImport {
  const imported = importMjcf(xml);
  expect(accelerationError({ mujoco, xml, ...imported, seed: 5, count: 6 })).toBeLessThan(TOLERANCE);
  return imported;
}
