import { expect, test } from "vitest";
import { maximalState } from "../../coordinates/index.ts";
import {
  box,
  boxCorners,
  floating,
  frictionContact,
  type JointDescription,
  type Mechanism,
  planar,
  prismatic,
  revolute,
} from "../../mechanism/index.ts";
import { Simulation } from "../simulation.ts";
import { checkState } from "./checkState.ts";
import { compile } from "./compileMechanism.ts";

const size = [0.2, 0.2, 0.2] as const;

/** A crate on a joint of the world, which touches a floor with its lower corners or with its shape. */
function crateOn(base: JointDescription, touches: boolean): Mechanism {
  const crate = box({ size, mass: 1, ...(touches && { contact: true }) });
  const corners = boxCorners(crate).filter(([, , z]) => z < 0);
  return compile({
    timestep: 0.01,
    bodies: { crate },
    joints: { base },
    ...(touches
      ? { shapes: [{ kind: "halfSpace", name: "floor", contact: true }] }
      : { contacts: corners.map((point) => frictionContact({ body: "crate", point, frictionCoefficient: 0.5 })) }),
  });
}

const ends = { parent: "world", child: "crate" } as const;
const rail = (height: number) => prismatic({ ...ends, axis: [1, 0, 0], parentAnchor: [0, 0, height] });

test.each([
  { touches: false, path: "contacts.contact0" },
  { touches: true, path: "bodies.crate.shapes.shape0" },
])("a rail that keeps a crate on the floor is named: before, no step was solved and nothing said why", (kind) => {
  for (const height of [0.1, 0.1 - 1e-9, 0.1 + 1e-9]) {
    const mechanism = crateOn(rail(height), kind.touches);
    const start = maximalState(mechanism);
    const message = expect.stringContaining("joints keep it there");
    expect(checkState(mechanism, start)).toContainEqual({ code: "held-contact", path: kind.path, message });
    expect(() => new Simulation(mechanism).rollout(start, { steps: 1 })).toThrow("held-contact");
  }
});

test.each([false, true])("what a rail keeps off the floor, and what joints leave free, is not", (touches) => {
  const anchors = { parentAnchor: [0, 0, 0.1] } as const;
  const free: readonly (readonly [JointDescription, readonly number[]])[] = [
    [rail(0.1 + 1e-5), [0]],
    [prismatic({ ...ends, axis: [0.6, 0, 0.8], ...anchors }), [0]],
    [revolute({ ...ends, axis: [0, 1, 0], parentAnchor: [-1, 0, 0.1], childAnchor: [-1, 0, 0] }), [0]],
    [planar({ ...ends, axis: [0, 1, 0], ...anchors }), [0, 0]],
    [floating(ends), [0, 0, 0.1, 0, 0, 0]],
  ];
  for (const [base, position] of free) {
    const mechanism = crateOn(base, touches);
    const start = maximalState(mechanism, { base: { position } });
    expect(checkState(mechanism, start)).toEqual([]);
    expect(new Simulation(mechanism).rollout(start, { steps: 3 }).solved).toBe(true);
  }
});
