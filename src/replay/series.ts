/**
 * A trajectory as named series, for the writers of tables. Series of states have one row more than there are steps: row k is at
 * time k·h. Series of steps have a row per step: what acted between rows k and k + 1.
 */
import { jointRates } from "../coordinates/index.ts";
import type { TouchReading, Trajectory } from "../simulation/index.ts";

export interface Series {
  /** The name, for files with one array per series. */
  readonly name: string;
  /** One a column. */
  readonly columns: readonly string[];
  readonly of: "states" | "steps";
  readonly length: number;
  /** Made when it is asked for: all rows at once would take the memory of the trajectory again. */
  readonly row: (index: number) => ArrayLike<number>;
}

const stateParts = ["position.x", "position.y", "position.z"]
  .concat(["orientation.w", "orientation.x", "orientation.y", "orientation.z"])
  .concat(["velocity.x", "velocity.y", "velocity.z"])
  .concat(["angularVelocity.x", "angularVelocity.y", "angularVelocity.z"]);
const contactParts = ["normal", "friction.x", "friction.y", "distance"];
const touchParts = ["normal", "force.x", "force.y", "force.z"];

/** Names of the numbers of a state. */
function stateColumns(trajectory: Trajectory): string[] {
  return trajectory.mechanism.bodies.flatMap(({ name }) => stateParts.map((part) => `bodies.${name}.${part}`));
}

export function seriesOf(trajectory: Trajectory): Series[] {
  const { mechanism, timestep, states, inputs, reports } = trajectory;
  const { coordinateNames, inputNames, contacts } = mechanism;
  const readings = contacts.map(({ name }) => trajectory.contact(name));
  const ofStates = { of: "states", length: states.length } as const;
  const ofSteps = { of: "steps", length: reports.length } as const;
  return [
    { name: "time", columns: ["time"], ...ofStates, row: (k) => [k * trajectory.every * timestep] },
    {
      name: "coordinates",
      columns: coordinateNames.map((name) => `coordinates.${name}`),
      ...ofStates,
      row: (k) => trajectory.coordinatesAt(k),
    },
    {
      name: "rates",
      columns: coordinateNames.map((name) => `rates.${name}`),
      ...ofStates,
      row: (k) => {
        const { state, interval } = trajectory.readable(k);
        return jointRates(mechanism, state, interval);
      },
    },
    { name: "states", columns: stateColumns(trajectory), ...ofStates, row: (k) => states[k] },
    { name: "inputs", columns: inputNames.map((name) => `inputs.${name}`), ...ofSteps, row: (k) => inputs[k] },
    {
      name: "contacts",
      columns: contacts.flatMap(({ name }) => contactParts.map((part) => `contacts.${name}.${part}`)),
      ...ofSteps,
      row: (k) => readings.flatMap((steps) => [steps[k].normal, ...steps[k].friction, steps[k].distance]),
    },
    ...(mechanism.touch ? [touchSeries(trajectory.touches, ofSteps)] : []),
    {
      name: "solver",
      columns: ["solver.solved", "solver.iterations", "solver.retries", "solver.substeps"],
      ...ofSteps,
      row: (k) => {
        const { status, iterations, retries, substeps } = reports[k];
        return [status === "solved" ? 1 : 0, iterations, retries, substeps];
      },
    },
  ];
}

/** Forces between bodies whose shapes came near each other, on the first of the two: sums over the places where they touch. */
function touchSeries(touches: readonly (readonly TouchReading[])[], ofSteps: Pick<Series, "of" | "length">): Series {
  const nameOf = ({ body, other }: TouchReading): string => `${body}.${other}`;
  const pairs = [...new Set(touches.flatMap((step) => step.map(nameOf)))].sort();
  const places = new Map(pairs.map((name, i) => [name, touchParts.length * i]));
  return {
    name: "touches",
    columns: pairs.flatMap((name) => touchParts.map((part) => `touches.${name}.${part}`)),
    ...ofSteps,
    row: (k) => {
      const row = new Float64Array(touchParts.length * pairs.length);
      for (const reading of touches[k]) {
        const at = places.get(nameOf(reading)) as number;
        [reading.normalForce, ...reading.force].forEach((value, i) => {
          row[at + i] += value;
        });
      }
      return row;
    },
  };
}

/** The numbers of state k: its own, and those of the step that led to it; undefined for the step before the first. */
export function rowAt({ of, length, row }: Series, k: number): ArrayLike<number> | undefined {
  const index = of === "states" ? k : k - 1;
  return index >= 0 && index < length ? row(index) : undefined;
}
