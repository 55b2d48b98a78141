/** Large files: what they cost grows with what they hold, and what is too large is refused before it is made. */
import { expect, test } from "vitest";
import { compile, importMjcf, type Mesh } from "../../src/index.ts";
import { boxMesh } from "./meshFiles.ts";

const replicas = (count: number): string =>
  `<mujoco><worldbody><geom type="plane" size="1 1 1"/><replicate count="${count}" offset="1 0 0"><body>
    <joint name="j" type="slide" axis="0 0 1"/><geom size=".1"/></body></replicate></worldbody>
    <contact><exclude body1="world" body2="world"/></contact><actuator><motor joint="j"/></actuator></mujoco>`;

test("replicas cost in proportion to their count", () => {
  const seconds = (count: number): number => {
    const before = process.cpuUsage();
    const { description, inputs } = importMjcf(replicas(count), { collisions: "shapes" });
    const { user, system } = process.cpuUsage(before);
    expect(Object.keys(description.bodies)).toHaveLength(count);
    expect(inputs).toHaveLength(count);
    return (user + system) / 1e6;
  };
  seconds(300);
  // eight times as many: a cost with the square is 64 times as high
  const few = seconds(500);
  expect(seconds(4000) / few).toBeLessThan(24);
});

test("a height field of too many points is refused at once", () => {
  const field = '<hfield name="h" nrow="10000" ncol="10000" size="1 1 1 1"/>';
  const ball = '<body pos="0 0 1"><freejoint/><geom size=".1"/></body>';
  const text = `<mujoco><asset>${field}</asset><worldbody><geom type="hfield" hfield="h"/>${ball}</worldbody></mujoco>`;
  expect(() => importMjcf(text, { collisions: "shapes" })).toThrow(/has 10000 × 10000 heights, more than 4000000/);
  const row = new Array<number>(2001).fill(0);
  const shapes = [{ kind: "heightField", size: [1, 1], heights: new Array(2000).fill(row), contact: {} }] as const;
  const bodies = {
    ball: {
      mass: 1,
      inertia: [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
      ],
    },
  } as const;
  const joints = { free: { kind: "floating", parent: "world", child: "ball" } } as const;
  expect(() => compile({ timestep: 0.01, bodies, joints, shapes })).toThrow(/has 4002000 heights, more than 4000000/);
});

test("a soup of triangles has the hull of its corners, once for all geoms that share it", () => {
  const box = boxMesh([1, 2, 3]);
  const soup = {
    positions: box.triangles.flatMap((corner) => Array.from(box.positions).slice(3 * corner, 3 * corner + 3)),
  };
  const triangles = box.triangles.map((_, i) => i);
  const geoms = '<geom type="mesh" mesh="m"/><geom type="mesh" mesh="m" pos="9 0 0"/>';
  const text = `<mujoco><asset><mesh name="m" file="m.stl"/></asset><worldbody><body><freejoint/>${geoms}</body></worldbody></mujoco>`;
  const hulls = (mesh: Mesh) => {
    const { description } = importMjcf(text, { collisions: "shapes", readMesh: () => mesh });
    return (
      Object.values(description.bodies)[0].shapes?.map((shape) => (shape.kind === "hull" ? shape.points : [])) ?? []
    );
  };
  const [one, two] = hulls({ ...soup, triangles });
  expect(one).toHaveLength(8);
  expect(two).toBe(one);
  const sorted = (points: readonly (readonly number[])[]) => points.map(String).sort();
  expect(sorted(one)).toEqual(sorted(hulls(box)[0]));
});
