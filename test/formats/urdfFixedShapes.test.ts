/** Links that are fixed to the world stand there to be seen: a robot's base is drawn, whether anything touches it or not. */
import { compile, importUrdf, replayData, Simulation, startState, toUrdf } from "dojo-sim";
import { describe, expect, test } from "vitest";

const arm = `<robot name="arm">
  <link name="world"/>
  <link name="base">
    <inertial><mass value="4"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    <visual><origin xyz="0 0 0.1"/><geometry><cylinder radius="0.1" length="0.2"/></geometry><material name="m"><color rgba="1 0 0 1"/></material></visual>
    <collision><origin xyz="0 0 0.1"/><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision>
  </link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.2"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
    <visual><origin xyz="0 0 0.2"/><geometry><box size="0.1 0.1 0.4"/></geometry></visual>
  </link>
  <joint name="bolt" type="fixed"><parent link="world"/><child link="base"/><origin xyz="1 2 0" rpy="0 0 1.5707963267948966"/></joint>
  <joint name="elbow" type="continuous"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.3"/><axis xyz="1 0 0"/></joint>
</robot>`;

describe("a base that is fixed to the world", () => {
  const { description, warnings } = importUrdf(arm);

  test("is shown where the file puts it, in its colour, and nothing touches it, as a warning says", () => {
    expect(description.shapes).toHaveLength(1);
    const [shape] = description.shapes ?? [];
    expect(shape).toMatchObject({ kind: "cylinder", radius: 0.1, length: 0.2, color: "#ff0000" });
    expect(shape.contact).toBeUndefined();
    [1, 2, 0.1].forEach((entry, axis) => {
      expect(shape.position?.[axis]).toBeCloseTo(entry, 12);
    });
    expect(warnings.map(({ message }) => message)).toEqual([
      'urdf:3: <link name="base">: is fixed to the world: nothing touches it; collisions: "shapes" (--collisions shapes) has it touch',
    ]);
  });

  test("is in a replay, and changes no bit of the motion", () => {
    const { shapes, ...without } = description;
    const run = (of: typeof description) => {
      const mechanism = compile(of);
      return new Simulation(mechanism).rollout(startState(mechanism), { steps: 50 });
    };
    const shown = run(description);
    expect(replayData(shown).world).toEqual(shapes);
    expect(shown.states).toEqual(run(without).states);
  });

  test("comes back from an exported file", () => {
    const { xml, warnings: told } = toUrdf(description);
    expect(told.filter(({ message }) => message.startsWith("shapes"))).toEqual([]);
    const [{ position, orientation, ...back }] = importUrdf(xml).description.shapes ?? [];
    const { position: at, orientation: turned, ...shape } = description.shapes?.[0] ?? { kind: "none" };
    expect(back).toEqual(shape);
    position?.forEach((entry, axis) => {
      expect(entry).toBeCloseTo(at?.[axis] ?? NaN, 12);
    });
    orientation?.forEach((entry, axis) => {
      expect(entry).toBeCloseTo(turned?.[axis] ?? NaN, 12);
    });
  });
});

test("gravity is said to be lost where it is not the one that an importer takes by itself", () => {
  const told = (gravity: readonly [number, number, number]): string[] =>
    toUrdf({ ...importUrdf(arm).description, gravity }).warnings.flatMap(({ message }) =>
      message.startsWith("gravity") ? [message] : [],
    );
  expect(told([0, 0, -9.81])).toEqual([]);
  expect(told([0, 0, -1.62])).toEqual(["gravity: pass gravity: [0, 0, -1.62] to the importer (--gravity 0,0,-1.62)"]);
});
