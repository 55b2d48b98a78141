/** Colliding shapes of MJCF files beside MuJoCo: which geoms may touch, how far apart they are, and what comes back. */
import loadMujoco from "@mujoco/mujoco";
import { beforeAll, describe, expect, test } from "vitest";
import { importMjcf, minimalFromMujoco, toMjcf } from "../../src/formats/index.ts";
import {
  type BoundedShape,
  canTouch,
  convexDistance,
  placementBetween,
  placementSize,
  prepareShape,
  signedDistance,
} from "../../src/geometry/index.ts";
import {
  compile,
  type Mechanism,
  type MechanismDescription,
  maximalFromMinimal,
  Random,
  type Shape,
  scenes,
} from "../../src/index.ts";
import { quaternion, vector } from "../../src/math/index.ts";
import { touchFilter } from "../../src/mechanism/index.ts";
import { PairSurfaces } from "../../src/simulation/touch/surfaces.ts";
import { bracket } from "./meshFiles.ts";
import { loadModel, type Mujoco, type MujocoModel, randomMujocoState } from "./mjcfOracle.ts";

let mujoco: Mujoco;
beforeAll(async () => {
  mujoco = await loadMujoco();
});

const { positions, triangles } = bracket();
const wedge = "0 0 0  0.4 0 0  0 0.3 0  0 0 0.5  0.4 0 0.1";
const heights = "0 1 2 1  3 0 1 0.5  0.2 0.7 2 4";

/** Every kind of geom, on bodies that hang on each other, are welded, are free; masks, a pair and an exclusion. */
const scene = `
<mujoco model="scene">
  <option timestep="0.01"/>
  <asset>
    <mesh name="bracket" vertex="${positions.join(" ")}" face="${triangles.join(" ")}" scale="0.1 0.2 0.1" refpos="1 0.5 0.2" refquat="1 0.2 0.3 0.4"/>
    <mesh name="wedge" vertex="${wedge}" scale="-1 1 1"/>
    <hfield name="hills" nrow="3" ncol="4" size="2 1.5 0.4 0.1" elevation="${heights}"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1" pos="0 0 -2" euler="5 0 0" friction="0.6"/>
    <geom name="terrain" type="hfield" hfield="hills" pos="0 0 -1.5" conaffinity="3"/>
    <geom name="wall" type="box" size="0.1 1 1" pos="1.5 0 0" euler="0 0 30"/>
    <body name="post" pos="-1 0 0"><geom name="pole" type="cylinder" size="0.1 0.6"/></body>
    <body name="arm" pos="0 0 0.5">
      <joint name="shoulder" type="ball"/>
      <geom name="upper" type="capsule" fromto="0 0 0 0.4 0 0.1" size="0.05" condim="4" friction="0.9 0.01 0.001"/>
      <body name="pad" pos="0.2 0 0.1"><geom name="soft" type="ellipsoid" size="0.1 0.05 0.07" condim="6" friction="0.9 0.02 0.003"/></body>
      <body name="forearm" pos="0.4 0 0.1">
        <joint name="elbow" axis="0 1 0" range="-100 100"/>
        <geom name="lower" type="box" size="0.2 0.04 0.04" pos="0.2 0 0" contype="2" conaffinity="1"/>
        <geom name="marker" type="sphere" size="0.05" contype="0" conaffinity="0"/>
        <body name="hand" pos="0.4 0 0">
          <joint name="wrist" axis="1 0 0" range="-90 90"/>
          <geom name="tool" type="mesh" mesh="bracket"/>
        </body>
      </body>
    </body>
    <body name="ball" pos="0 1 0"><freejoint name="rolls"/><geom name="round" type="sphere" size="0.15" condim="1"/></body>
    <body name="chock" pos="0 -1 0"><freejoint name="slips"/><geom name="piece" type="mesh" mesh="wedge" contype="4" conaffinity="4"/></body>
  </worldbody>
  <contact>
    <exclude body1="arm" body2="hand"/>
    <exclude body1="ball" body2="post"/>
    <exclude body1="ball" body2="pad"/>
    <pair geom1="piece" geom2="wall"/>
    <pair geom1="piece" geom2="soft"/>
  </contact>
</mujoco>`;

const imported = importMjcf(scene, { collisions: "shapes" });
const exported = toMjcf(imported.description);

/** Names of all shapes that touch, with where they are. */
function shapesOf(mechanism: Mechanism) {
  return new Map((mechanism.touch?.shapes ?? []).map((shape) => [shape.name, shape]));
}

/** Pairs that MuJoCo makes contacts of when everything is within reach of everything. */
function touchingPairs(xml: string): string[] {
  const model = loadModel(
    mujoco,
    xml.replace(/<geom /g, '<geom margin="50" ').replace(/<pair /g, '<pair margin="50" '),
  );
  const data = new mujoco.MjData(model);
  mujoco.mj_forward(model, data);
  const pairs = new Set<string>();
  const contacts = data.contact;
  for (let i = 0; i < data.ncon; i++) {
    const contact = contacts.get(i);
    if (!contact) continue;
    const { geom1, geom2 } = contact;
    pairs.add(
      [geom1, geom2]
        .map((geom) => model.geom(geom).name)
        .sort()
        .join(" "),
    );
  }
  data.delete();
  model.delete();
  return [...pairs].sort();
}

describe("which geoms may touch", () => {
  const mechanism = compile(imported.description);
  const ours = (): string[] => {
    const { touch } = mechanism;
    if (!touch) throw new Error("shapes touch");
    const { mayTouch } = touchFilter(touch);
    const pairs = touch.shapes.flatMap((a, i) =>
      touch.shapes
        .slice(i + 1)
        .filter((b) => mayTouch(a, b))
        .map((b) => [a.name, b.name].sort().join(" ")),
    );
    return pairs.sort();
  };

  test("is as MuJoCo has it, in the file and in the exported one", () => {
    const theirs = touchingPairs(scene);
    expect(theirs.length).toBeGreaterThan(20);
    expect(ours()).toEqual(theirs);
    expect(touchingPairs(exported.xml)).toEqual(theirs);
  });
});

/** Distances of all pairs of named geoms that are nearer than 10 m. */
function distances(model: MujocoModel, qpos: Float64Array, names: readonly string[]): Map<string, number> {
  const data = new mujoco.MjData(model);
  data.qpos.set(qpos);
  mujoco.mj_forward(model, data);
  const found = new Map<string, number>();
  const id = (name: string): number => model.geom(name).id;
  names.forEach((one, i) => {
    for (const two of names.slice(i + 1)) {
      found.set(`${one} ${two}`, mujoco.mj_geomDistance(model, data, id(one), id(two), 10, new Float64Array(6)));
    }
  });
  data.delete();
  return found;
}

describe("distances at random poses", () => {
  const mechanism = compile(imported.description);
  const shapes = shapesOf(mechanism);
  /** MuJoCo's distances of terrain to others are not defined. */
  const names = [...shapes.keys()].filter((name) => name !== "terrain");
  const sharper = (xml: string): string =>
    xml.replace("<option ", '<option ccd_iterations="200" ccd_tolerance="1e-10" ');

  test("are those of the file in the exported one, and ours", () => {
    const [theirs, again] = [scene, exported.xml].map((xml) => loadModel(mujoco, sharper(xml)));
    const random = new Random(12);
    let compared = 0;
    for (let k = 0; k < 20; k++) {
      const start = randomMujocoState(theirs, random);
      const before = distances(theirs, start.qpos, names);
      const minimal = minimalFromMujoco(imported.map, start);
      // MuJoCo's tree is the same, and so is the order of its joints
      const after = distances(again, start.qpos, names);
      const state = maximalFromMinimal(mechanism, minimal, 0.01);
      for (const [pair, distance] of before) {
        const [one, two] = pair.split(" ");
        if (distance < 1e-3) continue;
        // vertices of meshes are 32-bit floats there
        expect(Math.abs((after.get(pair) as number) - distance), `${pair} exported`).toBeLessThan(1e-6);
        const [a, b] = [shapes.get(one), shapes.get(two)].map((shape) => shape as NonNullable<typeof shape>);
        const bounded = a.form.kind !== "halfSpace" && b.form.kind !== "halfSpace";
        if (distance > 9.9 || !(bounded || canTouch(a.form.kind, b.form.kind))) continue;
        compared++;
        expect(Math.abs(ourDistance(a, b, state) - distance), `${pair} ours, ${k}`).toBeLessThan(1e-6);
      }
    }
    expect(compared).toBeGreaterThan(400);
    theirs.delete();
    again.delete();
  });
});

function ourDistance(a: TouchShapeOf, b: TouchShapeOf, state: Float64Array): number {
  const placement = new Float64Array(placementSize);
  const poses = Float64Array.from(
    [a, b].flatMap((shape) => {
      const at = 13 * shape.body;
      const body =
        shape.body < 0
          ? { position: vector.zero, orientation: quaternion.identity }
          : {
              position: [state[at], state[at + 1], state[at + 2]] as const,
              orientation: [state[at + 3], state[at + 4], state[at + 5], state[at + 6]] as const,
            };
      const position = vector.add(body.position, quaternion.rotate(body.orientation, shape.position));
      return [...position, ...quaternion.multiply(body.orientation, shape.orientation)];
    }),
  );
  placementBetween(placement, poses, 0, poses, 7);
  const [one, two] = [prepareShape(a.form), prepareShape(b.form)];
  if (canTouch(one.kind, two.kind)) return signedDistance(one, two, placement);
  return convexDistance(one as BoundedShape, two as BoundedShape, placement, undefined);
}
type TouchShapeOf = NonNullable<Mechanism["touch"]>["shapes"][number];

describe("round trips", () => {
  test.each(["stack", "pile", "gripper", "cradle"] as const)(
    "the scene %s has as many geoms in MuJoCo, and comes back",
    (name) => {
      const description = scenes[name]();
      const { xml } = toMjcf(description);
      const shapes = [description, importMjcf(xml, { collisions: "shapes" }).description].map((one) => {
        const { touch } = compile(one);
        return touch?.shapes.map(({ form, body, surface }) => ({
          kind: form.kind,
          body,
          mu: surface.frictionCoefficient,
        }));
      });
      expect(shapes[1]).toEqual(shapes[0]);
      const model = loadModel(mujoco, xml);
      const shown = Object.values(description.bodies).flatMap((body) => body.shapes ?? []);
      expect(model.ngeom).toBe(shown.length + (description.shapes ?? []).length);
      model.delete();
    },
  );

  test("an exported mechanism comes back with the same shapes and rules", () => {
    const again = importMjcf(exported.xml, { collisions: "shapes" }).description;
    const [before, after] = [imported.description, again].map((description) => {
      const mechanism = compile(description);
      return [...shapesOf(mechanism).values()].map(({ name, body, form, surface }) => ({
        name,
        body,
        form: withoutPlace(form),
        surface,
      }));
    });
    expect(after).toEqual(before);
    expect(again.collisions?.combine).toBe("max");
  });
});

test("bodies that may touch although a joint or their masks keep them apart are pairs, and others exclusions", () => {
  const inertia = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ] as const;
  const ball = (group: number): Shape => ({
    kind: "sphere",
    radius: 0.1,
    contact: { group, mask: group, frictionCoefficient: 0.5 },
  });
  const body = (group: number, x: number) => ({
    mass: 1,
    inertia,
    shapes: [{ ...ball(group), position: [x, 0, 0] as const }],
  });
  const hinge = (parent: string, child: string) => ({ kind: "revolute", parent, child, axis: [0, 0, 1] }) as const;
  const description: MechanismDescription = {
    timestep: 0.01,
    shapes: [ball(1)],
    bodies: { a: body(1, 1), b: body(1, 2), c: body(2, 3), d: body(2, 4) },
    joints: { j: hinge("world", "a"), k: hinge("a", "b"), l: hinge("b", "c"), m: hinge("c", "d") },
    collisions: {
      include: [
        ["a", "b"],
        ["a", "c"],
      ],
      only: [
        ["a", "b"],
        ["a", "c"],
        ["b", "d"],
        ["world", "b"],
      ],
    },
  };
  const { xml } = toMjcf(description);
  expect(touchingPairs(xml)).toEqual(["a.shape0 b.shape0", "a.shape0 c.shape0", "b.shape0 world.shape0"]);
  // neighbours may all touch
  const adjacent = toMjcf({ ...description, collisions: { adjacent: true } }).xml;
  expect(touchingPairs(adjacent)).toEqual([
    "a.shape0 b.shape0",
    "a.shape0 world.shape0",
    "b.shape0 world.shape0",
    "c.shape0 d.shape0",
  ]);
});

test("a <pair> touches although its bodies are excluded, and nothing else of them does", () => {
  const ball = 'size="0.05"';
  const free = (name: string, x: number, geoms: string): string =>
    `<body name="${name}" pos="${x} 0 0"><freejoint/>${geoms}</body>`;
  const xml = `
<mujoco>
  <worldbody>
    <geom name="rail" ${ball} pos="0 0 -1"/>
    ${free("one", 1, `<geom name="a" ${ball}/><geom name="b" ${ball} pos="0 0.2 0"/>`)}
    ${free("two", 2, `<geom name="c" ${ball}/><body name="welded" pos="0 1 0"><geom name="d" ${ball}/></body>`)}
    ${free("three", 3, `<geom name="e" ${ball} contype="2" conaffinity="2"/>`)}
  </worldbody>
  <contact>
    <exclude body1="one" body2="two"/>
    <exclude body1="one" body2="three"/>
    <exclude body1="one" body2="world"/>
    <pair geom1="a" geom2="c"/>
    <pair geom1="b" geom2="e"/>
    <pair geom1="b" geom2="rail"/>
  </contact>
</mujoco>`;
  const { touch } = compile(importMjcf(xml, { collisions: "shapes" }).description);
  if (!touch) throw new Error("nothing touches");
  const { mayTouch } = touchFilter(touch);
  const ours = touch.shapes.flatMap((a, i) =>
    touch.shapes
      .slice(i + 1)
      .filter((b) => mayTouch(a, b))
      .map((b) => [a.name, b.name].sort().join(" ")),
  );
  expect(ours.sort()).toEqual(touchingPairs(xml));
  expect(ours).toEqual(["a c", "a d", "b d", "b e", "b rail", "c rail", "d rail"]);
});

/** Friction of every contact that MuJoCo makes when everything is within reach: sliding, torsional and rolling, as its dimension has them. */
function frictionsOf(xml: string): Map<string, number[]> {
  const far = xml.replace(/<geom /g, '<geom margin="50" ').replace(/<pair /g, '<pair margin="50" ');
  const model = loadModel(mujoco, far);
  const data = new mujoco.MjData(model);
  mujoco.mj_forward(model, data);
  const found = new Map<string, number[]>();
  for (let i = 0; i < data.ncon; i++) {
    const contact = data.contact.get(i);
    if (!contact) continue;
    const names = [contact.geom1, contact.geom2].map((geom) => model.geom(geom).name).sort();
    const [slide, , spin, roll] = contact.friction;
    const { dim } = contact;
    found.set(names.join(" "), [dim > 1 ? slide : 0, dim > 3 ? spin : 0, dim > 4 ? roll : 0]);
  }
  data.delete();
  model.delete();
  return found;
}

test("friction goes by priority, by pairs, or is the larger one, as MuJoCo reads it: from a file, and back", () => {
  const geoms = [
    '<geom name="a" size="0.1" friction="0.9 0.02 0.003" condim="3"/>',
    '<geom name="b" size="0.1" friction="0.2 0.03 0.004" priority="2" condim="6"/>',
    '<geom name="c" size="0.1" friction="0.5 0.01 0.001" priority="1" condim="3"/>',
    '<geom name="d" size="0.1" friction="0.7 0.04 0.002" priority="1" condim="3"/>',
    '<geom name="e" size="0.1" friction="1.5" priority="3" condim="1"/>',
    // without friction against each other, but not against others
    '<geom name="f" size="0.1" friction="1.3" condim="1"/>',
    '<geom name="g" size="0.1" friction="0.3" condim="1"/>',
  ];
  const bodies = geoms.map(
    (geom, i) => `<body name="body${i}" pos="${i} 0 1"><freejoint/>${geom.replace("/>", ' mass="1"/>')}</body>`,
  );
  const xml = `<mujoco><worldbody><geom name="floor" type="plane" size="9 9 1"/>${bodies.join("")}</worldbody><contact>
    <pair geom1="a" geom2="b" friction="0.33"/>
    <pair geom1="c" geom2="d" condim="4"/>
    <pair geom1="d" geom2="floor" condim="6" friction="0.4 0.4 0.05 0.006 0.006"/>
    <pair geom1="a" geom2="e" condim="1"/>
  </contact></mujoco>`;
  const { description, warnings } = importMjcf(xml, { collisions: "shapes" });
  expect(warnings.map(({ message }) => message).join()).toContain("friction 0.33 and 1 along the two tangents");
  const { touch } = compile(description);
  if (!touch) throw new Error("nothing touches");
  const surfaces = new PairSurfaces(touch);
  const expected = frictionsOf(xml);
  expect(expected.size).toBe(28);
  const exported = frictionsOf(toMjcf(description).xml);
  for (const [pair, [slide, spin, roll]] of expected) {
    const [one, two] = pair.split(" ").map((name) => touch.shapes.findIndex((shape) => shape.name === name));
    expect(surfaces.friction(one, two), pair).toBeCloseTo(slide, 12);
    // what cannot slide has no friction against turning here
    if (slide > 0) expect(surfaces.torsionalFriction(one, two), pair).toBeCloseTo(spin, 12);
    if (slide > 0) expect(surfaces.rollingFriction(one, two), pair).toBeCloseTo(roll, 12);
    expect(exported.get(pair)?.[0], pair).toBeCloseTo(slide, 12);
  }
});

/** Hulls and terrain are rounded on their way; where shapes sit is compared by distances. */
function withoutPlace({ position, orientation, contact, color, ...form }: Shape) {
  const json = JSON.stringify(form, (_, value) =>
    typeof value === "number" ? Number(value.toPrecision(9)) + 0 : value,
  );
  return JSON.parse(json);
}

test("without the option of shapes nothing changes", () => {
  expect(importMjcf(scene).description).toEqual(importMjcf(scene, { collisions: "floor" }).description);
  expect(importMjcf(scene).description.collisions).toBeUndefined();
  const { description } = importMjcf(scene, { collisions: "shapes", contacts: "none" });
  expect(compile(description).touch).toBeUndefined();
});
