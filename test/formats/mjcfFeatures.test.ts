/** Small files, one a feature, that must move in MuJoCo as they do here. */
import loadMujoco from "@mujoco/mujoco";
import { beforeAll, describe, expect, test } from "vitest";
import { importMjcf } from "../../src/formats/index.ts";
import { accelerationError, geometryError, type Mujoco } from "./mjcfOracle.ts";
import { brick, expectSameAs, file, hinged, POSE_TOLERANCE } from "./mjcfSmallFiles.ts";

let mujoco: Mujoco;
beforeAll(async () => {
  mujoco = await loadMujoco();
});

function shell(type: string, mass: string): string {
  return `<body><freejoint/><geom type="${type}" size=".1 .23 .17" pos=".1 0 0" shellinertia="true" ${mass}/></body>`;
}

const cases: readonly (readonly [string, string])[] = [
  [
    "a tendon's spring, at rest where the joints' springs are",
    file(
      hinged(
        '<joint name="a" axis="0 1 0" ref="20" springref="30"/>',
        `<body pos="0 0 .3"><joint name="b" type="slide" axis="1 0 0" springref=".1"/>${brick}</body>`,
      ),
      '<tendon><fixed stiffness="20" damping="3"><joint joint="a" coef="2"/><joint joint="b" coef="-.5"/></fixed></tendon>',
    ),
  ],
  [
    "a tendon's spring with a length of its own",
    file(
      hinged(
        '<joint name="a" axis="0 1 0"/>',
        `<body pos="0 0 .3"><joint name="b" type="slide" axis="1 0 0"/>${brick}</body>`,
      ),
      '<default><tendon stiffness="7"/></default><tendon><fixed springlength=".4"><joint joint="a" coef="2"/><joint joint="b" coef="-.5"/></fixed></tendon>',
    ),
  ],
  [
    "inner bodies before the joints of the outer one, and in frames",
    file(
      `<body><frame pos="0 0 .1"><body pos="0 0 .3"><joint type="slide" axis="1 0 0" armature=".2"/>${brick}</body></frame>` +
        `${brick}<body pos=".2 0 0"><joint type="ball"/>${brick}</body><joint axis="0 1 0" damping=".4"/></body>`,
    ),
  ],
  [
    "a class without what a later section adds to its parent",
    file(
      '<body childclass="c" euler="0 90 0"><joint/><geom pos=".1 .2 0"/><geom class="d" pos="0 1 0"/></body>',
      '<default><geom size=".3"/><default class="c"><geom size=".1"/></default></default><default><joint axis="1 0 0"/><default class="d"><geom size=".2"/></default></default>',
    ),
  ],
  [
    "a quat beside turns that defaults give otherwise",
    file(
      '<body childclass="c"><joint axis="0 1 0"/><geom pos=".1 0 0"/><geom quat="1 0 0 1"/><geom zaxis="1 1 1"/></body>',
      '<default><geom type="box" size=".1 .2 .3" euler="10 20 30"/><default class="c"><geom quat="1 1 0 0"/></default></default>',
    ),
  ],
  ["a shell with a mass", file(shell("box", 'mass="2"'))],
  ...["sphere", "capsule", "cylinder", "box"].map((type): readonly [string, string] => [
    `a shell with a density, as a ${type}`,
    file(shell(type, 'density="3"')),
  ]),
  ["degrees by default", file(hinged('<joint axis="0 1 0" range="-90 45" ref="30" springref="10" stiffness="5"/>'))],
  ["radians", file(hinged('<joint axis="0 1 0" range="-1 1" ref="0.3"/>'), "", '<compiler angle="radian"/>')],
  [
    "a slide with ref",
    file(hinged('<joint type="slide" axis="1 2 3" pos="1 2 3" ref="0.4" springref="0.2" stiffness="9"/>')),
  ],
  [
    "a ball in a turned body",
    file(`<body euler="30 40 50">${'<joint type="ball" pos="0.1 0 0" damping="0.1"/>'}${brick}</body>`),
  ],
  ["a ball's spring", file(`<body euler="30 40 50"><joint type="ball" stiffness="3" armature="0.1"/>${brick}</body>`)],
  ["a free body off its centre", file(`<body euler="30 40 50" pos="1 2 3"><freejoint/>${brick}</body>`)],
  ["a free joint with damping", file(`<body><joint type="free" damping="0.3" armature="0.2"/>${brick}</body>`)],
  ["two perpendicular hinges", file(hinged('<joint axis="1 0 0"/><joint axis="0 1 0"/>'))],
  ["two skew hinges with refs", file(hinged('<joint axis="1 0 0" ref="20"/><joint axis="1 1 0" ref="-35"/>'))],
  [
    "two hinges apart",
    file(hinged('<joint axis="1 0 0" pos="0 0 .1" armature=".1"/><joint axis="1 1 0.2" pos=".1 .2 0"/>')),
  ],
  [
    "two hinges apart, with refs",
    file(hinged('<joint axis="1 0 0" pos="0 0 .1" ref="25"/><joint axis="1 1 0" ref="9"/>')),
  ],
  [
    "three hinges with refs",
    file(hinged('<joint axis="1 0 0" ref="9"/><joint axis="0 1 0"/><joint axis="0 0 1" ref="7"/>')),
  ],
  ["three hinges, left-handed", file(hinged('<joint axis="0 1 0"/><joint axis="1 0 0"/><joint axis="0 0 1"/>'))],
  [
    "a planar root in another order and sign",
    file(
      hinged(
        '<joint type="slide" axis="1 0 0" damping="1"/><joint type="slide" axis="0 0 -1" ref="-1.2" stiffness="2" springref="0.3"/><joint axis="0 -1 0" pos="0.1 0 0.2" ref="10"/>',
      ),
    ),
  ],
  [
    "a swimmer's root",
    file(
      hinged('<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint axis="0 0 1"/>'),
      "",
      '<option gravity="1 2 -9"/>',
    ),
  ],
  [
    "a cylinder joint, hinge first",
    file(hinged('<joint axis="0 1 1"/><joint type="slide" axis="0 -1 -1" ref="0.2"/>')),
  ],
  [
    "three slides and a hinge",
    file(
      hinged(
        '<joint type="slide" axis="0 1 0"/><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="0 0 1"/>',
      ),
    ),
  ],
  [
    "a gantry",
    file(
      hinged('<joint type="slide" axis="0 0 1"/><joint type="slide" axis="-1 0 0"/><joint type="slide" axis="0 1 0"/>'),
    ),
  ],
  [
    "two slides and a ball",
    file(
      hinged('<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="ball" pos="0 0 .2"/>'),
    ),
  ],
  ["Euler sequences", file(`<body euler="10 20 30"><joint/>${brick}</body>`, "", '<compiler eulerseq="zYx"/>')],
  ["axis and angle", file(`<body axisangle="1 2 3 40"><joint axis="0 1 0"/>${brick}</body>`)],
  ["two axes", file(`<body xyaxes="0 1 0.1 -1 0 0"><joint axis="0 1 0"/>${brick}</body>`)],
  [
    "z axis, upside down",
    file(
      `<body zaxis="0 0 -1"><joint axis="0 1 0"/>${brick}<body zaxis="1 2 3"><joint axis="0 1 0"/>${brick}</body></body>`,
    ),
  ],
  [
    "frames",
    file(
      `<frame pos="1 0 0" euler="0 0 30"><body pos="0 1 0"><frame euler="20 0 0" pos="0 0 .1"><joint axis="0 1 0" pos="0.1 0 0"/>${brick}</frame></body></frame>`,
    ),
  ],
  [
    "welded bodies",
    file(
      hinged(
        '<joint axis="0 1 0"/>',
        `<body pos="0 0 0.5" euler="0 30 0">${brick}<body pos=".2 0 0"><geom size=".1"/></body></body>`,
      ),
    ),
  ],
  [
    "an inertial",
    file(
      '<body><joint axis="1 1 0"/><inertial pos="0.1 0.2 0.3" mass="2" diaginertia="0.1 0.12 0.15" euler="10 20 30"/></body>',
    ),
  ],
  [
    "a full inertia",
    file(
      '<body><joint axis="1 1 0"/><inertial pos="0.1 0.2 0.3" mass="2" fullinertia="0.1 0.12 0.15 0.01 -0.02 0.003"/></body>',
    ),
  ],
  [
    "every geom",
    file(
      hinged(
        '<joint axis="0 1 0"/>',
        '<geom type="capsule" fromto="0 0 0 .3 .2 .1" size=".05"/><geom type="cylinder" size=".1 .2" mass="3"/><geom type="ellipsoid" size=".1 .2 .3" density="500"/><geom type="box" fromto="0 0 0 0 .2 .1" size=".05"/><geom type="ellipsoid" fromto="0 0 0 0 .2 .1" size=".04"/>',
      ),
    ),
  ],
  [
    "default classes",
    file(
      `<body childclass="a"><joint/>${brick}<geom type="capsule" size="0.07"/><geom class="b" type="capsule"/><body pos="0 0 1"><joint class="b"/><geom size="0.1 0.3" type="cylinder" class="main"/></body></body>`,
      "",
      '<default><joint armature="0.3"/><default class="a"><joint axis="0 1 0" damping="2"/><geom size="0.05 0.2" density="700"/><default class="b"><joint damping="3"/><geom size="0.03"/></default></default></default>',
    ),
  ],
  ["a total mass", file(hinged('<joint axis="0 1 0"/>'), "", '<compiler settotalmass="7"/>')],
  [
    "least masses and inertias",
    file(hinged('<joint axis="0 1 0"/>'), "", '<compiler boundmass="60" boundinertia="2"/>'),
  ],
  [
    "inertia from geoms",
    file(
      hinged('<joint axis="0 1 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'),
      "",
      '<compiler inertiafromgeom="true"/>',
    ),
  ],
  [
    "groups that count",
    file(hinged('<joint axis="0 1 0"/>', '<geom size="1" group="4"/>'), "", '<compiler inertiagrouprange="0 3"/>'),
  ],
  ["no gravity", file(hinged('<joint axis="0 1 0" damping="50"/>'), "", '<option><flag gravity="disable"/></option>')],
  ["sideways gravity", file(hinged('<joint axis="0 1 0"/>'), "", '<option gravity="1 2 -3"/>')],
  ["a medium", file(`<body><freejoint/>${brick}</body>`, "", '<option density="1000" viscosity="5" wind="1 -2 0.5"/>')],
  [
    "a motor with a gear",
    file(
      hinged('<joint name="j" axis="0 1 0"/>'),
      '<actuator><motor joint="j" gear="-30" ctrlrange="-1 1"/></actuator>',
    ),
  ],
  [
    "a servo with a gear",
    file(
      hinged('<joint name="j" axis="0 1 0"/>'),
      '<actuator><position joint="j" gear="-3" kp="20" kv="2"/></actuator>',
    ),
  ],
  [
    "a servo with a damping ratio",
    file(
      hinged('<joint name="j" axis="0 1 0" armature="2"/>'),
      '<actuator><position joint="j" gear="3" kp="20" dampratio="0.7"/></actuator>',
    ),
  ],
  [
    "a velocity servo",
    file(hinged('<joint name="j" axis="0 1 0"/>'), '<actuator><velocity joint="j" gear="2" kv="3"/></actuator>'),
  ],
  [
    "a general actuator with an offset",
    file(
      hinged('<joint name="j" axis="0 1 0"/>'),
      '<actuator><general joint="j" gear="2" gainprm="3" biastype="affine" biasprm="0.4 -5 -0.6"/></actuator>',
    ),
  ],
  [
    "a motor with a constant",
    file(
      hinged('<joint name="j" axis="0 1 0"/>'),
      '<actuator><general joint="j" gear="2" gainprm="3" biastype="affine" biasprm="0.4"/></actuator>',
    ),
  ],
  [
    "a servo on a slide whose sign turns",
    file(
      hinged('<joint type="slide" axis="1 0 0"/><joint name="j" type="slide" axis="0 0 -1"/><joint axis="0 1 0"/>'),
      '<actuator><position joint="j" gear="3" kp="20" kv="2"/></actuator>',
    ),
  ],
  [
    "motors of a free joint",
    file(
      `<body euler="10 20 30"><joint type="free" name="j"/>${brick}</body>`,
      '<actuator><motor joint="j" gear="0 2 0 0 0 0"/><motor joint="j" gear="0 0 0 0 0 3"/></actuator>',
    ),
  ],
  [
    "a motor of a ball",
    file(`<body><joint type="ball" name="j"/>${brick}</body>`, '<actuator><motor joint="j" gear="0 2 0"/></actuator>'),
  ],
  [
    "a thruster off a welded body",
    file(
      `<body euler="10 20 30"><freejoint/>${brick}<body pos="1 0 0" euler="5 6 7"><geom size=".1"/><site name="s" pos=".1 .2 .3" euler="30 20 10"/></body></body>`,
      '<actuator><motor site="s" gear="1 2 3 0.4 0.5 0.6" ctrlrange="-2 5"/><general site="s" gainprm="3" gear="0 0 0 1 0 0"/></actuator>',
    ),
  ],
  [
    "actuator defaults of another tag",
    file(
      hinged('<joint name="j" axis="0 1 0"/>'),
      '<actuator><position joint="j" class="a"/></actuator>',
      '<default><general gear="2"/><default class="a"><position kp="7" kv="1"/></default></default>',
    ),
  ],
  [
    "copies of a body, which stand on a circle, and what names them",
    file(
      `<replicate count="5" offset=".3 .1 0" euler="10 20 120" sep="-">${hinged(
        '<joint name="a" axis="0 1 0" damping=".3"/>',
        `<body pos="0 0 .3"><joint name="b" type="slide" axis="1 0 0"/>${brick}</body>`,
      )}</replicate>${hinged('<joint name="own" axis="1 0 0"/>')}`,
      `<tendon><fixed name="t" stiffness="20"><joint joint="a" coef="2"/><joint joint="b" coef="-.5"/></fixed></tendon>
      <actuator><motor joint="a" gear="3"/><motor joint="own"/><position joint="b" kp="9"/></actuator>`,
    ),
  ],
  [
    "copies of copies in a body, beside frames",
    file(
      hinged(
        '<joint axis="0 1 0"/>',
        `<frame pos=".1 0 0" euler="0 0 30"><replicate count="2" offset="0 .4 0"><replicate count="11" euler="0 9 0" offset=".1 0 0">
        <geom size=".03" pos="0 0 .2"/></replicate><body name="c"><joint name="c" axis="0 0 1"/>${brick}</body></replicate></frame>`,
      ),
      '<actuator><motor name="m" joint="c"/></actuator>',
      '<compiler eulerseq="zyx"/>',
    ),
  ],
];

describe("a file with", () => {
  test.each(cases)("%s", (_, text) => {
    expectSameAs(mujoco, text);
  });
});

test("a shell of an ellipsoid is the limit of MuJoCo's layer, which is a micrometre thick", () => {
  const text = file(shell("ellipsoid", 'density="3"'));
  const { names, ...imported } = importMjcf(text);
  const frame = () => names.bodies.body1;
  const { mass, inertia } = geometryError(mujoco, text, { ...imported, frame });
  expect(mass).toBeLessThan(POSE_TOLERANCE);
  expect(inertia).toBeLessThan(1e-6 / 0.1);
});

test("what MuJoCo aligns, and what drags besides a body, is told", () => {
  const free = (align: string, head = ""): string => file(`<body><freejoint${align}/>${brick}</body>`, "", head);
  const said = (text: string): string =>
    importMjcf(text)
      .warnings.filter(({ code }) => code === "adjusted")
      .map(({ message }) => message)
      .join("\n");
  const compiler = '<compiler alignfree="true"/>';
  for (const text of [free(' align="true"'), free("", compiler)])
    expect(said(text)).toMatch(/<freejoint>: align: the body/);
  for (const text of [free(""), free(' align="false"', compiler)]) expect(said(text)).not.toMatch(/align/);
  const crane = hinged('<joint axis="0 1 0"/><joint type="slide" axis="1 0 0"/>');
  expect(said(file(crane, "", '<option density="1000"/>'))).toMatch(
    /the bodies between its joints have a thousandth of its mass/,
  );
  expect(said(file(crane))).not.toMatch(/drag/);
});

test("in a fluid a body on several joints drags as MuJoCo's does, up to what the bodies between them take", () => {
  for (const joints of [
    '<joint axis="0 1 0"/><joint type="slide" axis="1 0 0"/>',
    '<joint axis="0 1 0"/><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="1 0 0"/>',
  ]) {
    const text = file(hinged(joints), "", '<option density="1000" viscosity=".01" gravity="0 0 0"/>');
    const { description, map } = importMjcf(text);
    // a thousandth of the mass and of the area
    expect(accelerationError({ mujoco, xml: text, description, map, seed: 1, count: 5 })).toBeLessThan(5e-3);
  }
});

test("a shell of a mesh is asked of its <mesh>", () => {
  const mesh = '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>';
  const text = file('<body><freejoint/><geom type="mesh" mesh="m" shellinertia="true"/></body>', mesh);
  expect(() => importMjcf(text)).toThrow(/shellinertia.*inertia="shell" in its <mesh>/);
});

test("slider-cranks, and balls limited without a range, are warned of and the rest of the file is read", () => {
  const xml = file(
    `<site name="slide"/><body name="a"><joint name="h" axis="0 1 0"/>${brick}<site name="crank" pos=".1 0 0"/></body>` +
      `<body name="b" childclass="tight"><joint name="s" type="ball"/>${brick}</body>`,
    '<actuator><position cranksite="crank" slidersite="slide" cranklength=".1"/><motor joint="h"/></actuator>',
    '<default><default class="tight"><joint limited="true"/></default></default>',
  );
  const { warnings, description, inputs } = importMjcf(xml);
  const told = warnings.map(({ message }) => message).join("\n");
  expect(told).toMatch(/slidersite and cranksite is not simulated/);
  expect(told).toMatch(/limited without a range turns freely/);
  expect(inputs).toHaveLength(1);
  expect(description.joints?.s.tiltLimit).toBeUndefined();
});
