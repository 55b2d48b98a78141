/** Links without mass between joints: the joints are one, and the robot moves as if there were a speck of dust between them. */
import { expect, test } from "vitest";
import { bodyOffset, compile, importUrdf, maximalState } from "../../src/index.ts";

/** Metres; a handful of rotations. */
const ROUNDING = 1e-12;

const inertial = (mass: number, moment: number): string =>
  `<inertial><mass value="${mass}"/><inertia ixx="${moment}" iyy="${moment}" izz="${moment}" ixy="0" ixz="0" iyz="0"/></inertial>`;
const link = (name: string, inside = inertial(1, 0.1)): string => `<link name="${name}">${inside}</link>`;
const joint = (name: string, type: string, parent: string, child: string, inside: string): string =>
  `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${child}"/>${inside}</joint>`;
const robot = (...parts: string[]): string => `<robot name="r">${parts.join("")}</robot>`;

test("hinges about a link without mass move as the chain does", () => {
  // two skew hinges that pass each other, turned frames, and a mimic on the second
  const hinges = (middle: string) =>
    robot(
      '<link name="world"/>',
      ...[link("rod"), link("bob"), link("middle", middle)],
      joint("a", "continuous", "world", "middle", '<origin xyz="0.1 0.2 1" rpy="0.3 0 0"/><axis xyz="0 1 0"/>'),
      joint("b", "continuous", "middle", "rod", '<origin xyz="0.05 0 -0.1" rpy="0 0.4 0.2"/><axis xyz="1 0.3 0"/>'),
      joint("c", "continuous", "rod", "bob", '<origin xyz="0 0 -1"/><mimic joint="b" multiplier="2"/>'),
    );
  const { description, jointPlaces } = importUrdf(hinges(""));
  expect(description.joints?.rod.kind).toBe("universal");
  expect(description.gears?.c_mimic.terms).toEqual([
    { joint: "c", ratio: 1 },
    { joint: "rod", axis: 1, ratio: -2 },
  ]);
  expect(jointPlaces.b).toEqual({ joint: "rod", axis: 1, sign: 1 });
  // the same chain with a speck of dust in the middle
  const dust = importUrdf(hinges(inertial(1e-9, 1e-12))).description;
  for (const [a, b] of [
    [0, 0],
    [0.7, -0.4],
    [-1.2, 2],
  ]) {
    const [one, two] = [compile(description), compile(dust)];
    const merged = maximalState(one, { rod: { position: [a, b] }, c: { position: [2 * b] } });
    const chain = maximalState(two, { a: { position: [a] }, b: { position: [b] }, c: { position: [2 * b] } });
    for (const body of ["rod", "bob"]) {
      const [from, to] = [one, two].map((mechanism) => bodyOffset(mechanism, body));
      for (let k = 0; k < 3; k++) expect(Math.abs(merged[from + k] - chain[to + k])).toBeLessThan(ROUNDING);
    }
  }
});
