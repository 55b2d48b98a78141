import { describe, expect, test } from "vitest";
import { FormatError, importMjcf } from "../../src/formats/index.ts";
import { DescriptionError, faultsOf, Random } from "../../src/index.ts";
import { mjcfFiles } from "../fixtures/robotFiles.ts";

const MUTATIONS = 250;

function onlyFinite(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(onlyFinite);
}

/** An import, or an error that says where; nothing else. */
function expectHandled(text: string, label: string): "imported" | "refused" {
  try {
    const { description, map, inputs } = importMjcf(text, { floor: true });
    expect(faultsOf(description), label).toEqual([]);
    expect(onlyFinite([description, map, inputs]), label).toBe(true);
    return "imported";
  } catch (error) {
    if (error instanceof FormatError) {
      expect(error.message, label).toMatch(/^model\.xml:\d+: ./);
      return "refused";
    }
    if (error instanceof DescriptionError) return "refused";
    throw new Error(`${label}: ${String(error)}\n${(error as Error).stack}`);
  }
}

const junk = [
  "",
  "NaN",
  "1e400",
  "-1",
  "0 0 0",
  "x",
  "1 2",
  '"',
  "<",
  "&",
  "inf",
  "99999999999",
  "true",
  "world",
  "__proto__",
];

function mutated(text: string, random: Random): string {
  const pick = <T>(list: readonly T[]): T => list[random.integer(list.length)];
  switch (random.integer(6)) {
    case 0:
      return text.slice(0, random.integer(text.length));
    case 1: {
      // another value for an attribute
      const values = [...text.matchAll(/="[^"]*"/g)];
      const { index, 0: old } = pick(values);
      return `${text.slice(0, index)}="${pick(junk)}"${text.slice(index + old.length)}`;
    }
    case 2: {
      // without a tag
      const { index, 0: old } = pick([...text.matchAll(/<[^>]*>/g)]);
      return text.slice(0, index) + text.slice(index + old.length);
    }
    case 3: {
      // another name for an attribute or element
      const { index, 0: old } = pick([...text.matchAll(/\b[a-z]+(?==")|(?<=<)[a-z]+/g)]);
      return (
        text.slice(0, index) + pick(["pos", "type", "joint", "body", "zzz", "mass"]) + text.slice(index + old.length)
      );
    }
    case 4: {
      // a number changed
      const { index, 0: old } = pick([...text.matchAll(/(?<=[" ])-?\d[\d.e-]*/g)]);
      return text.slice(0, index) + pick(["0", "-5", "1e308", "1e-308", "7 7", "--"]) + text.slice(index + old.length);
    }
    default: {
      const at = random.integer(text.length);
      return text.slice(0, at) + String.fromCharCode(32 + random.integer(95)) + text.slice(at + random.integer(3));
    }
  }
}

describe("damaged files", () => {
  test(`${MUTATIONS} of them are imported or refused with a line`, () => {
    const counts = { imported: 0, refused: 0 };
    for (let seed = 0; seed < MUTATIONS; seed++) {
      const random = new Random(seed);
      const text = mutated(mjcfFiles[random.integer(mjcfFiles.length)].text, random);
      counts[expectHandled(text, `seed ${seed}`)]++;
    }
    console.log(`Damaged files: ${counts.imported} imported, ${counts.refused} refused`);
    expect(counts.refused).toBeGreaterThan(MUTATIONS / 5);
    expect(counts.imported).toBeGreaterThan(MUTATIONS / 10);
  });
});

const world = (content: string, rest = ""): string => `<mujoco><worldbody>${content}</worldbody>${rest}</mujoco>`;
const ball = '<geom size="0.1"/>';

describe("files written wrong", () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ["empty", "", /./],
    ["no XML", "hello", /XML/],
    ["URDF", '<robot name="r"/>', /importUrdf/],
    ["nothing moves", world('<geom type="plane" size="1 1 1"/>'), /nothing in the file moves/],
    ["an include", '<mujoco><include file="a.xml"/></mujoco>', /readFile/],
    ["no mass", world("<body><freejoint/></body>"), /no mass/],
    ["a joint of the world", world("<joint/>"), /world does not move/],
    ["unknown class", world(`<body><freejoint/><geom class="x" size="1"/></body>`), /no default class/],
    [
      "unknown joint",
      world(`<body><joint name="a"/>${ball}</body>`, '<actuator><motor joint="b"/></actuator>'),
      /have: a/,
    ],
    [
      "two of a name",
      world(`<body name="a"><joint/>${ball}</body><body name="a"><joint/>${ball}</body>`),
      /second body/,
    ],
    ["a global frame", '<mujoco><compiler coordinate="global"/></mujoco>', /local/],
    ["a free child", world(`<body><joint/>${ball}<body><freejoint/>${ball}</body></body>`), /body of the world/],
    ["upside down range", world(`<body><joint limited="true" range="1 -1"/>${ball}</body>`), /smaller to larger/],
    ["limited without range", world(`<body><joint limited="true"/>${ball}</body>`), /range/],
    ["a flat box", world('<body><joint/><geom type="box" size="1 1 0"/></body>'), /above 0/],
    ["zero axis", world(`<body><joint axis="0 0 0"/>${ball}</body>`), /direction/],
    ["zero quat", world(`<body quat="0 0 0 0"><joint/>${ball}</body>`), /rotation/],
    ["a DOCTYPE", `<!DOCTYPE a [<!ENTITY b "c">]>${world("")}`, /refused/],
    [
      "an actuator on nothing",
      world(`<body><joint/>${ball}</body>`, "<actuator><motor/></actuator>"),
      /acts on nothing/,
    ],
  ];
  test.each(cases)("%s is refused with a way out", (_, text, message) => {
    expect(() => importMjcf(text)).toThrow(FormatError);
    expect(() => importMjcf(text)).toThrow(message);
  });

  test("an include that includes itself is refused", () => {
    const readFile = (): string => '<mujocoinclude><include file="a.xml"/></mujocoinclude>';
    expect(() => importMjcf('<mujoco><include file="a.xml"/></mujoco>', { readFile })).toThrow(/already/);
  });
});
