/**
 * Boxes between walls that see each other inside their friction cones: the squeeze between them is undetermined, and must neither grow nor
 * end a run. Oracles are Newton's second law for the forces that are read off, and distances measured by hand.
 */
import { describe, expect, test } from "vitest";
import {
  box,
  boxCorners,
  compile,
  floating,
  frictionContact,
  type Mechanism,
  maximalState,
  Random,
  Simulation,
  type Vector3,
} from "../../src/index.ts";
import { quaternion } from "../../src/math/index.ts";

const gravity = 9.81;
/** N·s: forces times h against the change of momentum, of 1 kg: the tolerance of a step is 1e-8 m g h. */
const MOMENTUM = 1e-6;
/** The squeeze is loosened where it passes ten times what the step's momentum calls for: at rest, ten weights. */
const MOST_WEIGHTS = 10;

interface Case {
  readonly mechanism: Mechanism;
  readonly normals: readonly Vector3[];
  readonly corners: readonly Vector3[];
  readonly start: Float64Array;
}

function between(size: Vector3, normals: readonly Vector3[], friction: number, timestep: number) {
  const crate = box({ size, mass: 1 });
  const corners = boxCorners(crate);
  const mechanism = compile({
    timestep,
    bodies: { crate },
    joints: { base: floating({ parent: "world", child: "crate" }) },
    contacts: corners.flatMap((point) =>
      normals.map((normal) =>
        frictionContact({ body: "crate", point, frictionCoefficient: friction, halfSpace: { normal, offset: 0 } }),
      ),
    ),
  });
  return { mechanism, corners, normals };
}

/** Least distance of a corner from a wall, by hand. */
function closest({ corners, normals }: Case, state: Float64Array): number {
  const q = [state[3], state[4], state[5], state[6]] as const;
  const distances = corners.flatMap((point) => {
    const turned = quaternion.rotate(q, point);
    return normals.map((n) => n.reduce((sum, x, k) => sum + x * (state[k] + turned[k]), 0));
  });
  return Math.min(...distances);
}

/** A box thrown into a corner of two or three steep planes. */
function thrown(seed: number, friction: number): Case {
  const random = new Random(1000 + seed);
  const timestep = [0.001, 0.01, 0.05][seed % 3];
  const planes = seed % 4 === 0 ? 2 : 3;
  const steepness = random.uniform(0.6, 1.35);
  const turn = random.uniform(0, 6.28);
  const size: Vector3 = [0.3, 0.3 * random.uniform(0.5, 1.5), 0.3 * random.uniform(0.5, 1.5)];
  const normals = Array.from({ length: planes }, (_, k): Vector3 => {
    const angle = turn + (2 * Math.PI * k) / planes;
    const s = Math.sin(steepness);
    return [s * Math.cos(angle), s * Math.sin(angle), Math.cos(steepness)];
  });
  const scene = between(size, normals, friction, timestep);
  const one = (): number => random.uniform(-1, 1);
  const position = [0, 0, 0.45 / Math.cos(steepness), one(), one(), one()];
  const velocity = [one(), one(), random.uniform(-3, 0), 4 * one(), 4 * one(), 4 * one()];
  return { ...scene, start: maximalState(scene.mechanism, { base: { position, velocity } }) };
}

/** A cube of 0.5 m, somehow turned, a micrometre above two walls that are so many degrees off the vertical. */
function placed(degrees: number, friction: number, timestep: number, turn: Vector3): Case {
  const angle = (degrees * Math.PI) / 180;
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const normals: Vector3[] = [
    [c, 0, s],
    [-c, 0, s],
  ];
  const scene = between([0.5, 0.5, 0.5], normals, friction, timestep);
  const turned = (x: number, z: number) =>
    maximalState(scene.mechanism, { base: { position: [x, 0, z, ...turn], velocity: [0, 0, 0, 0, 0, 0] } });
  const free = turned(0, 0);
  const [left, right] = normals.map((normal) => closest({ ...scene, normals: [normal], start: free }, free));
  return { ...scene, start: turned((right - left) / (2 * c), (2e-6 - left - right) / (2 * s)) };
}

interface Run {
  readonly status: string;
  /** Largest normal force in the second half of the run, N. */
  readonly squeeze: number;
  readonly speed: number;
}

function run(scene: Case, steps: number): Run {
  const { mechanism, start } = scene;
  const simulation = new Simulation(mechanism);
  const h = mechanism.timestep;
  let state = start;
  let squeeze = 0;
  for (let k = 0; k < steps; k++) {
    const { status, next } = simulation.step(state);
    if (status !== "solved") return { status: `${status} at step ${k}`, squeeze, speed: Number.NaN };
    const forces = mechanism.contacts.map(({ name }) => simulation.contact(name));
    for (let axis = 0; axis < 3; axis++) {
      const force = forces.reduce((sum, contact) => sum + contact.force[axis], axis === 2 ? -gravity : 0);
      const size = forces.reduce((sum, contact) => sum + Math.abs(contact.force[axis]), 1);
      expect(Math.abs(next[7 + axis] - state[7 + axis] - h * force)).toBeLessThan(
        MOMENTUM * h * gravity + 1e-12 * size,
      );
    }
    if (2 * k > steps) squeeze = Math.max(squeeze, ...forces.map(({ normal }) => normal));
    state = next.slice();
    expect(closest(scene, state)).toBeGreaterThan(0);
  }
  return { status: "solved", squeeze, speed: Math.hypot(...state.subarray(7, 13)) };
}

describe("thrown into corners of steep planes, friction 5", () => {
  // seeds 0 to 299 are all solved; before, these were among every fourth that was not
  test.each([1, 17, 24, 37, 42, 62, 70])("seed %i is solved in every step", (seed) => {
    const scene = thrown(seed, 5);
    expect(run(scene, scene.mechanism.timestep < 0.01 ? 800 : 120).status).toBe("solved");
  });

  // at rest after 50 steps; left to itself the squeeze then grew to 5e4 and 7e8 N
  test.each([106, 112])(`seed %i comes to rest and is squeezed by no more than ${MOST_WEIGHTS} weights`, (seed) => {
    const { status, squeeze, speed } = run(thrown(seed, 5), 300);
    expect(status).toBe("solved");
    expect(speed).toBeLessThan(1e-6);
    expect(squeeze).toBeLessThan(MOST_WEIGHTS * gravity);
  });
});

describe("placed between walls 20° off the vertical", () => {
  test.each([1, 2, 5])(`a box is squeezed by no more than ${MOST_WEIGHTS} weights, friction %f`, (friction) => {
    const { status, squeeze, speed } = run(placed(20, friction, 0.01, [0.9, -1.1, 0.4]), 600);
    expect(status).toBe("solved");
    expect(speed).toBeLessThan(1e-2);
    expect(squeeze).toBeLessThan(MOST_WEIGHTS * gravity);
  });
});
