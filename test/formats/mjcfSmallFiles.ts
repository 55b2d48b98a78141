/** Small MJCF files, and what holds them to MuJoCo: where bodies are, and how they accelerate, read and written. */
import { expect } from "vitest";
import { importMjcf, type MjcfImportOptions, toMjcf } from "../../src/formats/index.ts";
import { accelerationError, geometryError, type Mujoco } from "./mjcfOracle.ts";

export const POSE_TOLERANCE = 1e-9;
const ACCELERATION_TOLERANCE = 1e-4;

export const brick = '<geom type="box" size="0.1 0.2 0.3" pos="0.05 -0.1 0.02" euler="10 20 30"/>';
export const file = (content: string, rest = "", head = ""): string =>
  `<mujoco>${head}<worldbody>${content}</worldbody>${rest}</mujoco>`;
export const hinged = (joint: string, extra = ""): string => `<body pos="0.1 0.2 0.3">${joint}${brick}${extra}</body>`;

export function expectSameAs(
  mujoco: Mujoco,
  text: string,
  options: MjcfImportOptions = {},
): ReturnType<typeof importMjcf> {
  const imported = importMjcf(text, options);
  const { description } = imported;
  const errors = geometryError(mujoco, text, {
    ...imported,
    frame: (_, index) => Object.values(imported.names.bodies)[index],
  });
  for (const [what, error] of Object.entries(errors)) expect(error, what).toBeLessThan(POSE_TOLERANCE);
  const own = { description, map: imported.map };
  expect(accelerationError({ mujoco, xml: text, ...own, seed: 1, count: 5 })).toBeLessThan(ACCELERATION_TOLERANCE);
  // and back out
  const exported = toMjcf(description);
  const back = { mujoco, xml: exported.xml, description, map: exported.map, seed: 1, count: 5 };
  expect(accelerationError(back)).toBeLessThan(ACCELERATION_TOLERANCE);
  return imported;
}
