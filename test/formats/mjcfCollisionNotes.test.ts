/** Colliding shapes of MJCF files: what is left out or refused is told, and scenes come back as they were. */
import { describe, expect, test } from "vitest";
import { importMjcf, toMjcf } from "../../src/formats/index.ts";
import { compile, maximalState, Random, scenes } from "../../src/index.ts";
import { bracket } from "./meshFiles.ts";

const { positions, triangles } = bracket();
const boxPoints = "0 0 0  1 0 0  0 1 0  1 1 0  0 0 1  1 0 1  0 1 1  1 1 1";

describe("what is left out is told", () => {
  const body = (geom: string, joint = "<freejoint/>", name = "b"): string =>
    `<body name="${name}">${joint}<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>${geom}</body>`;
  const file = (bodies: string, assets = "", contact = ""): string =>
    `<mujoco><asset>${assets}</asset><worldbody><geom type="plane" size="1 1 1"/>${bodies}</worldbody><contact>${contact}</contact></mujoco>`;
  const messages = (text: string, options = {}): string[] =>
    importMjcf(text, { collisions: "shapes", ...options }).warnings.map(({ message }) => message.replace(/^[^<]*/, ""));
  const flat = '<mesh name="m" vertex="0 0 0 1 0 0 0 1 0 1 1 0 0.5 0.5 1e-9"/>';
  const open = `<mesh name="m" vertex="${boxPoints}" face="0 1 2 1 3 2"/>`;
  const inverted = `<mesh name="m" vertex="${positions.join(" ")}" face="${[...triangles].reverse().join(" ")}"/>`;
  const solid = `<mesh name="m" vertex="${positions.join(" ")}" face="${triangles.join(" ")}" inertia="exact"/>`;
  const mesh = '<geom type="mesh" mesh="m"/>';
  test.each([
    ["a flat mesh", file(body(mesh), flat), "its mesh does not collide: all points lie in a plane"],
    ["an open one", file(body(mesh), open), "its own surface is open or inside out"],
    ["one inside out", file(body(mesh), inverted), "its own surface is open or inside out"],
    ["a bent one", file(body(mesh), solid), "its mesh collides as its convex hull, of 1.25 times its volume"],
    [
      "one without its file",
      file(body(mesh), '<mesh name="m" file="lost.stl"/>'),
      "a mesh whose file is not read does not collide",
    ],
    [
      "terrain from a picture",
      file(`${body("")}<geom type="hfield" hfield="h"/>`, '<hfield name="h" file="hills.png" size="1 1 1 1"/>'),
      "elevations in files are not read",
    ],
    [
      "a pair's friction that differs along its tangents",
      file(
        `${body('<geom name="a" size="1"/>')}${body('<geom name="b" size="1"/>', "<freejoint/>", "c")}`,
        "",
        '<pair geom1="a" geom2="b" friction="0.3 0.4"/>',
      ),
      "friction 0.3 and 0.4 along the two tangents: the first counts for both",
    ],
  ])("%s", (_, text, message) => {
    expect(messages(text).join("\n")).toContain(message);
  });

  test("hulls have 64 corners at most, or as many as allowed", () => {
    const random = new Random(1);
    const ball = Array.from({ length: 200 }, () => random.unitVector().join(" ")).join(" ");
    const text = file(body(mesh), `<mesh name="m" vertex="${ball}"/>`);
    const corners = (options = {}): number => {
      const [shape] = importMjcf(text, { collisions: "shapes", ...options }).description.bodies.b.shapes ?? [];
      return shape.kind === "hull" ? shape.points.length : 0;
    };
    expect(corners()).toBe(64);
    expect(corners({ hullVertices: 300 })).toBe(200);
    expect(messages(text).join()).toMatch(/with 64 corners, which cut off \d+ mm at most; hullVertices allows more/);
    expect(messages(text, { hullVertices: 300 }).join()).not.toContain("corners");
  });

  test("a table of heights that does not fit is refused", () => {
    const hills = (attributes: string) =>
      file(`${body("")}<geom type="hfield" hfield="h"/>`, `<hfield name="h" size="1 1 1 1" ${attributes}/>`);
    expect(() => messages(hills('nrow="2" ncol="2" elevation="1 2 3"'))).toThrow("has 3 numbers for 2 rows of 2");
    expect(() => messages(hills('nrow="1" ncol="2"'))).toThrow("two rows and two columns or more");
    expect(() => messages(hills('ncol="2"'))).toThrow("nrow is missing");
    expect(() => messages(file(`${body("")}<geom type="hfield" hfield="g"/>`))).toThrow("is no <hfield> of the file");
  });

  test("exports name what MuJoCo does not have", () => {
    const ground = { kind: "halfSpace", contact: { restitution: 0.5, frictionCoefficient: 0.2 } } as const;
    const plate = { kind: "box", size: [1, 1, 1], contact: true } as const;
    const inertia = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ] as const;
    const free = { kind: "floating", parent: "world" } as const;
    const { warnings } = toMjcf({
      timestep: 0.01,
      shapes: [ground],
      bodies: {
        a: { mass: 1, inertia, shapes: [plate] },
        b: { mass: 1, inertia, shapes: [{ kind: "halfSpace", contact: true }] },
      },
      joints: { a: { ...free, child: "a" }, b: { ...free, child: "b" } },
    });
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining("shapes[0].contact.restitution: left out"),
      expect.stringContaining("bodies.b.shapes[0]: a halfSpace on a moving body is left out"),
      expect.stringContaining('collisions.combine: "geometricMean" is left out'),
    ]);
  });
});

test.each(["stack", "marbles", "pegInHole"] as const)("free bodies of %s are drawn in its first state", (name) => {
  const description = scenes[name]();
  const [first] = Object.values(description.states ?? {});
  const read = importMjcf(toMjcf(description).xml, { collisions: "shapes" }).description;
  const [there, here] = [compile(read), compile(description)].map((mechanism, i) =>
    maximalState(mechanism, i === 0 ? read.states?.initial : first),
  );
  here.forEach((entry, k) => {
    // velocities are the keyframe's
    if (k % 13 < 7) expect(there[k]).toBeCloseTo(entry, 12);
  });
});
