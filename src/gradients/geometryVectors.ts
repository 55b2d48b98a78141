/** The memory of a system as the numbers that joint coordinates are defined by, and vectors over it. */
import type { GeometryValues, GeometryVector } from "../coordinates/index.ts";
import { bodyParameterNames } from "../equations/index.ts";
import type { System } from "../kernels/index.ts";

/** A joint's frame: its first parameters. */
const frameSize = 16;

/** Values of a memory, by default the system's own. */
export function geometryValues(system: System, f64 = system.f64): GeometryValues {
  const { nodes, places, parameters, mechanism } = system;
  const size = bodyParameterNames.length;
  const ratios = mechanism.gears.map(({ name, terms }) =>
    terms.map((_, term) => parameters.get(`gears.${name}.ratio.${term}`) as number),
  );
  // views are slow to make
  const frames: Float64Array[] = [];
  const inertias: Float64Array[] = [];
  const view = (at: number, length: number): Float64Array => f64.subarray(at, at + length);
  return {
    frame: (joint) => {
      frames[joint] ??= view(nodes[joint].parameters, frameSize);
      return frames[joint];
    },
    ratio: (gear, term) => f64[ratios[gear][term]],
    turns: (joint, coordinate) => f64[nodes[joint].parameters + frameSize + coordinate],
    inertia: (body) => {
      inertias[body] ??= view(places.bodyParameters + size * body, size);
      return inertias[body];
    },
  };
}

/** A tangent or cotangent of all memory, indexed like it. */
export function geometryVector(system: System, mirror: Float64Array): GeometryVector {
  const { nodes, places, parameters, mechanism } = system;
  const at = (path: string): Float64Array => {
    const index = parameters.get(path) as number;
    return mirror.subarray(index, index + 1);
  };
  return {
    frame: (joint) => mirror.subarray(nodes[joint].parameters, nodes[joint].parameters + frameSize),
    ratio: (gear, term) => at(`gears.${mechanism.gears[gear].name}.ratio.${term}`),
    offset: (gear) => at(`gears.${mechanism.gears[gear].name}.offset`),
    timestep: mirror.subarray(places.globals, places.globals + 1),
  };
}
