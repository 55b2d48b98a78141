import { describe, expect, test } from "vitest";
import { compile, prismatic, sphere } from "../../mechanism/index.ts";
import { importMjcf } from "./importMjcf.ts";
import { controlsOf, inputsOf, minimalFromMujoco, mujocoState } from "./stateMap.ts";
import { toMjcf } from "./toMjcf.ts";

const ball = '<geom name="ball" size="0.1"/>';
const file = (content: string, rest = "", head = ""): string =>
  `<mujoco model="m">${head}<worldbody>${content}</worldbody>${rest}</mujoco>`;
const floor = '<geom name="floor" type="plane" size="1 1 1"/>';
const free = (geoms: string): string => `<body name="b" pos="0 0 2"><freejoint name="root"/>${geoms}</body>`;
const hinged = (name: string, attributes = ""): string =>
  `<body name="${name}_body"><joint name="${name}" axis="0 1 0" ${attributes}/>${ball.replace("ball", `${name}_ball`)}</body>`;
const codes = ({ warnings }: ReturnType<typeof importMjcf>, code: string): string[] =>
  warnings.filter((warning) => warning.code === code).map(({ message }) => message);

describe("contacts of a file", () => {
  test("are spheres, ends, corners and rims against its planes", () => {
    const shapes = [
      '<geom name="s" size="0.1" pos="1 0 0"/>',
      '<geom name="c" type="capsule" size="0.1 0.2" pos="0 1 0"/>',
      '<geom name="x" type="box" size="0.1 0.2 0.3"/>',
      '<geom name="y" type="cylinder" size="0.1 0.2"/>',
      '<geom name="e" type="ellipsoid" size="0.1 0.2 0.3"/>',
      '<geom name="ghost" size="1" contype="0" conaffinity="0" mass="0"/>',
    ];
    const imported = importMjcf(file(floor + free(shapes.join(""))));
    const contacts = imported.description.contacts ?? [];
    const count = (letter: string): number =>
      contacts.filter(({ name }) => name === letter || name?.startsWith(`${letter}_`)).length;
    expect(["s", "c", "x", "y", "e", "ghost"].map(count)).toEqual([1, 2, 8, 16, 8, 0]);
    expect(contacts[0].radius).toBe(0.1);
    expect(contacts.every(({ halfSpace }) => halfSpace === undefined)).toBe(true);
    expect(codes(imported, "adjusted")).toHaveLength(2);
  });

  test("take the larger friction, or that of the higher priority, and none of dimension 1", () => {
    const friction = (plane: string, geom: string): number | undefined => {
      const planeGeom = `<geom type="plane" size="1 1 1" ${plane}/>`;
      const [contact] = importMjcf(file(planeGeom + free(`<geom size="0.1" ${geom}/>`))).description.contacts ?? [];
      return contact.model === "impact" ? 0 : contact.frictionCoefficient;
    };
    expect(friction('friction="0.3"', 'friction="0.7 0.1 0.1"')).toBe(0.7);
    expect(friction('friction="0.3" priority="1"', 'friction="0.7"')).toBe(0.3);
    expect(friction("", "")).toBe(1);
    expect(friction('condim="1"', 'condim="1"')).toBe(0);
    expect(friction('condim="1"', 'condim="3" friction="0.2"')).toBe(1);
    expect(friction('friction="0"', 'friction="0"')).toBe(0);
  });

  test("go by masks, exclusions and pairs", () => {
    const count = (plane: string, geom: string, rest = ""): number => {
      const text = file(
        `<geom name="p" type="plane" size="1 1 1" ${plane}/>${free(`<geom name="g" size="0.1" ${geom}/>`)}`,
        rest,
      );
      return importMjcf(text).description.contacts?.length ?? 0;
    };
    expect(count('contype="2" conaffinity="0"', 'contype="0" conaffinity="2"')).toBe(1);
    expect(count('contype="2" conaffinity="2"', "")).toBe(0);
    expect(count("", "", '<contact><exclude body1="world" body2="b"/></contact>')).toBe(0);
    const pair = '<contact><pair geom1="p" geom2="g" friction="0.4 0.4" condim="3"/></contact>';
    expect(count('contype="0" conaffinity="0"', "", pair)).toBe(1);
    expect(count("", "", '<option><flag contact="enable"/></option>')).toBe(1);
  });

  test("are with planes wherever they are", () => {
    const plane = '<geom type="plane" size="1 1 1" pos="0 0 2" euler="90 0 0"/>';
    const [contact] = importMjcf(file(plane + free(ball))).description.contacts ?? [];
    expect(contact.halfSpace?.normal[1]).toBeCloseTo(-1, 12);
    expect(contact.halfSpace?.offset).toBeCloseTo(0, 12);
  });

  test("need a floor, which an option adds, and a filter thins out", () => {
    const text = file(free(`${ball}<geom name="other" size="0.2"/>`));
    const without = importMjcf(text);
    expect(without.description.contacts).toBeUndefined();
    expect(codes(without, "assumed")[0]).toMatch(/floor: true/);
    expect(importMjcf(text, { floor: true }).description.contacts).toHaveLength(2);
    const contactGeoms = ({ name }: { name: string | undefined }): boolean => name === "ball";
    expect(importMjcf(text, { floor: true, contactGeoms }).description.contacts).toHaveLength(1);
    expect(importMjcf(text, { floor: true, contacts: "none" }).description.contacts).toBeUndefined();
  });
});

describe("inputs of a file", () => {
  const input = (actuator: string, joint = ""): ReturnType<typeof importMjcf> =>
    importMjcf(file(hinged("j", joint), `<actuator>${actuator}</actuator>`));

  test("say how they come from controls", () => {
    expect(input('<motor name="m" joint="j" gear="40" ctrlrange="-1 1"/>').inputs).toEqual([
      { name: "m", ctrl: 0, scale: 40, offset: 0, ctrlRange: [-1, 1] },
    ]);
    const { inputs, map } = input('<position joint="j" kp="5" gear="2"/>');
    expect(inputs[0].scale).toBe(0.5);
    expect(Array.from(inputsOf(map, [3]))).toEqual([1.5]);
    expect(Array.from(controlsOf(map, [1.5]))).toEqual([3]);
  });

  test.each([
    ['<motor joint="j" gear="40" ctrlrange="-1 1"/>', "", 40],
    ['<motor joint="j" gear="40" ctrlrange="-1 1" forcerange="-0.5 0.5"/>', "", 20],
    ['<motor joint="j" gear="40"/>', 'actuatorfrcrange="-7 7"', 7],
    ['<position joint="j" kp="5" gear="2" forcerange="-3 3" ctrlrange="-1 1"/>', "", 6],
    ['<motor joint="j"/>', "", undefined],
    ['<motor joint="j" ctrlrange="-1 1" ctrllimited="false"/>', "", undefined],
  ])("%s %s has an effort limit of %s", (actuator, joint, limit) => {
    expect(input(actuator, joint).description.joints?.j.effortLimit).toBe(limit);
  });

  test.each([
    ['<motor joint="j" ctrlrange="0 2"/>', "", 1, 1],
    ['<motor joint="j" gear="-3" ctrlrange="-1 2"/>', "", 4.5, -1.5],
    ['<motor joint="j" ctrlrange="-1 2" forcerange="-4 1.5"/>', 'actuatorfrcrange="-0.5 9"', 1, 0.5],
    ['<position joint="j" kp="5" gear="2" forcerange="-1 3" ctrlrange="-1 1"/>', "", 4, 2],
  ])("%s %s has efforts within %s of %s, and goes back out", (actuator, joint, effortLimit, effortCenter) => {
    const { description, warnings } = input(actuator, joint);
    expect(description.joints?.j).toMatchObject({ effortLimit, effortCenter });
    expect(warnings.filter(({ code }) => code === "adjusted")).toEqual([]);
    const again = importMjcf(toMjcf(description).xml).description;
    expect(again.joints?.j).toMatchObject({ effortLimit, effortCenter });
    expect(() => input('<motor joint="j" ctrlrange="0 1" forcerange="2 3"/>')).toThrow(/leave no value/);
  });

  test("of a tendon act on the joint that equalities tie the others to", () => {
    const rest = `<tendon><fixed name="t"><joint joint="a" coef="0.5"/><joint joint="b" coef="0.5"/></fixed></tendon>
      <equality><joint joint1="a" joint2="b"/></equality>
      <actuator><general tendon="t" gainprm="0.2" biastype="affine" biasprm="0 -100 -10" forcerange="-9 9"/></actuator>`;
    const imported = importMjcf(file(hinged("a") + hinged("b"), rest));
    expect(imported.description.joints?.a).toMatchObject({ servo: { stiffness: 100, damping: 10 }, effortLimit: 9 });
    expect(imported.inputs[0].scale).toBeCloseTo(0.002, 15);
    const untied = importMjcf(file(hinged("a") + hinged("b"), rest.replace(/<equality>.*<\/equality>/, "")));
    expect(untied.inputs.map(({ ctrl, scale }) => [ctrl, scale])).toEqual([
      [0, 0.1],
      [0, 0.1],
    ]);
    const { actuator0 } = untied.description.gears ?? {};
    expect(actuator0.stiffness).toBe(100);
    expect(untied.description.joints?.b.actuated).toBe(true);
  });

  test("are one a coordinate", () => {
    const imported = input('<motor joint="j" name="first"/><velocity joint="j"/>');
    expect(imported.inputs).toHaveLength(1);
    expect(imported.inputs[0]).toMatchObject({ name: "first", others: [{ name: "actuator1", ctrl: 1, scale: 1 }] });
    expect(codes(imported, "not-expressible")).toEqual([]);
  });
});

describe("what else a file has", () => {
  test("an exported file starts as its description does, which it does not draw", () => {
    const start = { slide: { position: [0.5], velocity: [2] } };
    const { xml } = toMjcf({
      timestep: 0.01,
      bodies: { bead: sphere({ radius: 0.1, mass: 1 }) },
      joints: { slide: prismatic({ parent: "world", child: "bead", axis: [1, 0, 0] }) },
      states: { thrown: start, rest: {} },
    });
    const { states = {} } = importMjcf(xml).description;
    expect(Object.keys(states)).toEqual(["initial", "thrown", "rest"]);
    expect(states.initial).toEqual(states.thrown);
    expect(states.initial).toEqual(start);
  });

  test("keyframes become states, with their inputs", () => {
    const text = file(
      floor + free(ball) + hinged("j", 'ref="90"'),
      `<actuator><motor joint="j" gear="2"/></actuator>
       <keyframe><key name="k" qpos="1 2 3 0 0 0 2 0.5" qvel="1 2 3 4 5 6 7" ctrl="4"/><key qpos="0 0 0 1 0 0 0 0"/></keyframe>`,
    );
    const { description, map } = importMjcf(text);
    expect(Object.keys(description.states ?? {})).toEqual(["initial", "k", "key1"]);
    expect(description.states?.initial).toEqual({
      root: { position: [0, 0, 2, 0, 0, 0] },
      j: { position: [Math.PI / 2] },
    });
    const { root, j } = description.states?.k ?? {};
    expect(root.velocity).toEqual([1, 2, 3, 4, 5, 6]);
    expect(root.position?.[5]).toBeCloseTo(Math.PI, 12);
    expect(j).toEqual({ position: [0.5], velocity: [7] });
    expect(description.stateInputs).toEqual({ k: { "j.angle": 8 } });
    const state = { qpos: [1, 2, 3, 0.6, 0, 0.8, 0, 0.5], qvel: [1, 2, 3, 4, 5, 6, 7] };
    const back = mujocoState(map, minimalFromMujoco(map, state));
    Array.from(back.qpos).forEach((value, i) => {
      expect(value).toBeCloseTo(state.qpos[i], 12);
    });
    Array.from(back.qvel).forEach((value, i) => {
      expect(value).toBeCloseTo(state.qvel[i], 12);
    });
  });

  test("limits, friction and forces of joints", () => {
    const joint = 'range="-90 45" stiffness="2" springref="9" damping="3" armature="4" frictionloss="5"';
    const { joints } = importMjcf(file(hinged("j", joint))).description;
    expect(joints?.j).toMatchObject({ stiffness: 2, damping: 3, armature: 4, friction: 5 });
    expect(joints?.j.limits).toEqual([-Math.PI / 2, Math.PI / 4]);
    expect(joints?.j.rest).toBeCloseTo(Math.PI / 20, 15);
    const limits = (attributes: string, head = ""): unknown =>
      importMjcf(file(hinged("j", attributes), "", head)).description.joints?.j.limits;
    expect(limits('range="-90 45" limited="false"')).toBeUndefined();
    expect(() => limits('range="-90 45"', '<compiler autolimits="false"/>')).toThrow(/autolimits/);
  });

  test("a ball's range is a tilt limit", () => {
    const text = file(`<body name="b"><joint name="j" type="ball" range="0 60"/>${ball}</body>`);
    expect(importMjcf(text).description.joints?.j.tiltLimit).toBeCloseTo(Math.PI / 3, 14);
  });

  test("colours, of geoms and of materials", () => {
    const geoms = `${ball.replace("/>", ' rgba="1 0 0 1"/>')}<geom size="0.1" material="glass"/><geom size="0.1" rgba="1 1 1 0"/>`;
    const head = '<asset><material name="glass" rgba="0 0.5 1 0.5"/></asset>';
    const { shapes } = importMjcf(file(free(geoms), "", head)).description.bodies.b;
    expect(shapes?.map(({ color }) => color)).toEqual(["#ff0000", "#0080ff80"]);
  });

  test("names lead to bodies, joints and sites", () => {
    const welded = `<body name="tool" pos="0 0 1" euler="0 0 90"><geom size="0.1"/><site name="tip" pos="1 0 0"/></body>`;
    const { names, description } = importMjcf(file(`<body name="b"><joint name="j"/>${ball}${welded}</body>`));
    expect(Object.keys(description.bodies)).toEqual(["b"]);
    expect(names.joints).toEqual({ j: { joint: "j", axis: 0, sign: 1 } });
    expect(names.bodies.tool.body).toBe("b");
    expect(names.sites.tip.position.map((value) => Number(value.toFixed(9)))).toEqual([0, 1, 0.5]);
  });

  test("includes are read when there is a way to", () => {
    const readFile = (name: string): string => `<mujocoinclude>${name === "b.xml" ? free(ball) : ""}</mujocoinclude>`;
    const text = '<mujoco><worldbody><include file="b.xml"/></worldbody></mujoco>';
    expect(Object.keys(importMjcf(text, { readFile }).description.bodies)).toEqual(["b"]);
  });

  test("meshes have mass and contacts when they can be read, and warnings when not", () => {
    const text = file(
      free('<geom type="mesh" mesh="part"/>'),
      "",
      '<asset><mesh file="dir/part.obj" scale="2 2 2"/></asset>',
    );
    expect(() => importMjcf(text)).toThrow(/readMesh/);
    expect(() => importMjcf(text, { readMesh: () => undefined })).toThrow(/"dir\/part.obj" there, which was not found/);
    const flat = { positions: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0], triangles: [0, 1, 2, 0, 2, 3] };
    expect(() => importMjcf(text, { readMesh: () => flat })).toThrow(/no volume: write inertia="shell"/);
    const positions = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1];
    const imported = importMjcf(text, { readMesh: () => ({ positions }), floor: true });
    expect(imported.description.bodies.b.mass).toBeCloseTo(8000 / 6, 9);
    expect(imported.description.contacts).toHaveLength(4);
    expect(codes(imported, "adjusted")[0]).toMatch(/touches with up to 14 of its vertices/);
  });

  test("a tendon's range, spring and damper become gears, and go back", () => {
    const body = '<body pos="1 0 0"><joint name="b" axis="0 1 0"/><geom size=".1"/></body>';
    const two = `<worldbody><body><joint name="a" axis="0 1 0"/><geom size=".1" pos=".1 0 0"/>${body}</body></worldbody>`;
    const terms = '<joint joint="a" coef=".5"/><joint joint="b" coef="-2"/><joint joint="a" coef=".25"/>';
    const tendon = (attributes: string): string =>
      `<mujoco>${two}<tendon><fixed name="t" ${attributes}>${terms}</fixed></tendon></mujoco>`;
    const ratios = [
      { joint: "a", ratio: 0.75 },
      { joint: "b", ratio: -2 },
    ];
    const gearsOf = (text: string) => importMjcf(text).description.gears;
    expect(gearsOf(tendon('range="-.3 2"'))).toEqual({ t: { terms: ratios, range: [-0.3, 2] } });
    expect(gearsOf(tendon('range="-.3 2" limited="false"'))).toBeUndefined();
    expect(gearsOf(tendon('range="-1e10 2"'))).toEqual({ t: { terms: ratios, range: [null, 2] } });
    expect(gearsOf(tendon('range="0 1" stiffness="3" damping="2" springlength=".5"'))).toEqual({
      t: { terms: ratios, range: [0, 1] },
      t_spring: { terms: ratios, stiffness: 3, rest: 0.5, damping: 2 },
    });
    expect(gearsOf(tendon('damping="2"'))).toEqual({ t: { terms: ratios, damping: 2 } });
    for (const attributes of ['range="-1e10 2"', 'range="0 1" stiffness="3" damping="2" springlength=".5"']) {
      const { description } = importMjcf(tendon(attributes));
      const back = importMjcf(toMjcf(description).xml).description;
      expect(compile({ ...back, states: {} }).gears).toEqual(compile({ ...description, states: {} }).gears);
    }
    expect(gearsOf(tendon('range="2 1"'))).toBeUndefined();
    const [slack] = importMjcf(tendon('stiffness="1" springlength="0 1"')).warnings.filter(
      ({ code }) => code === "adjusted",
    );
    expect(slack.message).toMatch(/rests in the middle/);
  });

  test("nothing is left out in silence", () => {
    const text = `<mujoco><size njmax="9"/><sensor><gyro site="s"/></sensor><option integrator="RK4" cone="elliptic"/>
      <worldbody><light/><camera/><geom type="hfield" hfield="h"/><geom type="box" size="1 1 1"/>
      <body name="b" gravcomp="1"><freejoint/>${ball}<composite type="grid"/><wheel/><site name="s"/></body>
      ${hinged("a", 'solreflimit="1 1" colour="red"')}${hinged("c")}</worldbody>
      <tendon><spatial/><fixed name="t" frictionloss="3"><joint joint="a" coef="1"/></fixed></tendon>
      <equality><flex/><joint joint1="a" joint2="c" polycoef="0 1 2"/><weld body1="b" body2="a_body" active="false"/></equality>
      <actuator><muscle joint="a"/><adhesion body="b"/><cylinder joint="c"/><motor site="s" refsite="s"/></actuator>
      <deformable/><surprise/></mujoco>`;
    const all = importMjcf(text)
      .warnings.map(({ message }) => message)
      .join("\n");
    for (const word of [
      ...["<size>", "<sensor>", "integrator", "cone", "<light>", "<camera>", "<composite>", "<wheel>"],
      ...["solreflimit", "colour", "<spatial>", "frictionloss of a tendon", "<flex>", "polycoef", "not active"],
      ...["<muscle", "<adhesion>", "<cylinder", "refsite", "<deformable>", "<surprise>", "between bodies"],
    ]) {
      expect(all).toContain(word);
    }
    for (const { line, message } of importMjcf(text).warnings)
      expect(message).toMatch(new RegExp(`^model.xml:${line}: `));
  });
});

describe("a description", () => {
  test("with loops, gears, servos, thrusters and contacts goes out and comes back", () => {
    const text = file(
      `${floor}${free(`${ball}<site name="s" pos="0.1 0 0"/>`)}${hinged("a", 'range="-90 90"')}${hinged("c")}${hinged("d")}`,
      `<actuator><motor joint="a" ctrlrange="-3 3"/><position joint="c" kp="4" kv="1"/><motor site="s" gear="0 0 1 0 0 0" ctrlrange="0 2"/></actuator>
       <equality><joint joint1="a" joint2="c" polycoef="0.2 3"/><connect body1="c_body" body2="d_body" anchor="0 0 0.2"/></equality>
       <keyframe><key name="k" qpos="1 2 3 1 0 0 0 0.1 0.2 0.3" ctrl="1 2 3"/></keyframe>`,
      '<option density="2" viscosity="0.1" wind="1 0 0" timestep="0.004"/>',
    );
    const first = importMjcf(text);
    const exported = toMjcf(first.description);
    const second = importMjcf(exported.xml);
    const strip = ({
      joints,
      contacts,
      gears,
      thrusters,
      fluid,
      states,
      timestep,
      gravity,
      bodies,
    }: typeof first.description) => ({
      ...{ joints, contacts, gears, thrusters, fluid, states, timestep, gravity },
      bodies: Object.fromEntries(Object.entries(bodies).map(([name, { mass, inertia }]) => [name, { mass, inertia }])),
    });
    const [one, two] = [first, second].map(({ description }) => compile(strip(description)));
    expect(two.inputNames).toEqual(one.inputNames);
    expect(two.coordinateNames).toEqual(one.coordinateNames);
    expect(two.fluid).toEqual(one.fluid);
    expect(two.gears).toEqual(one.gears);
    expect(two.joints.map(({ coordinates }) => coordinates)).toEqual(one.joints.map(({ coordinates }) => coordinates));
    expect(two.contacts.map(({ radius, frictionCoefficient }) => [radius, frictionCoefficient])).toEqual(
      one.contacts.map(({ radius, frictionCoefficient }) => [radius, frictionCoefficient]),
    );
    expect(two.thrusters[0]).toMatchObject({ lower: 0, upper: 2, force: [0, 0, 1] });
    expect(exported.map.ctrlOfInput).toEqual([0, 1, 2]);
    expect(exported.warnings).toEqual([]);
  });
});
