/** Damping ratios of servos: the mass that they go by is that which a step of the engine moves, and MuJoCo's of two times. */
import loadMujoco from "@mujoco/mujoco";
import { describe, expect, test } from "vitest";
import {
  compile,
  type DampingRatioMass,
  importMjcf,
  inputsOf,
  type MechanismDescription,
  maximalFromMinimal,
  minimalFromMujoco,
  minimalState,
  mujocoState,
  type Servo,
  Simulation,
} from "../../src/index.ts";

const arm = `<body name="b" pos="0 0 2"><joint name="j" axis="0 1 0" armature="0.3"/>
  <geom type="box" size=".1 .2 .1" pos="0.1 0 -0.5" mass="2"/>
  <body name="c" pos="0 0 -1"><joint name="k" axis="0 1 0" armature="0.2"/><geom type="box" size=".1 .1 .2" pos="0 0 -.5" mass="3"/></body></body>`;
const carried = `<body name="base" pos="0 0 1"><freejoint/><geom type="box" size=".2 .2 .1" mass="4"/>${arm.replace("0 0 2", "0.1 0 -.2")}</body>`;
const tendon = '<tendon><fixed name="t"><joint joint="j" coef="2"/><joint joint="k" coef="-0.5"/></fixed></tendon>';
const KP = 100;
const RATIO = 0.7;

const file = (bodies: string, actuator: string) =>
  `<mujoco><option gravity="0 0 0"/><worldbody>${bodies}</worldbody>${tendon}<actuator>${actuator}</actuator></mujoco>`;
const servo = (target: string) => `<position ${target} kp="${KP}" dampratio="${RATIO}"/>`;
const load = (bodies: string, target: string, dampratio?: DampingRatioMass) =>
  importMjcf(file(bodies, servo(target)), dampratio && { dampratio });

const servoOf = ({ joints }: MechanismDescription) => joints?.j.servo as Servo | undefined;

/** The servo's kv by what became of it: of a joint's damping, or of a gear's. */
function kv(target: string, { description }: ReturnType<typeof load>, gear: number): number {
  const [spring] = Object.values(description.gears ?? {}).filter(({ damping }) => damping);
  const damping = target.includes("tendon") ? spring?.damping : servoOf(description)?.damping;
  return (Array.isArray(damping) ? damping[0] : (damping as number)) / gear ** 2;
}

/** dL/dt after a step in which the actuator pushes with 1: the inverse of the mass. */
function pushed(bodies: string, target: string, weights: Readonly<Record<string, number>>): number {
  const imported = importMjcf(file(bodies, `<motor ${target}/>`), { timestep: 1e-6 });
  const mechanism = compile(imported.description);
  const rest = minimalFromMujoco(imported.map, {
    qpos: qposOf(bodies),
    qvel: new Float64Array(bodies === arm ? 2 : 8),
  });
  const simulation = new Simulation(mechanism);
  const state = maximalFromMinimal(mechanism, rest);
  const inputs = [inputsOf(imported.map, [1])];
  const next = simulation.rollout(state, { steps: 1, inputs }).states.at(-1) as Float64Array;
  const { qvel } = mujocoState(imported.map, minimalState(mechanism, next));
  const [j, k] = qvel.slice(-2);
  return ((weights.j ?? 0) * j + (weights.k ?? 0) * k) / 1e-6;
}

const qposOf = (bodies: string) => Float64Array.from(bodies === arm ? [0, 0] : [0, 0, 1, 1, 0, 0, 0, 0, 0]);

describe.each([
  ["a chain on the world", arm],
  ["a chain on a free body", carried],
])("%s", (_, bodies) => {
  test.each([
    ['joint="j"', 1, { j: 1 }],
    ['joint="j" gear="3"', 3, { j: 3 }],
    ['tendon="t" gear="3"', 3, { j: 6, k: -1.5 }],
  ])("%s", async (target, gear, weights) => {
    const coupled = load(bodies, target);
    const expected = 2 * RATIO * Math.sqrt(KP / pushed(bodies, target, weights as Record<string, number>));
    expect(Math.abs(kv(target, coupled, gear) / expected - 1)).toBeLessThan(1e-5);

    // the bundled MuJoCo is of the times before 3.15
    const mujoco = await loadMujoco();
    const model = mujoco.MjModel.from_xml_string(file(bodies, servo(target)));
    if (!model) throw new Error("MuJoCo did not load it");
    const theirs = -model.actuator_biasprm[2];
    model.delete();
    const alone = load(bodies, target, "alone");
    expect(Math.abs(kv(target, alone, gear) / theirs - 1)).toBeLessThan(1e-9);

    // both say what the other has
    const shown = (value: number) => String(Number(value.toPrecision(4)));
    for (const { warnings } of [coupled, alone]) {
      const [warning] = warnings.filter(({ message }) => message.includes("dampratio"));
      expect(warning.message).toContain(shown(theirs));
      expect(warning.message).toContain(shown(expected));
    }
  });
});

test("a servo of a single joint has one damping, without a word", () => {
  const single = '<body><joint name="j" axis="0 1 0"/><geom size=".1" pos="1 0 0" mass="1"/></body>';
  const text = `<mujoco><worldbody>${single}</worldbody><actuator>${servo('joint="j"')}</actuator></mujoco>`;
  const [one, two] = (["coupled", "alone"] as const).map((dampratio) => importMjcf(text, { dampratio }));
  const damping = [one, two].map(({ description }) => servoOf(description)?.damping as number);
  expect(Math.abs(damping[0] / damping[1] - 1)).toBeLessThan(1e-12);
  expect([...one.warnings, ...two.warnings].filter(({ message }) => message.includes("dampratio"))).toEqual([]);
  expect(() => importMjcf(text, { dampratio: "both" as "alone" })).toThrow(
    /dampratio is "both"; have: "coupled", "alone"/,
  );
});
