/** The data of a trajectory's replay. */
import { bodyStateSize, poseSize, vector } from "../math/index.ts";
import {
  ArgumentError,
  halfSpaceContacts,
  type Mechanism,
  named,
  optionNamesOf,
  requireOptionNames,
} from "../mechanism/index.ts";
import type { Simulation, Trajectory } from "../simulation/index.ts";
import { encodeFloats } from "./floats.ts";
import {
  type ReplayBody,
  type ReplayContact,
  type ReplayData,
  type ReplayGhost,
  type ReplayNote,
  type ReplayPlot,
  type ReplaySummary,
  type ReplayTouches,
  replayFormat,
  replayVersion,
} from "./format.ts";
import { inertiaEllipsoid } from "./inertiaEllipsoid.ts";

export interface ReplayOptions {
  /** Default the mechanism's name. */
  readonly title?: string;
  /** The simulation that made the trajectory, for the plot of its energy. Left out: no such plot. */
  readonly simulation?: Simulation;
  /** Bodies whose heights are plotted. Default all up to four, else the first, and the highest and the lowest at the start. */
  readonly heights?: readonly string[];
  /** Plots of the caller's own, below the others. */
  readonly plots?: readonly PlotValues[];
  /** Facts of the caller's own, beside the summary. */
  readonly notes?: readonly ReplayNote[];
  /** Other motions of the mechanism, drawn translucent: states of all bodies, one for each of the trajectory's. Default none. */
  readonly ghosts?: readonly Ghost[];
}

const optionNames = optionNamesOf<ReplayOptions>()("title simulation heights plots notes ghosts");

export interface Ghost {
  readonly name: string;
  readonly states: readonly Float64Array[];
}

/** A plot with a number for each of the trajectory's states; NaN for none. */
export interface PlotValues extends Omit<ReplayPlot, "series"> {
  readonly series: readonly { readonly name: string; readonly values: ArrayLike<number> }[];
}

export function replayData(trajectory: Trajectory, options: ReplayOptions = {}): ReplayData {
  requireOptionNames("options", options, optionNames);
  const { mechanism, states, timestep, every } = trajectory;
  const { title = mechanism.name, simulation, heights, plots = [], notes = [], ghosts = [] } = options;
  const { forces, distances } = contactRows(trajectory);
  const all: PlotValues[] = [
    ...(simulation ? [energyPlot(trajectory, simulation)] : []),
    heightPlot(trajectory, heights ?? bodiesOfNote(mechanism, states[0])),
    ...(mechanism.contacts.length > 0 || mechanism.touch ? [distancePlot(distances)] : []),
    iterationPlot(trajectory),
    ...plots,
  ];
  return {
    format: replayFormat,
    version: replayVersion,
    title,
    interval: timestep * every,
    frames: states.length,
    bodies: mechanism.bodies.map(({ name }) => replayBody(mechanism, name)),
    ...(mechanism.description.shapes && { world: mechanism.description.shapes }),
    poses: encodeFloats(poseRows(states, mechanism)),
    contacts: halfSpaceContacts(mechanism).map(
      ({ name, body, other, point, radius, normal, offset }): ReplayContact => ({
        name,
        body,
        other,
        point,
        radius,
        normal,
        offset,
      }),
    ),
    forces: encodeFloats(forces),
    ...(mechanism.touch && { touches: touchRows(trajectory) }),
    weight: vector.norm(mechanism.gravity) * mechanism.bodies.reduce((sum, { mass }) => sum + mass, 0),
    plots: all.map((plot) => encodedPlot(plot, states.length)),
    summary: summaryOf(trajectory, distances),
    notes,
    ...(ghosts.length > 0 && { ghosts: ghosts.map((ghost) => encodedGhost(ghost, trajectory)) }),
  };
}

function replayBody({ description }: Mechanism, name: string): ReplayBody {
  const body = description.bodies[name];
  return { name, shapes: body.shapes && body.shapes.length > 0 ? body.shapes : [inertiaEllipsoid(body)] };
}

function poseRows(states: readonly Float64Array[], mechanism: Mechanism): Float32Array {
  const count = mechanism.bodies.length;
  const rows = new Float32Array(poseSize * count * states.length);
  states.forEach((state, frame) => {
    for (let body = 0; body < count; body++) {
      const at = bodyStateSize * body;
      rows.set(state.subarray(at, at + poseSize), poseSize * (count * frame + body));
    }
  });
  return rows;
}

function encodedGhost({ name, states }: Ghost, { mechanism, states: { length: frames } }: Trajectory): ReplayGhost {
  const fault = (path: string, size: number, wanted: number): ArgumentError =>
    new ArgumentError("wrong-size", `ghosts.${name}.${path}`, `has ${size} entries; give ${wanted}`);
  if (states.length !== frames) throw fault("states", states.length, frames);
  const bad = states.findIndex((state) => state.length !== mechanism.stateSize);
  if (bad >= 0) throw fault(`states[${bad}]`, states[bad].length, mechanism.stateSize);
  return { name, poses: encodeFloats(poseRows(states, mechanism)) };
}

/** Forces of the contacts of spheres and the smallest distance of all contacts, frame by frame; the start has neither. */
function contactRows(trajectory: Trajectory): { forces: Float32Array; distances: Float64Array } {
  const { mechanism, states } = trajectory;
  const drawn = halfSpaceContacts(mechanism);
  const count = drawn.length;
  const forces = new Float32Array(3 * count * states.length);
  const distances = new Float64Array(states.length).fill(Number.POSITIVE_INFINITY);
  distances[0] = Number.NaN;
  mechanism.contacts.forEach((one) => {
    const contact = drawn.findIndex(({ index }) => index === one.index);
    // a step that was not solved and ended the rollout has a reading and no state
    const readings = trajectory.contact(one.name).slice(0, states.length - 1);
    readings.forEach(({ force, distance }, step) => {
      if (contact >= 0) forces.set(force, 3 * (count * (step + 1) + contact));
      distances[step + 1] = Math.min(distances[step + 1], distance);
    });
  });
  trajectory.touches.slice(0, states.length - 1).forEach((touches, step) => {
    for (const { distance } of touches) distances[step + 1] = Math.min(distances[step + 1], distance);
  });
  return { forces, distances };
}

/** Those that carry nothing are left out. */
function touchRows({ states, touches }: Trajectory): ReplayTouches {
  const frames = [[], ...touches.slice(0, states.length - 1)].map((frame) =>
    frame.filter(({ normalForce }) => normalForce > 0),
  );
  return {
    counts: encodeFloats(Float32Array.from(frames, ({ length }) => length)),
    rows: encodeFloats(Float32Array.from(frames.flat().flatMap(({ point, force }) => [...point, ...force]))),
  };
}

function energyPlot(trajectory: Trajectory, simulation: Simulation): PlotValues {
  const energies = trajectory.states.map((state, k) =>
    simulation.energy(state, trajectory.interval(k), trajectory.continuationAt(k)),
  );
  const series = (["kinetic", "potential", "total"] as const).map((name) => ({
    name,
    values: energies.map((energy) => energy[name]),
  }));
  return { title: "energy", unit: "J", scale: "linear", series };
}

function heightPlot({ states, mechanism }: Trajectory, names: readonly string[]): PlotValues {
  const series = names.map((name) => {
    const at = bodyStateSize * named(mechanism.bodies, name, "body").index + 2;
    return { name, values: states.map((state) => state[at]) };
  });
  return { title: "height", unit: "m", scale: "linear", series };
}

function bodiesOfNote({ bodies }: Mechanism, start: Float64Array): string[] {
  const names = bodies.map(({ name }) => name);
  if (names.length <= 4) return names;
  const byHeight = [...names.keys()].sort((a, b) => start[bodyStateSize * a + 2] - start[bodyStateSize * b + 2]);
  return [...new Set([0, byHeight[names.length - 1], byHeight[0]])].map((index) => names[index]);
}

function distancePlot(distances: Float64Array): PlotValues {
  const series = [{ name: "smallest of all contacts", values: distances }];
  return { title: "contact distance", unit: "m", scale: "logarithmic", series };
}

function iterationPlot({ reports, states, every }: Trajectory): PlotValues {
  const values = new Float64Array(states.length).fill(Number.NaN);
  // with checkpoints, the largest since the frame before
  for (let frame = 1; frame < states.length; frame++) {
    const steps = reports.slice((frame - 1) * every, frame * every);
    values[frame] = Math.max(...steps.map(({ iterations }) => iterations));
  }
  return { title: "iterations per step", unit: "", scale: "linear", series: [{ name: "iterations", values }] };
}

function encodedPlot({ title, unit, scale, series }: PlotValues, frames: number): ReplayPlot {
  const wrong = series.find(({ values }) => values.length !== frames);
  if (wrong) {
    const message = `${wrong.values.length} values for ${frames} states; give one for each, NaN for none`;
    throw new ArgumentError("wrong-size", `plots.${title}.${wrong.name}`, message);
  }
  return { title, unit, scale, series: series.map(({ name, values }) => ({ name, values: encodeFloats(values) })) };
}

function summaryOf({ mechanism, reports, timestep }: Trajectory, distances: Float64Array): ReplaySummary {
  const steps = reports.length;
  const iterations = reports.reduce((sum, report) => sum + report.iterations, 0);
  const smallestDistance = distances.slice(1).reduce((least, distance) => Math.min(least, distance), Infinity);
  return {
    model: mechanism.name,
    steps,
    timestep,
    solved: reports.filter(({ status }) => status === "solved").length,
    iterationsMean: steps > 0 ? iterations / steps : 0,
    iterationsMax: reports.reduce((most, report) => Math.max(most, report.iterations), 0),
    retries: reports.reduce((sum, report) => sum + report.retries, 0),
    substepped: reports.filter(({ substeps }) => substeps > 1).length,
    smallestDistance: Number.isFinite(smallestDistance) ? smallestDistance : null,
  };
}
