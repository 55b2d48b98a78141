/** Shapes that begin in each other, at rest and without gravity: nothing but their depth says how large the step's impulses are. */
import { expect, test } from "vitest";
import {
  type BodyDescription,
  box,
  capsule,
  compile,
  cylinder,
  ellipsoid,
  floating,
  ShapeDistances,
  Simulation,
  sphere,
} from "../../src/index.ts";

const contact = true;
const h = 0.01;
const mass = 1;

const kinds: Readonly<Record<string, BodyDescription>> = {
  box: box({ size: [0.2, 0.15, 0.1], mass, contact }),
  sphere: sphere({ radius: 0.08, mass, contact }),
  capsule: capsule({ radius: 0.05, length: 0.2, mass, contact }),
  cylinder: cylinder({ radius: 0.08, length: 0.12, mass, contact }),
  ellipsoid: ellipsoid({ radii: [0.1, 0.08, 0.05], mass, contact }),
};

/** The state of two bodies at rest, b along a direction from a, so far that they are this deep in each other. */
function overlapping(distances: ShapeDistances, depth: number): Float64Array {
  const at = (apart: number): Float64Array =>
    Float64Array.of(
      ...[0, 0, 0, 0.8, 0, 0.6, 0, 0, 0, 0, 0, 0, 0],
      ...[0.48 * apart, 0.6 * apart, 0.64 * apart, 0.6, 0.64, 0, 0.48, 0, 0, 0, 0, 0, 0],
    );
  let [inside, outside] = [0, 0.5];
  for (let k = 0; k < 40; k++) {
    const middle = (inside + outside) / 2;
    if ((distances.at(at(middle), 1)[0]?.distance ?? 1) > -depth) outside = middle;
    else inside = middle;
  }
  return at(inside);
}

const pairs = ["sphere box", "capsule cylinder", "cylinder cylinder", "ellipsoid ellipsoid", "box box"];

test.each(pairs)("%s come apart in one step, without parts: before, it took hundreds of iterations", (pair) => {
  const [a, b] = pair.split(" ").map((kind) => kinds[kind]);
  const joints = { a: floating({ parent: "world", child: "a" }), b: floating({ parent: "world", child: "b" }) };
  const mechanism = compile({ timestep: h, gravity: [0, 0, 0], bodies: { a, b }, joints });
  const distances = new ShapeDistances(mechanism);
  const simulation = new Simulation(mechanism);
  for (const depth of [5e-4, 0.004, 0.015]) {
    const { status, iterations, substeps, next } = simulation.step(overlapping(distances, depth));
    expect({ depth, status, substeps }).toEqual({ depth, status: "solved", substeps: 1 });
    expect(iterations).toBeLessThan(40);
    expect(distances.at(next, 1)[0]?.distance ?? 1).toBeGreaterThan(-1e-9);
    // no faster than the depth asks for
    expect(simulation.energy(next).kinetic).toBeLessThan(mass * (depth / h) ** 2);
  }
});
