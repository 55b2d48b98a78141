/**
 * Implicit gradients against fourth-order central differences of the same step at the same κ: every kind of joint with everything
 * that can act on it, every contact model out of, near and in contact, at κ from smooth to sharp, in maximal and minimal
 * coordinates. The table at the end has the worst error of each class, over max(1, largest entry of the block).
 */
import { afterAll, describe, expect, test } from "vitest";
import { differentiableParameters } from "../../src/gradients/parameters.ts";
import {
  box,
  boxCorners,
  checkGradients,
  compile,
  floating,
  frictionContact,
  type GearDescription,
  impactContact,
  type JointDescription,
  linearContact,
  type Mechanism,
  maximalFromMinimal,
  prismatic,
  Random,
  revolute,
  Simulation,
} from "../../src/index.ts";
import { some } from "../cases.ts";
import { chain, type JointForces, jointCases } from "../physics/jointCases.ts";

/** What the project promises. */
const promised = 1e-6;
const sharpness = [1e-2, 1e-4, 1e-6, 1e-8];
const bothCoordinates = ["maximal", "minimal"] as const;

const table = new Map<string, Map<string, number>>();
function note(row: string, column: string, worst: number): void {
  const entries = table.get(row) ?? new Map<string, number>();
  entries.set(column, Math.max(worst, entries.get(column) ?? 0));
  table.set(row, entries);
}

afterAll(() => {
  const columns = [...new Set([...table.values()].flatMap((entries) => [...entries.keys()]))];
  const lines = [["worst error", ...columns]];
  for (const [row, entries] of table) {
    lines.push([row, ...columns.map((column) => entries.get(column)?.toExponential(0) ?? "")]);
  }
  const widths = lines[0].map((_, k) => Math.max(...lines.map((line) => line[k].length)));
  console.log(lines.map((line) => line.map((cell, k) => cell.padEnd(widths[k])).join("  ")).join("\n"));
});

/** Some of the parameters, other ones every time, and those that the case is about. */
function sample(simulation: Simulation, random: Random, every: number, always: RegExp): string[] {
  const first = Math.floor(random.uniform(0, every));
  return differentiableParameters(simulation.system).filter(
    (name, i) => !/regularization|Frame\.[wxyz]$/.test(name) && (i % every === first || always.test(name)),
  );
}

interface Cell {
  readonly row: string;
  readonly column: string;
  readonly simulation: Simulation;
  readonly state: Float64Array;
  readonly input: Float64Array;
  readonly kappas: readonly number[];
  readonly always: RegExp;
  readonly random: Random;
}

/** Which of the κ is checked in minimal coordinates too: another one in another cell, the same in every run. */
function turnOf(cell: string): number {
  return [...cell].reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) % 1009, 0);
}

/** One of the κ, another in another cell: over all cells each is checked many times. */
function oneOf(cell: string): number[] {
  return [sharpness[turnOf(cell) % sharpness.length]];
}

/** Maximal at every κ, minimal at one. */
function requireExact({ row, column, simulation, state, input, kappas, always, random }: Cell): void {
  const turn = turnOf(`${row}, ${column}`) % kappas.length;
  for (const [k, kappa] of kappas.entries()) {
    for (const coordinates of k === turn ? bothCoordinates : (["maximal"] as const)) {
      const parameters = sample(simulation, random, coordinates === "maximal" ? 7 : 11, always);
      const check = checkGradients(simulation, state, input, {
        kappa,
        coordinates,
        parameters,
        goodEnough: promised / 20,
      });
      note(row, column, check.worst);
      expect(check.worst, `${row}, ${column}, κ = ${kappa}, ${coordinates}: ${check.entry}`).toBeLessThan(promised);
    }
  }
}

/** Positions up to 0.3, rates up to 1. */
function randomMinimal(mechanism: Mechanism, random: Random): Float64Array {
  const c = mechanism.coordinateCount;
  return Float64Array.from({ length: 2 * c }, (_, i) => (i < c ? random.uniform(-0.3, 0.3) : random.uniform(-1, 1)));
}

/** Dampers and servos at the end of the step, and between the two increments, in turns. */
const centeringOf = (number: number): number => (number % 2 === 0 ? 0 : 0.65);

const limits = [-0.25, 0.25] as const;

type Forces = JointForces & Pick<JointDescription, "servo" | "effortLimit" | "effortCenter">;

/** Joint forces by species of kernel, with the variants that parameters make of them. */
interface Species {
  readonly name: string;
  readonly forces: Forces;
  readonly hasCones: boolean;
  readonly variants?: Readonly<Record<string, readonly string[]>>;
  readonly onlyVectors?: boolean;
}

const passive: Forces = { stiffness: 3, rest: 0.1, damping: 0.1, armature: 0.02 };
const unequalServo: Forces = { servo: { stiffness: 5, damping: 0.1 }, effortLimit: 0.3, effortCenter: 0.1 };

/** One joint of every kind of coordinate, slides and orbital joints aside, whose equations are parts of theirs: what acts on it acts alone. */
const alone = ["revolute", "spherical", "serial, three axes"];

/** On the others, whose coordinates are of these kinds, everything that goes together acts at once, which takes a third of the kernels. */
function speciesOf(joint: string, isVector: boolean): readonly Species[] {
  if (joint === "fixed") return species.filter(({ name }) => name === "plain");
  if (alone.includes(joint)) return species.filter(({ onlyVectors }) => isVector || !onlyVectors);
  return [
    { name: "motor, passive, limit", forces: { ...passive, actuated: true, limits }, hasCones: true },
    {
      name: "servo, friction, tilt",
      forces: { ...unequalServo, friction: 0.1, ...(isVector && { tiltLimit: 0.3 }) },
      hasCones: true,
    },
  ];
}

const species: readonly Species[] = [
  { name: "plain", forces: {}, hasCones: false },
  {
    name: "passive",
    forces: passive,
    hasCones: false,
    // what is switched off
    variants: {
      spring: ["damping", "armature"],
      damper: ["stiffness", "armature"],
      armature: ["stiffness", "damping"],
    },
  },
  { name: "actuated", forces: { actuated: true }, hasCones: false },
  { name: "limit", forces: { limits }, hasCones: true },
  { name: "friction", forces: { friction: 0.1 }, hasCones: true },
  { name: "servo", forces: { servo: { stiffness: 5, damping: 0.1 }, effortLimit: 0.5 }, hasCones: true },
  {
    name: "servo within unequal efforts",
    forces: unequalServo,
    hasCones: true,
  },
  { name: "tilt", forces: { tiltLimit: 0.3 }, hasCones: true, onlyVectors: true },
];

describe("joints", () => {
  for (const [number, { name, form }] of some(5, [...jointCases.entries()])) {
    test(name, () => {
      const isVector = /[oO]rbital|spherical|Free|floating/.test(name);
      for (const { name: feature, forces, hasCones, variants } of speciesOf(name, isVector)) {
        const mechanism = chain({ form, forces, links: 2, timestep: 0.05, floats: false, gravity: [0, 0, -9.81] });
        const simulation = new Simulation(mechanism);
        simulation.setParameter("damperCentering", centeringOf(number));
        const random = new Random(100 + number);
        const x = randomMinimal(mechanism, random);
        if (forces.limits) nearLimits(x);
        const input = new Float64Array(simulation.inputSize).map(() => random.uniform(-0.3, 0.3));
        const cell = {
          row: name,
          simulation,
          state: maximalFromMinimal(mechanism, x),
          input,
          kappas: hasCones ? oneOf(`${name}, ${feature}`) : [1e-4],
          always: new RegExp(
            `\\.(${Object.keys(forces).join("|") || "none"})\\.0$|timestep|damperCentering|joint1.tiltCosine`,
          ),
          random,
        };
        if (!variants) requireExact({ ...cell, column: feature });
        else {
          for (const [column, off] of Object.entries(variants)) {
            const before = simulation.save();
            for (const path of simulation.parameterNames) {
              if (off.some((what) => path.includes(`.${what}.`))) simulation.setParameter(path, 0);
            }
            requireExact({ ...cell, column });
            simulation.restore(before);
          }
        }
      }
    });
  }
});

describe("rotation vectors far from rest and targets, unlike along their entries", () => {
  for (const [number, { name, form }] of some(3, [...jointCases.entries()])) {
    if (!/[oO]rbital|spherical|Free|floating/.test(name)) continue;
    test(name, () => {
      const random = new Random(200 + number);
      const { length } = chain({ form, links: 1, timestep: 0.05, floats: false }).joints[0].coordinates;
      const draw = (low: number, high: number): number[] => Array.from({ length }, () => random.uniform(low, high));
      const servo = draw(2, 8).map((stiffness) => ({ stiffness, damping: 0.1 * stiffness }));
      const spring: Forces = { stiffness: draw(0, 8), rest: draw(-0.9, 0.9), damping: 0.1, armature: 0.02 };
      // of the species of the table above, with limits out of reach
      const isAlone = alone.includes(name);
      const cases: readonly (readonly [string, Forces, number])[] = [
        ["spring", isAlone ? spring : { ...spring, actuated: true, limits: [-3, 3] }, 0],
        [
          "servo",
          { servo, effortLimit: draw(0.5, 2), ...(!isAlone && { effortCenter: 0.1, friction: 0.1, tiltLimit: 3 }) },
          0.9,
        ],
      ];
      for (const [column, forces, size] of cases) {
        const mechanism = chain({ form, forces, links: 2, timestep: 0.05, floats: false, gravity: [0, 0, -9.81] });
        const simulation = new Simulation(mechanism);
        simulation.setParameter("damperCentering", centeringOf(number + 1));
        const x = randomMinimal(mechanism, random).map((entry, i) =>
          i < mechanism.coordinateCount ? 3 * entry : entry,
        );
        const input = new Float64Array(simulation.inputSize).map(() => random.uniform(-size, size));
        requireExact({
          row: `${name}, far`,
          column,
          simulation,
          state: maximalFromMinimal(mechanism, x),
          input,
          kappas: [1e-4],
          always: /joint1\.(stiffness|rest|servoStiffness|servoDamping|effortLimit)\.|timestep|damperCentering/,
          random,
        });
      }
    });
  }
});

describe("gears", () => {
  const terms = [
    { joint: "shoulder", ratio: 1 },
    { joint: "elbow", ratio: -0.7 },
    { joint: "slide", ratio: 2 },
  ];
  const gears: Readonly<
    Record<string, { readonly force: Omit<GearDescription, "terms">; readonly hasCones: boolean }>
  > = {
    equality: { force: {}, hasCones: false },
    // the state below has Σ ratio·θ = 0.13
    range: { force: { range: [0.1, 0.9] }, hasCones: true },
    "lower bound": { force: { range: [0.129, null] }, hasCones: true },
    "upper bound": { force: { range: [null, 0.131] }, hasCones: true },
    spring: { force: { stiffness: 3, rest: 0.1, damping: 0.2 }, hasCones: false },
  };
  for (const [name, { force, hasCones }] of Object.entries(gears)) {
    test(name, () => {
      const link = box({ size: [0.1, 0.12, 0.5], mass: 1 });
      const parentAnchor = [0, 0, -0.25] as const;
      const childAnchor = [0, 0, 0.25] as const;
      const mechanism = compile({
        timestep: 0.05,
        bodies: { upper: link, lower: link, tip: box({ size: [0.1, 0.1, 0.1], mass: 0.4 }) },
        joints: {
          shoulder: revolute({ parent: "world", child: "upper", axis: [0, 1, 0], childAnchor }),
          elbow: revolute({ parent: "upper", child: "lower", axis: [0, 0.6, 0.8], parentAnchor, childAnchor }),
          slide: prismatic({ parent: "lower", child: "tip", axis: [0, 0, -1], parentAnchor }),
        },
        gears: { gear: { terms, ...force, ...(name === "equality" && { offset: 0.13 }) } },
      });
      const simulation = new Simulation(mechanism);
      simulation.setParameter("damperCentering", 0.4);
      const minimal = Float64Array.of(0.2, 0.1, 0, -0.3, 0.6, name === "equality" ? 0.36 : -0.2);
      requireExact({
        row: "gears",
        column: name,
        simulation,
        state: maximalFromMinimal(mechanism, minimal),
        input: new Float64Array(0),
        kappas: hasCones ? sharpness : [1e-4],
        always: /^gears|timestep|damperCentering/,
        random: new Random(7),
      });
    });
  }
});

/** At a limit and going into it, near the other one, or between them. */
function nearLimits(x: Float64Array): void {
  const c = x.length / 2;
  for (let i = 0; i < c; i++) {
    if (i % 3 === 0) [x[i], x[c + i]] = [limits[0] + 1e-4, -0.5];
    else if (i % 3 === 1) x[i] = limits[1] - 0.01;
  }
}

const contactModels: Readonly<Record<string, typeof frictionContact>> = {
  impact: ({ frictionCoefficient: _, ...rest }) => impactContact(rest),
  linear: linearContact,
  cone: frictionContact,
};

describe("contacts", () => {
  for (const [model, make] of Object.entries(contactModels)) {
    for (const [place, height, down] of [
      ["out of contact", 0.6, 0],
      ["near contact", 0.24, -0.5],
      ["in contact", 0.2, -0.3],
    ] as const) {
      test(`${model}, ${place}`, () => {
        const crate = box({ size: [0.5, 0.4, 0.3], mass: 1.3 });
        const corners = boxCorners(crate);
        const mechanism = compile({
          timestep: 0.05,
          bodies: { crate, ball: box({ size: [0.2, 0.2, 0.2], mass: 0.5 }) },
          joints: {
            base: floating({ parent: "world", child: "crate", actuated: true }),
            free: floating({ parent: "world", child: "ball" }),
          },
          contacts: [
            ...corners.map((point, i) => make({ name: `corner${i}`, body: "crate", point, frictionCoefficient: 0.4 })),
            // a sphere on a slope, and on the crate's lid
            make({
              name: "slope",
              body: "ball",
              point: [0.02, 0, -0.05],
              radius: 0.1,
              frictionCoefficient: 0.7,
              halfSpace: { normal: [0.6, 0, 0.8], offset: 0.02 },
            }),
            make({
              name: "lid",
              body: "ball",
              point: [0, 0, -0.05],
              radius: 0.1,
              frictionCoefficient: 0.3,
              halfSpace: { body: "crate", normal: [0, 0, 1], offset: 0.15 },
            }),
          ],
        });
        const simulation = new Simulation(mechanism);
        for (const seed of [1, 2]) {
          const random = new Random(seed);
          const tilt = place === "in contact" && seed === 1 ? 0.02 : 0.25;
          const x = new Float64Array(24);
          const turn = (): number => random.uniform(-tilt, tilt);
          x.set([0, 0, height + (tilt > 0.1 ? 0.05 : -0.045), turn(), turn(), turn()]);
          x.set([0.05, 0, x[2] + 0.15 + 0.15 + (place === "out of contact" ? 0.2 : 0.01), turn(), turn(), turn()], 6);
          for (let i = 12; i < 24; i++) x[i] = random.uniform(-0.7, 0.7);
          x[14] = x[20] = down;
          const input = new Float64Array(6).map(() => random.uniform(-1, 1));
          requireExact({
            row: `${model} contact`,
            column: place,
            simulation,
            state: maximalFromMinimal(mechanism, x),
            input,
            // the two states share them: smooth and sharp ones each
            kappas: sharpness.filter((_, k) => k % 2 === seed % 2),
            always: /frictionCoefficient|slope\.(radius|offset|normal\.x)|lid\.offset|crate\.centerOfMass/,
            random,
          });
        }
      });
    }
  }
});
