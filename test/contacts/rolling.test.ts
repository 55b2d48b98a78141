/** Rolling without slip, and rest, of contact features against closed forms. */
import { describe, expect, test } from "vitest";
import type { ContactFeature } from "../../src/geometry/index.ts";
import { compile, customBody, floating, Simulation, type Vector3, worldIndex } from "../../src/index.ts";
import { withContacts } from "../../src/mechanism/index.ts";

const g = 9.81;
const radius = 0.1;

/** A body of 1 kg with these principal moments, and contacts with the world. */
function onWorld(
  moments: Vector3,
  contacts: readonly { readonly feature: ContactFeature; readonly values: readonly number[] }[],
  { timestep = 0.01, gravity = [0, 0, -g] as Vector3, frictionCoefficient = 1 } = {},
): Simulation {
  const [a, b, c] = moments;
  const mechanism = compile({
    timestep,
    gravity,
    bodies: {
      roller: customBody({
        mass: 1,
        inertia: [
          [a, 0, 0],
          [0, b, 0],
          [0, 0, c],
        ],
      }),
    },
    joints: { base: floating({ parent: "world", child: "roller" }) },
  });
  const all = contacts.map((contact, i) => ({
    ...contact,
    ...{ name: `contact${i}`, body: 0, other: worldIndex, frictionCoefficient },
  }));
  return new Simulation(withContacts(mechanism, all));
}

function run(simulation: Simulation, start: readonly number[], steps: number): Float64Array {
  const state = Float64Array.from(start);
  for (let k = 0; k < steps; k++) {
    const { status, next } = simulation.step(state);
    if (status !== "solved") expect.fail(`step ${k}: ${status}`);
    state.set(next);
  }
  return state;
}

const solidSphere = 0.4 * radius ** 2;
const upright = [1, 0, 0, 0];
const atRest = [0, 0, 0, 0, 0, 0];

describe("down a slope", () => {
  const slope = 0.3;
  const gravity: Vector3 = [g * Math.sin(slope), 0, -g * Math.cos(slope)];
  const disc = [radius ** 2, 0, radius ** 2, 0, 0, 0];
  const plane = [0, 0, 1, 0, 1, 0, 0];
  const rim = (y: number) => ({ feature: "roundPlane" as const, values: [0, y, 0, ...disc, 0, ...plane] });
  const cases: [string, number, Vector3, readonly { feature: ContactFeature; values: readonly number[] }[]][] = [
    ["a cylinder on its rims", 2 / 3, [0.004, radius ** 2 / 2, 0.004], [rim(-0.1), rim(0.1)]],
    [
      "a sphere that is an ellipsoid",
      5 / 7,
      [solidSphere, solidSphere, solidSphere],
      [
        {
          feature: "roundPlane",
          values: [0, 0, 0, ...[1, 1, 1].map((one) => one * radius ** 2), 0, 0, 0, 0, ...plane],
        },
      ],
    ],
  ];
  test.each(cases)(
    "%s rolls with %f of the slope's acceleration, and errors fall as h²",
    (_, part, moments, contacts) => {
      const duration = 0.5;
      const speed = part * g * Math.sin(slope) * duration;
      const errors = [0.01, 0.005].map((timestep) => {
        const simulation = onWorld(moments, contacts, { timestep, gravity });
        const end = run(simulation, [0, 0, radius, ...upright, ...atRest], Math.round(duration / timestep));
        expect(end[11] * radius).toBeCloseTo(end[7], 6);
        return Math.abs(end[7] - speed) / speed;
      });
      // a step turns by up to 0.1 rad, and sines of such angles are off by 1e-3
      expect(errors[0]).toBeLessThan(1e-3);
      expect(errors[0] / errors[1]).toBeGreaterThan(3.5);
    },
  );

  test("an ellipsoid with three equal axes rolls as a sphere does", () => {
    const [, [, , moments, round]] = cases;
    const sphere = [{ feature: "pointPlane" as const, values: [0, 0, 0, radius, ...plane] }];
    const start = [0, 0, radius + 0.01, ...upright, 0.3, 0.2, 0, 1, 2, 3];
    const [a, b] = [round, sphere].map((contacts) => run(onWorld(moments, contacts, { gravity }), start, 100));
    // solved to 1e-8 of their units a step
    for (let k = 0; k < 13; k++) expect(Math.abs(a[k] - b[k])).toBeLessThan(1e-6);
  });
});

test("a can that tips over its rim does not slide on it", () => {
  // a disc of radius 0.1 at the lower end of a can of height 0.3, seen from its centre of mass
  const low = -0.15;
  const disc = [radius ** 2, radius ** 2, 0, 0, 0, 0];
  const values = [0, 0, low, ...disc, 0, 0, 0, 1, 0, 1, 0, 0];
  const tilt = Math.atan2(radius, -low) + 0.05;
  const [sine, cosine] = [Math.sin(tilt), Math.cos(tilt)];
  // leant towards +x: the rim's lowest point is at the origin
  const place = [-radius * cosine - low * sine, 0, radius * sine - low * cosine];
  const start = [...place, Math.cos(tilt / 2), 0, Math.sin(tilt / 2), 0, ...atRest];
  const drift = [0.01, 0.005].map((timestep) => {
    const simulation = onWorld([0.012, 0.012, 0.005], [{ feature: "roundPlane", values }], { timestep });
    const end = run(simulation, start, Math.round(0.3 / timestep));
    const angle = 2 * Math.atan2(end[5], end[3]);
    expect(angle).toBeGreaterThan(tilt + 0.1);
    return Math.abs(end[0] + radius * Math.cos(angle) + low * Math.sin(angle));
  });
  // with velocities of the point instead of differences it slides by millimetres
  expect(drift[0]).toBeLessThan(2e-5);
  expect(drift[0] / drift[1]).toBeGreaterThan(3);
});

/** θ̈ = 5/7 g sin θ/(R + r) of a ball on a ball, by small steps of the classical Runge-Kutta method. */
function ballOnBall(theta: number, duration: number, length: number): number {
  const rate = (angle: number): number => ((5 / 7) * g * Math.sin(angle)) / length;
  const count = 2000;
  const h = duration / count;
  let [x, v] = [theta, 0];
  for (let i = 0; i < count; i++) {
    const [k1, l1] = [v, rate(x)];
    const [k2, l2] = [v + (h / 2) * l1, rate(x + (h / 2) * k1)];
    const [k3, l3] = [v + (h / 2) * l2, rate(x + (h / 2) * k2)];
    const [k4, l4] = [v + h * l3, rate(x + h * k3)];
    x += (h / 6) * (k1 + 2 * k2 + 2 * k3 + k4);
    v += (h / 6) * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  return x;
}

test.each(["pointPoint", "roundRound"] as const)("a ball rolls down a ball (%s), and errors fall as h²", (feature) => {
  const start = 0.3;
  const other = 0.4;
  const length = other + radius;
  const duration = 0.3;
  const exact = ballOnBall(start, duration, length);
  const errors = [0.01, 0.005].map((timestep) => {
    const ball = [1, 1, 1, 0, 0, 0];
    const normal = [Math.sin(start), 0, Math.cos(start)];
    const values =
      feature === "pointPoint"
        ? [0, 0, 0, radius, 0, 0, 0, other, 0, 1, 0]
        : [0, 0, 0, ...ball.map((one) => one * radius ** 2), 0, 0, 0, 0, ...ball.map((one) => one * other ** 2), 0]
            // where the ball starts
            .concat(normal, [0, 1, 0]);
    const simulation = onWorld([solidSphere, solidSphere, solidSphere], [{ feature, values }], { timestep });
    const state = Float64Array.from([length * normal[0], 0, length * normal[2], ...upright, ...atRest]);
    let angle = start;
    for (let k = 0; k < Math.round(duration / timestep); k++) {
      if (feature === "roundRound") {
        const way = Math.hypot(state[0], state[2]);
        for (const [name, entry] of [
          ["x", state[0] / way],
          ["z", state[2] / way],
        ] as const)
          simulation.setParameter(`contacts.contact0.normal.${name}`, entry);
      }
      const { status, next } = simulation.step(state);
      expect(status).toBe("solved");
      state.set(next);
      angle = Math.atan2(state[0], state[2]);
    }
    // positions of this integrator from rest run ahead by half a step's acceleration: ½ h v
    const ahead = (timestep / 2) * ((state[11] * radius) / length);
    return Math.abs(angle - ahead - exact);
  });
  expect(errors[0]).toBeLessThan(2e-3);
  expect(errors[0] / errors[1]).toBeGreaterThan(3.3);
});

test("a bar lies still across two rails that slope, edge on edge", () => {
  const edge = (x: number, y: number) => ({
    feature: "lineLine" as const,
    // its lower edges along y at x, the rails along x at y
    values: [x, 0, -0.1, 0, 1, 0, 0, 0, y, 0, 1, 0, 0, 0, -1, 0, 1, 0],
  });
  const contacts = [-0.05, 0.05].flatMap((x) => [-0.3, 0.3].map((y) => edge(x, y)));
  const gravity: Vector3 = [g * Math.sin(0.2), g * Math.sin(0.1), -g * Math.cos(0.2)];
  const simulation = onWorld([0.03, 0.01, 0.03], contacts, { gravity, frictionCoefficient: 0.5 });
  const start = [0, 0, 0.1 + 1e-6, ...upright, ...atRest];
  const [early, late] = [run(simulation, start, 20), run(simulation, start, 120)];
  const creep = Math.hypot(late[0] - early[0], late[1] - early[1]) / (100 * 0.01);
  expect(creep).toBeLessThan(1e-7);
  for (let i = 0; i < contacts.length; i++) expect(simulation.contact(`contact${i}`).distance).toBeGreaterThan(0);
});
