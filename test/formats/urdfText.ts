/** Robots as short URDF texts, and what importing them says. */
import { expect } from "vitest";
import { importUrdf, type UrdfOptions } from "../../src/formats/urdf/importUrdf.ts";

export const inertial = (mass = 1, xyz = "0 0 0", rpy = "0 0 0", i = "0.1 0.2 0.25") => {
  const [ixx, iyy, izz] = i.split(" ");
  return `<inertial><origin xyz="${xyz}" rpy="${rpy}"/><mass value="${mass}"/><inertia ixx="${ixx}" iyy="${iyy}" izz="${izz}" ixy="0" ixz="0" iyz="0"/></inertial>`;
};
export const link = (name: string, inside = inertial()) => `<link name="${name}">${inside}</link>`;
export const joint = (name: string, type: string, parent: string, child: string, inside = "") =>
  `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${child}"/>${inside}</joint>`;
export const robot = (...parts: string[]) => `<robot name="r">\n${parts.join("\n")}\n</robot>`;
export const arm = (type: string, inside = "") =>
  robot('<link name="world"/>', link("a"), joint("j", type, "world", "a", inside));
export const messages = (text: string, options?: UrdfOptions) =>
  importUrdf(text, options).warnings.map(({ message }) => message);

/** Rounding of a handful of rotations. */
export const ROUNDING = 1e-12;
export const expectClose = (actual: readonly number[] | undefined, expected: readonly number[]) => {
  expect(actual).toHaveLength(expected.length);
  for (const [i, entry] of expected.entries())
    expect(Math.abs((actual?.[i] ?? Number.NaN) - entry)).toBeLessThan(ROUNDING);
};
