/** Files that other readers take: what is wrong with them becomes a warning, or is mended where `repair` or `density` ask for it. */
import { describe, expect, test } from "vitest";
import { parseMesh } from "../../src/formats/index.ts";
import { nearestInertia } from "../../src/formats/inertia.ts";
import { compile, importUrdf, maximalState, Random, Simulation } from "../../src/index.ts";
import { matrix3 } from "../../src/math/index.ts";
import type { Matrix3 } from "../../src/mechanism/index.ts";
import { boxMesh, stlFile } from "./meshFiles.ts";
import { arm, inertial, joint, link, messages, robot } from "./urdfText.ts";

describe("XML that is not well-formed", () => {
  const plain = arm("continuous");
  test.each([
    ["a declaration without quotes", `<?xml version=1.0?>\n${plain}`, "the XML declaration is not well-formed"],
    ["one of another version", `<?xml version="0.0" ?>\n${plain}`, "the XML declaration is not well-formed"],
    ["a blank line before it", `\n<?xml version="1.0"?>\n${plain}`, "does not stand at the start of the file"],
    ["a comment before it", `<!-- <?xml?> -->\n<?xml version="1.0"?>\n${plain}`, "does not stand at the start"],
    ["a prefix", plain.replace("</robot>", '<sim:box sim:on="1"/></robot>'), 'nothing declares the prefix "sim"'],
    ["a prefix of an attribute", plain.replace("<robot", '<robot sim:on="1"'), 'nothing declares the prefix "sim"'],
  ])("%s is a warning", (_, text, message) => {
    const { description, warnings } = importUrdf(text);
    expect(description).toEqual(importUrdf(plain).description);
    const places = warnings.map((warning) => warning.message);
    expect(places.filter((one) => one.includes(message))).toHaveLength(1);
  });
  test("what is well-formed is read without a word, lines stay, and a long text costs little", () => {
    const declared = `<?xml version="1.0" encoding='utf-8' standalone="yes"?>\n`;
    expect(messages(declared + plain)).toEqual(messages(plain));
    expect(() => importUrdf(`\n<?xml version="1.0"?>\n<robot name="r">\n<link/>\n</robot>`)).toThrow(/urdf:4: <link>/);
    expect(() => importUrdf("<!--".repeat(100_000))).toThrow();
    expect(() => importUrdf(`<robot>${"<?xml ".repeat(100_000)}`)).toThrow();
  });
});

describe("density", () => {
  const shape = (role: string, geometry: string) =>
    `<${role}><origin xyz="0.1 0 0"/><geometry>${geometry}</geometry></${role}>`;
  const box = '<box size="0.1 0.2 0.3"/>';
  const massless = (inside: string) =>
    robot(link("base", shape("collision", box)), link("a", inside), joint("j", "continuous", "base", "a"));

  test("links without mass have that of their collision shapes, else of their visual ones", () => {
    expect(() => importUrdf(massless(shape("collision", box)))).toThrow(/no link that moves has mass.*--density 1000/);
    const mass = 500 * 0.1 * 0.2 * 0.3;
    for (const inside of [shape("collision", box) + shape("visual", '<sphere radius="9"/>'), shape("visual", box)]) {
      const { description, warnings } = importUrdf(massless(inside), { density: 500 });
      expect(description.bodies.a.mass).toBeCloseTo(mass, 12);
      expect(description.bodies.a.inertia[0][0]).toBeCloseTo((mass * (0.04 + 0.09)) / 12, 12);
      expect(warnings.map(({ message }) => message).join()).toContain('its shapes have "3" kg at 500 kg/m³');
      // the base has no mass of the file's, so it stands
      expect(Object.keys(description.bodies)).toEqual(["a"]);
    }
  });
  test("a mesh counts with its volume, and what has a mass keeps it", () => {
    const inside = shape("collision", '<mesh filename="m.stl" scale="0.1 0.1 0.1"/>');
    const readMesh = () => parseMesh(stlFile(boxMesh([1, 2, 3])), "m.stl");
    expect(importUrdf(massless(inside), { density: 500, readMesh }).description.bodies.a.mass).toBeCloseTo(3, 6);
    const given = importUrdf(massless(inertial(7) + inside), { density: 500, readMesh });
    expect(given.description.bodies.a.mass).toBe(7);
    expect(() => importUrdf(massless(inside), { density: 0, readMesh })).toThrow(/density is 0/);
  });
});

describe("repair", () => {
  test("an impossible inertia becomes the nearest possible one", () => {
    const random = new Random(3);
    let outside = 0;
    for (let k = 0; k < 200; k++) {
      const moments = [0, 1, 2].map(() => random.uniform(-1, 2)) as [number, number, number];
      const given = matrix3.rotateInertia(matrix3.diagonal(...moments), random.quaternion());
      const found = nearestInertia(given);
      const [a, b, c] = [...moments].sort((x, y) => x - y);
      if (a >= 0 && a + b >= c) {
        for (let i = 0; i < 9; i++) expect(Math.abs(entry(found, i) - entry(given, i))).toBeLessThan(1e-5);
        continue;
      }
      if (!found) continue;
      outside++;
      // possible, and no possible one of many nearby is nearer
      const [low, middle, high] = matrix3.symmetricEigenvalues(found);
      expect(low).toBeGreaterThan(0);
      expect(low + middle - high).toBeGreaterThan(0);
      for (let other = 0; other < 50; other++) {
        const [p, q, r] = [0, 1, 2].map(() => random.uniform(0, 1.5));
        const possible = matrix3.rotateInertia(matrix3.diagonal(q + r, p + r, p + q), random.quaternion());
        for (const share of [1, 0.1, 0.01]) {
          const mixed = mix(found, possible, share);
          expect(gap(found, given)).toBeLessThan(gap(mixed, given) + 1e-5);
        }
      }
    }
    expect(outside).toBeGreaterThan(100);
  });

  const entry = (matrix: Matrix3 | undefined, i: number): number => matrix?.[Math.floor(i / 3)][i % 3] ?? Number.NaN;
  const gap = (one: Matrix3, other: Matrix3): number =>
    Math.hypot(...Array.from({ length: 9 }, (_, i) => entry(one, i) - entry(other, i)));
  const mix = (one: Matrix3, other: Matrix3, share: number): Matrix3 =>
    one.map((row, i) => row.map((x, j) => x + share * (other[i][j] - x))) as unknown as Matrix3;

  test("files with such inertias are read, with a warning, and otherwise refused with the way out", () => {
    for (const [moments, expected] of [
      ["0 0 0", "of a ball of 1 cm"],
      ["0.1 0.1 3", "the nearest possible one is taken"],
      ["-0.5 1 1", "the nearest possible one is taken"],
    ]) {
      const text = robot(
        '<link name="world"/>',
        link("a", inertial(1, "0 0 0", "0 0 0", moments)),
        joint("j", "continuous", "world", "a"),
      );
      expect(() => importUrdf(text)).toThrow(/repair: true \(--repair\)/);
      const { description, warnings } = importUrdf(text, { repair: true });
      expect(warnings.map(({ message }) => message).join()).toContain(expected);
      const mechanism = compile(description);
      expect(new Simulation(mechanism).rollout(maximalState(mechanism, {}), { steps: 5 }).solved).toBe(true);
    }
  });

  test("bounds of a limit are exchanged", () => {
    const text = arm("revolute", '<limit lower="1" upper="-2" effort="1" velocity="1"/>');
    expect(() => importUrdf(text)).toThrow(/lower 1 is above upper -2; exchange them, or repair: true/);
    expect(importUrdf(text, { repair: true }).description.joints?.j.limits).toEqual([-2, 1]);
    expect(messages(text, { repair: true }).join()).toContain("they are exchanged");
  });

  test("links without mass that no single joint stands for have a speck", () => {
    const hub = (...ends: string[]) =>
      robot('<link name="world"/>', link("hub", ""), joint("j", "continuous", "world", "hub"), ...ends);
    const two = hub(...["a", "b"].flatMap((name) => [link(name), joint(`to_${name}`, "continuous", "hub", name)]));
    const skew = hub(link("a"), joint("k", "prismatic", "hub", "a", '<axis xyz="0 1 0"/>'));
    for (const text of [two, skew]) {
      expect(() => importUrdf(text)).toThrow(/repair: true \(--repair\) gives it 1 g/);
      const { description, warnings } = importUrdf(text, { repair: true });
      expect(description.bodies.hub.mass).toBe(1e-3);
      expect(warnings.map(({ message }) => message).join()).toContain('link "hub" has no mass, and no single joint');
    }
    // the speck changes the motion by no more than its share of the mass
    const heavier = skew.replace(
      '<link name="hub"></link>',
      link("hub", inertial(1e-7, "0 0 0", "0 0 0", "1e-12 1e-12 1e-12")),
    );
    const end = [importUrdf(skew, { repair: true }), importUrdf(heavier)].map(({ description }) => {
      const mechanism = compile(description);
      const start = maximalState(mechanism, { j: { position: [0.7] } });
      const { states } = new Simulation(mechanism).rollout(start, { steps: 20 });
      return (states.at(-1) as Float64Array).slice(mechanism.bodies.findIndex(({ name }) => name === "a") * 13);
    });
    for (let i = 0; i < 3; i++) expect(Math.abs(end[0][i] - end[1][i])).toBeLessThan(0.01);
  });
});

test("a bad mesh and a geometry without a shape leave the rest of the robot", () => {
  const bad = '<collision><geometry><mesh filename="bad.stl"/></geometry></collision>';
  const plane = '<visual><geometry><plane normal="0 0 1"/></geometry></visual>';
  const text = robot(
    '<link name="world"/>',
    link("a", inertial() + bad + plane),
    joint("j", "continuous", "world", "a"),
  );
  const readMesh = (file: string) => parseMesh(new Uint8Array(10), file);
  const said = messages(text, { readMesh }).join();
  expect(said).toContain("bad.stl:1: <mesh>: is left out, since it cannot be read: neither ASCII nor binary STL");
  expect(said).toContain("<geometry>: has no shape and is left out");
  expect(() =>
    messages(text, {
      readMesh: () => {
        throw new Error("disk");
      },
    }),
  ).toThrow("disk");
});
