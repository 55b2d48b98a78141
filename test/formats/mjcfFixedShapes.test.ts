/** Geoms that stand still are there to be seen, also where contacts are with planes alone. */
import { compile, importMjcf, replayData, Simulation, startState, toMjcf } from "dojo-sim";
import { expect, test } from "vitest";

const text = `<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <geom name="wall" type="box" size="0.1 1 0.5" pos="2 0 0.5" rgba="0 0 1 1"/>
    <body name="base" pos="1 0 0" euler="0 0 90">
      <geom type="cylinder" size="0.1 0.2" pos="0.5 0 0.2"/>
      <geom type="sphere" size="0.1" rgba="0 0 0 0"/>
      <body name="arm" pos="0 0 0.5"><joint name="j" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.04"/></body>
    </body>
  </worldbody>
</mujoco>`;
const { description } = importMjcf(text);

test("walls and bases are shown where the file has them, without touching; planes and what is invisible are not among them", () => {
  expect(description.shapes).toHaveLength(2);
  const [wall, base] = description.shapes ?? [];
  expect(wall).toEqual({ kind: "box", size: [0.2, 2, 1], position: [2, 0, 0.5], color: "#0000ff" });
  expect(base).toMatchObject({ kind: "cylinder", radius: 0.1, length: 0.4 });
  [1, 0.5, 0.2].forEach((entry, axis) => {
    expect(base.position?.[axis]).toBeCloseTo(entry, 12);
  });
  expect([wall.contact, base.contact]).toEqual([undefined, undefined]);
});

test("they are in a replay, change no bit of the motion, and come back from an exported file", () => {
  const { shapes, ...without } = description;
  const run = (of: typeof description) => {
    const mechanism = compile(of);
    return new Simulation(mechanism).rollout(startState(mechanism), { steps: 50 });
  };
  const shown = run(description);
  expect(replayData(shown).world).toEqual(shapes);
  expect(shown.states).toEqual(run(without).states);
  const back = importMjcf(toMjcf(description).xml).description.shapes ?? [];
  expect(back.map(({ kind, color }) => ({ kind, color }))).toEqual(shapes?.map(({ kind, color }) => ({ kind, color })));
  back.forEach(({ position }, i) => {
    position?.forEach((entry, axis) => {
      expect(entry).toBeCloseTo(shapes?.[i].position?.[axis] ?? NaN, 12);
    });
  });
});
