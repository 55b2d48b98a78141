/** Whatever happens in a step is its status: nothing is thrown. */
import { expect, test } from "vitest";
import { OutOfMemory } from "../../src/codegen/index.ts";
import {
  compile,
  type MechanismDescription,
  maximalState,
  Simulation,
  startState,
  type Target,
  webassembly,
} from "../../src/index.ts";
import { Random } from "../../src/math/index.ts";

/** Balls without friction, in a cube of this size. */
function balls(count: number, width: number): MechanismDescription {
  const random = new Random(1);
  const names = Array.from({ length: count }, (_, i) => `ball${i}`);
  const inertia = [
    [0.4, 0, 0],
    [0, 0.4, 0],
    [0, 0, 0.4],
  ] as const;
  const contact = { frictionCoefficient: 0 };
  return {
    timestep: 0.01,
    bodies: Object.fromEntries(
      names.map((name) => [name, { mass: 1, inertia, shapes: [{ kind: "sphere", radius: 1, contact }] }] as const),
    ),
    joints: Object.fromEntries(
      names.map((name) => [name, { kind: "floating", parent: "world", child: name }] as const),
    ),
    states: {
      start: Object.fromEntries(
        names.map((name) => {
          const [x, y, z] = [0, 1, 2].map(() => random.uniform(0, width));
          return [name, { position: [x, y, z, 0, 0, 0] }];
        }),
      ),
    },
  };
}

test("150 balls of which each lies in each other are pushed apart", () => {
  const simulation = new Simulation(compile(balls(150, 0.5)));
  const { status } = simulation.step(startState(simulation.mechanism), undefined, { maxIterations: 60 });
  expect(status).toBe("solved");
  expect(simulation.touches().length).toBe((150 * 149) / 2);
});

test("where no memory is left for what touches, the status says so, and the simulation goes on when it touches less", () => {
  let isFull = false;
  const target: Target = {
    name: webassembly.name,
    load(programs, bytes) {
      if (isFull) throw new OutOfMemory("none left");
      return webassembly.load(programs, bytes);
    },
  };
  const mechanism = compile(balls(20, 0.5));
  const apart = maximalState(
    mechanism,
    Object.fromEntries(mechanism.bodies.map(({ name }, i) => [name, { position: [3 * i, 0, 0, 0, 0, 0] }])),
  );
  const simulation = new Simulation(mechanism, { target });
  expect(simulation.step(apart).status).toBe("solved");
  const free = Float64Array.from(simulation.step(apart).next);
  isFull = true;
  const start = startState(mechanism);
  const { status, next } = simulation.step(start);
  expect(status).toBe("outOfMemory");
  expect(next).toEqual(start);
  const run = simulation.rollout(start, { steps: 3, check: false });
  expect(run.failure?.state).toEqual([...start]);
  const again = simulation.step(apart);
  expect(again.status).toBe("solved");
  expect(again.next).toEqual(free);
  isFull = false;
  expect(simulation.step(start).status).toBe("solved");
});

test("steps from where a failed one ended have its status, whatever is there", () => {
  // one iteration of a fast spin
  const mechanism = compile({
    timestep: 0.1,
    bodies: {
      long: {
        mass: 1,
        inertia: [
          [1e-4, 0, 0],
          [0, 1, 0],
          [0, 0, 1.00005],
        ],
      },
    },
    joints: { free: { kind: "floating", parent: "world", child: "long", actuated: true } },
  });
  const simulation = new Simulation(mechanism);
  const push = Float64Array.from([0, 0, 0, 4e3, 3, 4]);
  const failed = simulation.step(startState(mechanism), push);
  expect(failed.status).not.toBe("solved");
  const { status } = failed;
  const from = Float64Array.from(failed.next);
  expect(() => new Simulation(mechanism).step(from)).toThrow(/no step can be taken from this state/);
  expect(simulation.step(from).status).toBe(status);
  expect(simulation.step(Float64Array.from(simulation.step(from).next)).status).toBe(status);
});
