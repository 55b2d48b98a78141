/**
 * Broken files: seeded mutations of the given ones, and small ones put together at random. Each is refused with a
 * `FormatError` or a `DescriptionError`, or is a valid description that compiles; within a second, and without NaN.
 */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compile,
  DescriptionError,
  FormatError,
  importUrdf,
  Random,
  toUrdf,
  type UrdfOptions,
} from "../../src/index.ts";
import { urdfFiles } from "../fixtures/robotFiles.ts";

/** Of processor time, some milliseconds and what the heap of all tests before takes to be swept; what grows as a power takes minutes. */
const LONGEST_MS = 5000;
const milliseconds = (): number => process.cpuUsage().user / 1000;

/** What came of it; anything but the two errors fails the test. */
function outcome(text: string, options: UrdfOptions = {}): "refused" | "faulty" | "imported" {
  const start = milliseconds();
  try {
    const { description } = importUrdf(text, options);
    expect(milliseconds() - start).toBeLessThan(LONGEST_MS);
    compile(description);
    return "imported";
  } catch (error) {
    expect(milliseconds() - start).toBeLessThan(LONGEST_MS);
    if (error instanceof FormatError) {
      expect(error.message).toMatch(/^[^:]+:\d+: /);
      return "refused";
    }
    if (error instanceof DescriptionError) return "faulty";
    throw error;
  }
}

const snippets = [
  "NaN",
  "1e999",
  "-1",
  "0",
  "0 0 0",
  "",
  "1,2,3",
  "1e308",
  "1e-320",
  "<",
  "&",
  '"',
  "]]>",
  "<!--",
  "-->",
];
const words = [
  "world",
  "base",
  "__proto__",
  "constructor",
  "toString",
  "fixed",
  "floating",
  "<link/>",
  "\u0000",
  "\ud800",
];

/** One change of a text, at random. */
function mutated(text: string, random: Random): string {
  const at = Math.floor(random.uniform(0, text.length));
  const piece = [...snippets, ...words][Math.floor(random.uniform(0, snippets.length + words.length))];
  const length = Math.floor(random.uniform(1, 60));
  const values = [...text.matchAll(/"[^"]*"/g)];
  // cut so short that no value is left
  if (values.length === 0) return text + piece;
  const value = values[Math.floor(random.uniform(0, values.length))];
  const lines = text.split("\n");
  const line = Math.floor(random.uniform(0, lines.length));
  const other = Math.floor(random.uniform(0, lines.length));
  const changes = [
    () => text.slice(0, at),
    () => text.slice(0, at) + text.slice(at + length),
    () => text.slice(0, at) + piece + text.slice(at),
    () => text.slice(0, at) + text.slice(at, at + length).repeat(3) + text.slice(at + length),
    () => [...lines.slice(0, line), ...lines.slice(line + 1)].join("\n"),
    () => [...lines.slice(0, line), lines[other], ...lines.slice(line)].join("\n"),
    // another digit: most such files are still valid
    ...new Array(4).fill(() => text.slice(0, at) + text.slice(at).replace(/\d/, String(length % 10))),
    // values are changed more often: they get past the parser
    ...new Array(4).fill(() => `${text.slice(0, value.index)}"${piece}"${text.slice(value.index + value[0].length)}`),
    () => text.slice(0, value.index) + values[line % values.length][0] + text.slice(value.index + value[0].length),
  ];
  return changes[Math.floor(random.uniform(0, changes.length))]();
}

describe("mutations of given URDF files", () => {
  it("are refused or valid", () => {
    const counts = { refused: 0, faulty: 0, imported: 0 };
    for (let seed = 0; seed < 250; seed++) {
      const random = new Random(seed);
      const { text, options } = urdfFiles[seed % urdfFiles.length];
      let broken = text;
      for (let change = 0; change <= seed % 3; change++) broken = mutated(broken, random);
      try {
        counts[outcome(broken, options)]++;
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
    }
    console.log(
      `250 mutations: ${counts.refused} FormatError, ${counts.faulty} DescriptionError, ${counts.imported} valid`,
    );
    expect(counts.refused).toBeGreaterThan(20);
    expect(counts.imported).toBeGreaterThan(20);
  });
});

describe("URDF at random", () => {
  const wholesome = fc.double({ min: 0.5, max: 0.9, noNaN: true }).map(String);
  const bad = fc.constantFrom("0", "-1", "1e-9", "1e300", "-1e300", "1e-310", "NaN", "inf", "1e400", "", "1 2", "0x1");
  const number = fc.oneof({ weight: 60, arbitrary: wholesome }, { weight: 1, arbitrary: bad });
  const triple = fc.tuple(number, number, number).map((v) => v.join(" "));
  const name = fc.constantFrom("a", "b", "c", "d", "world", "", "__proto__", "constructor", "x y", "&lt;");
  const origin = fc.tuple(triple, triple).map(([xyz, rpy]) => `<origin xyz="${xyz}" rpy="${rpy}"/>`);
  const maybe = (part: fc.Arbitrary<string>) => fc.oneof({ weight: 3, arbitrary: part }, fc.constant(""));
  const inertial = fc
    .tuple(
      maybe(origin),
      fc.oneof(wholesome, number),
      fc.array(fc.oneof(wholesome, number), { minLength: 6, maxLength: 6 }),
    )
    .map(
      ([place, mass, i]) =>
        `<inertial>${place}<mass value="${mass}"/><inertia ixx="${i[0]}" iyy="${i[1]}" izz="${i[2]}" ixy="0" ixz="${i[3].slice(0, 4)}e-3" iyz="0"/></inertial>`,
    );
  const shape = fc.oneof(
    number.map((r) => `<sphere radius="${r}"/>`),
    triple.map((s) => `<box size="${s}"/>`),
    fc.tuple(wholesome, number).map(([r, l]) => `<capsule radius="${r}" length="${l}"/>`),
    fc.tuple(number, wholesome).map(([r, l]) => `<cylinder radius="${r}" length="${l}"/>`),
    triple.map((s) => `<mesh filename="m.stl" scale="${s}"/>`),
  );
  const collision = fc
    .tuple(maybe(origin), shape)
    .map(([o, s]) => `<collision>${o}<geometry>${s}</geometry></collision>`);
  const link = fc
    .tuple(name, maybe(inertial), maybe(collision))
    .map(([n, i, c]) => `<link name="${n}">${i}${c}</link>`);
  const type = fc.constantFrom(
    "fixed",
    "revolute",
    "continuous",
    "prismatic",
    "planar",
    "floating",
    "ball",
    "orbital",
    "bolted",
  );
  const extras = fc.tuple(
    maybe(origin),
    maybe(triple.map((xyz) => `<axis xyz="${xyz}"/>`)),
    maybe(
      fc
        .tuple(number, number, number)
        .map(([l, u, e]) => `<limit lower="${l}" upper="${u}" effort="${e}" velocity="1"/>`),
    ),
    maybe(fc.tuple(number, number).map(([d, f]) => `<dynamics damping="${d}" friction="${f}"/>`)),
    maybe(fc.tuple(name, number, number).map(([j, m, o]) => `<mimic joint="j${j}" multiplier="${m}" offset="${o}"/>`)),
  );
  const joint = fc
    .tuple(name, type, name, name, extras)
    .map(
      ([n, t, p, c, e]) =>
        `<joint name="j${n}" type="${t}"><parent link="${p}"/><child link="${c}"/>${e.join("")}</joint>`,
    );
  // a chain that hangs together, so that more than the checks of names is reached
  const chain = fc
    .array(fc.tuple(type, extras, inertial, maybe(collision)), { minLength: 1, maxLength: 4 })
    .map((parts) =>
      parts
        .map(
          ([t, e, i, c], k) =>
            `<link name="l${k}">${i}${c}</link><joint name="j${k}" type="${t}"><parent link="${k === 0 ? "world" : `l${k - 1}`}"/><child link="l${k}"/>${e.join("")}</joint>`,
        )
        .join(""),
    );
  const robot = fc.oneof(
    chain.map((text) => `<robot name="r"><link name="world"/>${text}</robot>`),
    fc
      .tuple(fc.uniqueArray(link, { maxLength: 4 }), fc.array(joint, { maxLength: 4 }))
      .map(([links, joints]) => `<robot name="r">${links.join("")}${joints.join("")}</robot>`),
  );

  it("is refused or valid, and what is valid can be written and read again", () => {
    const counts = { refused: 0, faulty: 0, imported: 0 };
    const readMesh = () => ({ positions: [0, 0, 0, 1, 1, 1] });
    fc.assert(
      fc.property(robot, (text) => {
        const result = outcome(text, { readMesh });
        counts[result]++;
        if (result !== "imported") return;
        const { xml: again } = toUrdf(importUrdf(text, { readMesh }).description);
        expect(["imported", "faulty"]).toContain(outcome(again));
      }),
      { numRuns: 400, seed: 7 },
    );
    console.log(
      `400 at random: ${counts.refused} FormatError, ${counts.faulty} DescriptionError, ${counts.imported} valid`,
    );
    expect(counts.imported).toBeGreaterThan(40);
  });
});
