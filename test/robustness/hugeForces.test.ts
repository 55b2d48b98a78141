/** Forces whose squares are beyond what numbers hold: a step under them ends with a status, and is never called solved. */
import { compile, models, Simulation, startState } from "dojo-sim";
import { expect, test } from "vitest";

const mechanisms = { pendulum: models.pendulum, block: models.block, hopper: models.hopper };

test.each(Object.keys(mechanisms).flatMap((name) => [1e155, 1e200, 1e300].map((gravity) => [name, gravity] as const)))(
  "a %s under gravity of %d is not solved",
  (name, gravity) => {
    const mechanism = compile({
      ...mechanisms[name as keyof typeof mechanisms](),
      gravity: [0, 0, -gravity],
    });
    const { status, next } = new Simulation(mechanism).step(startState(mechanism));
    expect(status).not.toBe("solved");
    expect(next.every(Number.isFinite)).toBe(true);
  },
);
