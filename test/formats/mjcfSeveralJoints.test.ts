/** Bodies with several joints that are no single joint here, beside MuJoCo. */
import loadMujoco from "@mujoco/mujoco";
import { beforeAll, describe, expect, test } from "vitest";
import { importMjcf, minimalFromMujoco, mujocoState } from "../../src/formats/index.ts";
import { compile, maximalFromMinimal, minimalState, Simulation } from "../../src/index.ts";
import { accelerationError, geometryError, loadModel, type Mujoco } from "./mjcfOracle.ts";

let mujoco: Mujoco;
beforeAll(async () => {
  mujoco = await loadMujoco();
});

/** Carriages that share nothing with their body weigh a millionth of it, up to 2.8 m away where its radius of gyration is 0.2 m. */
const MASS_TOLERANCE = 2e-4;
/** Those that do add nothing but a millionth of its inertia. */
const SHARED_TOLERANCE = 2e-6;
const ACCELERATION_TOLERANCE = 1e-3;

const slide = (axis: string, rest = ""): string => `<joint type="slide" axis="${axis}" damping="0.2" ${rest}/>`;
const hinge = (axis: string, rest = ""): string => `<joint axis="${axis}" damping="0.1" ${rest}/>`;
const slides = slide("1 0 0") + slide("0 1 0") + slide("0 0 1");

/** What the joints are, whether all of their carriages share a point with the body, and the joints. */
const cases: [string, boolean, string][] = [
  ["three slides and three hinges", false, slides + hinge("1 0 0") + hinge("0 1 0") + hinge("0 0 1")],
  [
    "three slides and two hinges off the centre",
    false,
    slides + hinge("1 0 0", 'pos="0.1 0 0.2"') + hinge("0 1 0", 'pos="0.1 0 0.2"'),
  ],
  ["two slides and two hinges", false, slide("1 0 0") + slide("0 0 1") + hinge("0 1 0") + hinge("1 0 0")],
  ["a slide and a hinge across it", true, slide("1 0 0", 'ref="0.2"') + hinge("0 1 1", 'ref="0.3" pos="0 0.1 0"')],
  ["a hinge and a slide that turns with it", false, hinge("0 1 0") + slide("1 0 0")],
  ["a hinge and two slides", false, hinge("0 1 0", 'pos="0.1 0.2 0"') + slide("1 0 0") + slide("0 0 1")],
  ["slides that are not perpendicular", false, slide("1 0 0") + slide("1 1 0")],
  [
    "three hinges that do not meet",
    false,
    hinge("1 0 0") + hinge("0 1 0", 'pos="0 0 0.3"') + hinge("0 0 1", 'pos="0.1 0 0"'),
  ],
  ["three hinges that are not perpendicular", true, hinge("1 0 0") + hinge("1 1 0") + hinge("0 0.2 1")],
  [
    "four hinges, one of them with a rotor",
    true,
    hinge("1 0 0") + hinge("0 1 0") + hinge("0 0 1") + hinge("1 0.5 0", 'armature="0.1"'),
  ],
  ["parallel hinges at a distance", true, hinge("0 1 0") + hinge("0 1 0", 'pos="0.4 0 0"')],
  ["a hinge and a ball", true, `${hinge("0 1 0", 'pos="0.1 0 0" armature="0.1"')}<joint type="ball" damping="0.1"/>`],
  ["hinge, slide, hinge", false, hinge("0 1 0") + slide("1 0 0") + hinge("0 0 1")],
];

/** In the world, and on a body that moves; with a body behind it. */
const file = (joints: string, nested: boolean): string => {
  const geoms = '<geom type="box" size="0.1 0.2 0.3" pos="0.05 0.1 -0.1" euler="10 20 30"/>';
  const tail =
    '<body name="tail" pos="0 0 0.4"><joint axis="1 0 0"/><geom type="capsule" fromto="0 0 0 0 0.2 0.1" size="0.05"/></body>';
  const inner = `<body name="b" pos="0.2 0.1 0" euler="20 10 0">${joints}${geoms}${tail}</body>`;
  const base = nested
    ? `<body name="base" pos="0 0 1"><freejoint/><geom size="0.2" pos="0.1 0 0"/>${inner}</body>`
    : inner;
  return `<mujoco><worldbody>${base}</worldbody></mujoco>`;
};

describe("joints of a body that are no single joint", () => {
  test.each(cases)("%s move as in MuJoCo", (_, shares, joints) => {
    for (const nested of [false, true]) {
      const xml = file(joints, nested);
      const imported = importMjcf(xml);
      const frame = (body: string) => imported.names.bodies[body];
      const worst = geometryError(mujoco, xml, { ...imported, frame });
      for (const [name, error] of Object.entries(worst)) {
        expect(error, name).toBeLessThan(shares ? SHARED_TOLERANCE : MASS_TOLERANCE);
      }

      const acceleration = accelerationError({ mujoco, xml, ...imported, seed: 3, count: 5 });
      expect(acceleration).toBeLessThan(ACCELERATION_TOLERANCE);
      expect(imported.warnings.filter(({ message }) => message.includes("no single joint"))).toHaveLength(1);
    }
  });

  test("a body on three slides and three hinges runs as MuJoCo's does, with actuators, springs and a keyframe", () => {
    const names = ["x", "y", "z", "roll", "pitch", "yaw"];
    const axes = ["1 0 0", "0 1 0", "0 0 1"];
    const joints = names
      .map((name, i) =>
        i < 3 ? slide(axes[i], `name="${name}" stiffness="50"`) : hinge(axes[i - 3], `name="${name}" armature="0.01"`),
      )
      .join("");
    const actuators = names
      .map((name) => `<position joint="${name}" kp="${"xyz".includes(name) ? 300 : 30}" kv="100"/>`)
      .join("");
    const xml = `<mujoco><option timestep="0.001" integrator="implicitfast"/><worldbody><body name="b" pos="0 0 1">${joints}
      <geom type="box" size="0.1 0.2 0.3" pos="0.05 0.1 -0.1"/></body></worldbody><actuator>${actuators}</actuator>
      <keyframe><key name="k" qpos="0.1 0.2 0.3 0.4 0.5 0.6" ctrl="0 0.1 0.2 -0.4 0.3 0.2"/></keyframe></mujoco>`;
    const { description, map } = importMjcf(xml);
    const model = loadModel(mujoco, xml);
    const data = new mujoco.MjData(model);
    mujoco.mj_resetDataKeyframe(model, data, 0);
    const mechanism = compile(description);
    const simulation = new Simulation(mechanism);
    const start = maximalFromMinimal(mechanism, minimalFromMujoco(map, { qpos: data.qpos, qvel: data.qvel }));
    const input = Float64Array.from(mechanism.inputNames, (name) => description.stateInputs?.k[name] ?? Number.NaN);
    const { final, solved } = simulation.rollout(start, { steps: 500, controller: () => input });
    expect(solved).toBe(true);
    for (let i = 0; i < 500; i++) mujoco.mj_step(model, data);
    const { qpos } = mujocoState(map, minimalState(mechanism, final));
    // two integrators of first order: a thousandth of what moves
    qpos.forEach((value, i) => {
      expect(Math.abs(value - data.qpos[i])).toBeLessThan(2e-3);
    });
    data.delete();
    model.delete();
  });
});
