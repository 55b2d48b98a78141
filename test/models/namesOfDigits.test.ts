/** Names that are whole numbers, which objects of JavaScript put first: the order is that of the file all the same. */
import { expect, test } from "vitest";
import {
  compile,
  DescriptionError,
  fromJson,
  importMjcf,
  importUrdf,
  type MechanismDescription,
  maximalState,
  namesOf,
  Simulation,
  sceneOf,
  startState,
  stateInput,
  toJson,
  toMjcf,
  toUrdf,
} from "../../src/index.ts";

const names = ["base", "7", "3", "arm", "10"];

/** The same chain with any names. */
function mjcf(of: readonly string[]): string {
  const motors = of.map((name) => `<motor name="${name}" joint="${name}" ctrlrange="-5 5"/>`).join("");
  const body = (k: number): string =>
    k === of.length
      ? ""
      : `<body name="${of[k]}" pos="0.3 0 0"><joint name="${of[k]}" axis="0 1 ${k}" damping="0.1"/><geom type="box" size="0.1 0.0${k + 1} 0.02"/>${body(k + 1)}</body>`;
  const key = (name: string, at: number) =>
    `<key name="${name}" qpos="${of.map((_, k) => at + 0.1 * k).join(" ")}" ctrl="${of.map((_, k) => k + at).join(" ")}"/>`;
  return `<mujoco><option timestep="0.01"/><worldbody>${body(0)}</worldbody><actuator>${motors}</actuator><keyframe>${key("5", 0.2)}${key("2", 0.4)}</keyframe></mujoco>`;
}

function urdf(of: readonly string[]): string {
  const links = of.map(
    (name, k) =>
      `<link name="${name}"><inertial><mass value="${1 + k}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>`,
  );
  const joints = of
    .slice(1)
    .map(
      (name, k) =>
        `<joint name="${name}" type="continuous"><parent link="${of[k]}"/><child link="${name}"/><origin xyz="0.3 0 0"/><axis xyz="0 1 0"/></joint>`,
    );
  return `<robot name="r">${links.join("")}${joints.join("")}</robot>`;
}

const letters = ["a", "b", "c", "d", "e"];

/** Motion from the first state under its input, and what is named. */
function motion(description: MechanismDescription) {
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism);
  const start = startState(mechanism);
  const first = Object.keys(description.states ?? {}).length > 0 ? "5" : "zero";
  const inputs = stateInput(mechanism, first);
  return { start, inputs, final: simulation.rollout(start, { steps: 5, inputs, check: false }).final };
}

test("a file moves as it does with other names, and its first body, joint, input and state are the first", () => {
  const [digits, plain] = [importMjcf(mjcf(names)).description, importMjcf(mjcf(letters)).description];
  const mechanism = compile(digits);
  expect(mechanism.bodies.map(({ name }) => name)).toEqual(names);
  expect(mechanism.joints.map(({ name }) => name)).toEqual(names);
  expect(mechanism.inputNames).toEqual(names.map((name) => `${name}.angle`));
  expect(motion(digits)).toEqual(motion(plain));
  // what is read back from files, and from texts in which the order is that of the names alone
  for (const again of [fromJson(toJson(digits)), importMjcf(toMjcf(digits).xml).description]) {
    expect(compile(again).bodies.map(({ name }) => name)).toEqual(names);
    expect(compile(again).inputNames).toEqual(mechanism.inputNames);
  }
  expect(motion(fromJson(toJson(digits)))).toEqual(motion(plain));
});

test("the first state is how a file draws its mechanism, and keyframes follow in their order", () => {
  const { description } = importMjcf(mjcf(names));
  const mechanism = compile(description);
  expect(namesOf(description, "states")).toEqual(["initial", "5", "2"]);
  expect(startState(mechanism)).toEqual(maximalState(mechanism, description.states?.initial));
});

test("links of URDF keep their order, there and back", () => {
  const { description } = importUrdf(urdf(names), { base: "fixed", actuated: "all" });
  const plain = importUrdf(urdf(letters), { base: "fixed", actuated: "all" }).description;
  const masses = (of: MechanismDescription) => compile(of).bodies.map(({ mass }) => mass);
  expect(masses(description)).toEqual(masses(plain));
  expect(masses(importUrdf(toUrdf(description).xml, { base: "fixed" }).description)).toEqual(masses(plain));
});

test("pictures show each body where it is", () => {
  const [digits, plain] = [names, letters].map((of) => {
    const { description } = importMjcf(mjcf(of));
    return JSON.stringify(sceneOf(compile(description)));
  });
  expect(digits).toEqual(plain);
});

test("JSON texts, as people and Python write them, keep the order of their names", () => {
  const box = (mass: number) =>
    `{"mass": ${mass}, "inertia": [[1,0,0],[0,1,0],[0,0,1]], "shapes": [{"kind": "box", "name": "\\"7\\": {", "size": [1,1,1]}]}`;
  const joint = (name: string) => `{"kind": "floating", "parent": "world", "child": "${name}"}`;
  const text = `{"format": "dojo-sim", "version": 1, "description": {"timestep": 0.01,
    "states": {"9": {"20": {"position": [0,0,3,0,0,0]}}, "4": {}},
    "bodies": {"20": ${box(1)}, "x": ${box(2)}, "1": ${box(3)}},
    "joints": {"20": ${joint("20")}, "1": ${joint("1")}, "x": ${joint("x")}}}}`;
  const description = fromJson(text);
  const mechanism = compile(description);
  expect(mechanism.bodies.map(({ name, mass }) => [name, mass])).toEqual([
    ["20", 1],
    ["x", 2],
    ["1", 3],
  ]);
  expect(mechanism.joints.map(({ name }) => name)).toEqual(["20", "1", "x"]);
  expect(startState(mechanism)[2]).toBe(3);
});

test("an order is checked, and what it leaves out comes after it", () => {
  const { order, ...description } = importMjcf(mjcf(names)).description;
  expect(order?.bodies).toEqual(names);
  const bodies = (list: readonly string[]) =>
    compile({ ...description, order: { bodies: list } }).bodies.map(({ name }) => name);
  expect(bodies(["arm", "3"])).toEqual(["arm", "3", "7", "10", "base"]);
  expect(() => bodies(["arm", "arm"])).toThrow(DescriptionError);
  expect(() => bodies(["arms"])).toThrow(/order\.bodies\[0\].*did you mean "arm"/);
  expect(importUrdf(urdf(letters)).description.order).toBeUndefined();
});
