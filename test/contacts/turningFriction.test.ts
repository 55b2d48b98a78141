/** Torsional and rolling friction against closed forms. */
import loadMujoco from "@mujoco/mujoco";
import { describe, expect, test } from "vitest";
import {
  checkGradients,
  compile,
  DescriptionError,
  floating,
  frictionContact,
  halfSpace,
  impactContact,
  importMjcf,
  linearContact,
  Simulation,
  sphere,
  toMjcf,
  type Vector3,
} from "../../src/index.ts";
import { quaternion } from "../../src/math/index.ts";

const g = 9.81;
const radius = 0.1;
const mass = 2;
const inertia = 0.4 * mass * radius ** 2;

interface Turning {
  readonly torsionalFriction?: number;
  readonly rollingFriction?: number;
}

function ball(
  turning: Turning,
  {
    timestep = 0.01,
    gravity = [0, 0, -g] as Vector3,
    frictionCoefficient = 0.8,
    restitution = undefined as number | undefined,
  } = {},
): Simulation {
  const mechanism = compile({
    timestep,
    gravity,
    bodies: { ball: sphere({ radius, mass }) },
    joints: { base: floating({ parent: "world", child: "ball" }) },
    contacts: [
      frictionContact({
        ...{ name: "foot", body: "ball", point: [0, 0, 0], radius, frictionCoefficient },
        ...turning,
        ...(restitution !== undefined && { restitution }),
      }),
    ],
  });
  return new Simulation(mechanism);
}

const onFloor = (velocity: readonly number[]): Float64Array =>
  Float64Array.from([0, 0, radius, 1, 0, 0, 0, ...velocity]);

function run(simulation: Simulation, start: Float64Array, steps: number, visit?: (state: Float64Array) => void) {
  const state = Float64Array.from(start);
  for (let k = 0; k < steps; k++) {
    const { status, next } = simulation.step(state);
    if (status !== "solved") expect.fail(`step ${k}: ${status}`);
    state.set(next);
    visit?.(state);
  }
  return state;
}

describe("torsional friction", () => {
  const torsionalFriction = 0.01;
  const deceleration = (torsionalFriction * mass * g) / inertia;

  test("a ball that spins on the spot slows down by c_s m g/I, and stops", () => {
    const spin = 10;
    const simulation = ball({ torsionalFriction });
    const half = run(simulation, onFloor([0, 0, 0, 0, 0, spin]), 20);
    // momentum of an interval, in which a step turns by 2 asin(h ω/2)
    const momentum = (rate: number): number => rate * Math.sqrt(1 - (0.005 * rate) ** 2);
    expect(momentum(half[12])).toBeCloseTo(momentum(spin) - 0.2 * deceleration, 6);
    expect(Math.hypot(half[0], half[1])).toBeLessThan(1e-9);
    const end = run(simulation, onFloor([0, 0, 0, 0, 0, spin]), Math.ceil(spin / deceleration / 0.01) + 5);
    expect(Math.abs(end[12])).toBeLessThan(1e-6);
  });

  test("without it the ball spins on", () => {
    const end = run(ball({}), onFloor([0, 0, 0, 0, 0, 10]), 100);
    expect(end[12]).toBeCloseTo(10, 9);
  });

  test("a ball that slides and spins shares its friction between both, in proportion to c_f v and c_s ω", () => {
    const [speed, spin, frictionCoefficient] = [1, 30, 0.5];
    const timestep = 1e-3;
    const simulation = ball({ torsionalFriction }, { timestep, frictionCoefficient });
    // it slides as a whole, and keeps from rolling for the first step
    const next = run(simulation, onFloor([speed, 0, 0, 0, 0, spin]), 1);
    const [along, about] = [frictionCoefficient * speed, torsionalFriction * spin];
    const size = Math.hypot(along, about);
    expect((speed - next[7]) / timestep).toBeCloseTo((g * frictionCoefficient * along) / size, 1);
    expect((spin - next[12]) / timestep).toBeCloseTo((mass * g * torsionalFriction * about) / size / inertia, 0);
  });
});

describe("rolling friction", () => {
  const rollingFriction = 0.01;
  const frictionCoefficient = 0.8;
  /** (tan α)² (1/c_f² + r²/c_r²) = 1: friction and rolling friction share one cone. */
  const steepest = Math.atan(1 / Math.hypot(1 / frictionCoefficient, radius / rollingFriction));

  test("a ball rolls out, and creeps a little as it does", () => {
    const simulation = ball({ rollingFriction }, { frictionCoefficient });
    // impulses oppose (slip, c_r/c_f ω): while both act the ball slips by s ω, s = (c_r/c_f)² f/τ. With v = (r + s) ω:
    //   m a = f,   I a/(r + s) = τ − f r,   f²/c_f² + τ²/c_r² = (m g)²
    let share = 1 / radius;
    const slipOf = (x: number): number => (rollingFriction / frictionCoefficient) ** 2 * x;
    for (let i = 0; i < 50; i++) share = 1 / (radius + inertia / (mass * (radius + slipOf(share))));
    const exact = g / Math.hypot(1 / frictionCoefficient, 1 / (share * rollingFriction));
    const speed = 0.5;
    const start = onFloor([speed, 0, 0, 0, speed / (radius + slipOf(share)), 0]);
    const state = run(simulation, start, 20);
    // the integrator's own error at 0.05 rad per step
    expect((speed - state[7]) / 0.2 / exact).toBeCloseTo(1, 3);
    const end = run(simulation, start, Math.ceil(speed / exact / 0.01) + 5);
    expect(Math.hypot(end[7], end[11])).toBeLessThan(1e-5);
  });

  test.each([
    ["stays where it is", 0.9],
    ["rolls", 1.1],
  ] as const)("on a slope a ball %s at %f of the steepest angle", (what, part) => {
    const angle = part * steepest;
    const gravity: Vector3 = [g * Math.sin(angle), 0, -g * Math.cos(angle)];
    const simulation = ball({ rollingFriction }, { gravity, frictionCoefficient });
    const end = run(simulation, onFloor([0, 0, 0, 0, 0, 0]), 100);
    if (what === "rolls") expect(end[7]).toBeGreaterThan(0.01);
    else expect(Math.abs(end[7])).toBeLessThan(1e-6);
    expect(steepest / Math.atan(rollingFriction / radius)).toBeCloseTo(1, 1);
  });
});

test("surfaces of shapes have it as contacts do, the larger of two", () => {
  const turning = { torsionalFriction: 0.01, rollingFriction: 0.002 };
  const body = sphere({ radius, mass });
  const surface = (more: object) => ({ frictionCoefficient: 0.8, ...more });
  const mechanism = compile({
    timestep: 0.01,
    bodies: {
      ball: { ...body, shapes: (body.shapes ?? []).map((shape) => ({ ...shape, contact: surface(turning) })) },
    },
    joints: { base: floating({ parent: "world", child: "ball" }) },
    shapes: [{ kind: "halfSpace", contact: surface({ torsionalFriction: 0.005 }) }],
  });
  const start = onFloor([0.3, 0, 0, 0, 2, 8]);
  const [shapes, contacts] = [new Simulation(mechanism), ball(turning)].map((simulation) => run(simulation, start, 30));
  expect(Math.abs(shapes[12] - start[12])).toBeGreaterThan(1);
  // two solves of the same equations, in tolerances of 1e-8 of their units
  for (let k = 0; k < 13; k++) expect(Math.abs(shapes[k] - contacts[k])).toBeLessThan(1e-6);
});

describe.each([
  { torsionalFriction: 0.02 },
  { rollingFriction: 0.01 },
  { torsionalFriction: 0.02, rollingFriction: 0.01 },
])("with %o", (turning) => {
  test.each([
    ["that spins on the floor", [0.1, 0, -0.01, 1, 2, 3], 0],
    ["above the floor", [0.1, 0.2, 0, 1, 2, 3], 0.05],
  ] as const)("gradients of a ball %s equal differences", (_, velocity, height) => {
    const simulation = ball(turning);
    const state = onFloor(velocity);
    state[2] += height + 1e-4;
    const parameters = [...Object.keys(turning), "frictionCoefficient", "radius"].map(
      (name) => `contacts.foot.${name}`,
    );
    for (const kappa of [1e-2, 1e-5]) {
      for (const coordinates of ["maximal", "minimal"] as const) {
        const check = checkGradients(simulation, state, new Float64Array(0), {
          ...{ kappa, coordinates, goodEnough: 1e-7 },
          parameters: coordinates === "maximal" ? parameters : [],
        });
        expect(check.worst, `κ = ${kappa}: ${check.entry}`).toBeLessThan(1e-6);
      }
    }
  });

  test("a ball that bounces stops too", () => {
    const simulation = ball(turning, { restitution: 0.5 });
    const start = onFloor([0, 0, 0, 0, 1, 5]);
    start[2] += 0.3;
    let lowest = Infinity;
    const end = run(simulation, start, 300, (state) => {
      lowest = Math.min(lowest, state[2]);
    });
    expect(lowest).toBeGreaterThan(radius - 1e-9);
    const [x, y, z] = quaternion.rotate([end[3], end[4], end[5], end[6]], [end[10], end[11], end[12]]);
    if (turning.torsionalFriction) expect(Math.abs(z)).toBeLessThan(1e-5);
    if (turning.rollingFriction) expect(Math.hypot(end[7], end[8], x, y)).toBeLessThan(1e-4);
  });
});

describe("in MuJoCo, read from our own export", () => {
  test.each([
    ["spins", { torsionalFriction: 0.01 }, [0, 0, 0, 0, 0, 10]],
    ["rolls", { torsionalFriction: 0.005, rollingFriction: 0.004 }, [0.5, 0, 0, 0, 5, 0]],
  ] as const)("a ball that %s slows down alike", async (_, turning, velocity) => {
    const mujoco = await loadMujoco();
    const simulation = ball(turning, { timestep: 1e-3 });
    const { xml } = toMjcf(simulation.mechanism.description);
    // elliptic cones, as ours are
    const model = mujoco.MjModel.from_xml_string(xml.replace("<option ", '<option cone="elliptic" impratio="100" '));
    if (!model) throw new Error("MuJoCo refuses the model");
    const data = new mujoco.MjData(model);
    const steps = 200;
    data.qpos[2] = radius;
    for (let k = 0; k < 6; k++) data.qvel[k] = velocity[k];
    for (let k = 0; k < steps; k++) mujoco.mj_step(model, data);
    const ours = run(simulation, onFloor(velocity), steps);
    const lost = [velocity[0] - ours[7], velocity[4] - ours[11], velocity[5] - ours[12]];
    const theirs = [velocity[0] - data.qvel[0], velocity[4] - data.qvel[4], velocity[5] - data.qvel[5]];
    expect(Math.hypot(...lost)).toBeGreaterThan(0.5);
    // their contacts are soft: forces are a few percent off while the ball settles
    for (let k = 0; k < 3; k++) expect(Math.abs(lost[k] - theirs[k])).toBeLessThan(0.02 * Math.hypot(...lost));
    data.delete();
    model.delete();
  });

  test("contacts of dimension 4 and 6 are read and written", () => {
    for (const turning of [{ torsionalFriction: 0.01 }, { torsionalFriction: 0.02, rollingFriction: 0.003 }]) {
      const { xml } = toMjcf(ball(turning).mechanism.description);
      const [contact] = importMjcf(xml).description.contacts ?? [];
      expect(contact).toMatchObject(turning);
      expect(xml).toContain(`condim="${"rollingFriction" in turning ? 6 : 4}"`);
    }
    const floor = '<geom type="plane" size="1 1 1" friction="1 0.03 0.001"/>';
    const body = '<body pos="0 0 1"><freejoint/><geom size="0.1" condim="6" friction="0.5 0.01 0.002"/></body>';
    const [contact] = importMjcf(`<mujoco><worldbody>${floor}${body}</worldbody></mujoco>`).description.contacts ?? [];
    // the larger of each
    expect(contact).toMatchObject({ frictionCoefficient: 1, torsionalFriction: 0.03, rollingFriction: 0.002 });
  });
});

test("turning friction is refused where there is no exact cone", () => {
  const place = { body: "ball", point: [0, 0, 0] as const, halfSpace: halfSpace({ normal: [0, 0, 1] }) };
  const described = (contact: object) => ({
    timestep: 0.01,
    bodies: { ball: sphere({ radius, mass }) },
    contacts: [contact as never],
  });
  for (const contact of [
    { ...impactContact(place), torsionalFriction: 0.1 },
    { ...linearContact({ ...place, frictionCoefficient: 0.5 }), rollingFriction: 0.1 },
    { ...frictionContact({ ...place, frictionCoefficient: 0 }), torsionalFriction: 0.1 },
  ])
    expect(() => compile(described(contact))).toThrow(
      /friction-without-model at contacts\[0\]\.(torsional|rolling)Friction/,
    );
  expect(() => compile(described(frictionContact({ ...place, frictionCoefficient: 1, rollingFriction: -1 })))).toThrow(
    DescriptionError,
  );
});
