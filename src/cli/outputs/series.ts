/**
 * A trajectory as named series, for the writers of tables. Series of states have one row more than there are steps: row k is at
 * time k·h. Series of steps have a row a step: what acted between rows k and k + 1.
 */
import { jointCoordinates, jointRates, type Trajectory } from "../../index.ts";

export interface Series {
  /** For files with one array a series. */
  readonly name: string;
  /** One a column. */
  readonly columns: readonly string[];
  readonly of: "states" | "steps";
  readonly rows: readonly ArrayLike<number>[];
}

const stateParts = ["position.x", "position.y", "position.z"]
  .concat(["orientation.w", "orientation.x", "orientation.y", "orientation.z"])
  .concat(["velocity.x", "velocity.y", "velocity.z"])
  .concat(["angularVelocity.x", "angularVelocity.y", "angularVelocity.z"]);
const contactParts = ["normal", "friction.x", "friction.y", "distance"];

/** Names of the numbers of a state. */
export function stateColumns(trajectory: Trajectory): string[] {
  return trajectory.mechanism.bodies.flatMap(({ name }) => stateParts.map((part) => `bodies.${name}.${part}`));
}

export function seriesOf(trajectory: Trajectory): Series[] {
  const { mechanism, timestep, states, inputs, reports, times } = trajectory;
  const { coordinateNames, inputNames, contacts } = mechanism;
  const readings = contacts.map(({ name }) => trajectory.contact(name));
  const ofContacts = reports.map((_, k) =>
    readings.flatMap((steps) => [steps[k].normal, ...steps[k].friction, steps[k].distance]),
  );
  return [
    { name: "time", columns: ["time"], of: "states", rows: times.map((time) => [time]) },
    {
      name: "coordinates",
      columns: coordinateNames.map((name) => `coordinates.${name}`),
      of: "states",
      rows: states.map((state) => jointCoordinates(mechanism, state)),
    },
    {
      name: "rates",
      columns: coordinateNames.map((name) => `rates.${name}`),
      of: "states",
      rows: states.map((state) => jointRates(mechanism, state, timestep)),
    },
    { name: "states", columns: stateColumns(trajectory), of: "states", rows: states },
    { name: "inputs", columns: inputNames.map((name) => `inputs.${name}`), of: "steps", rows: inputs },
    {
      name: "contacts",
      columns: contacts.flatMap(({ name }) => contactParts.map((part) => `contacts.${name}.${part}`)),
      of: "steps",
      rows: ofContacts,
    },
    {
      name: "solver",
      columns: ["solver.solved", "solver.iterations", "solver.retries", "solver.substeps"],
      of: "steps",
      rows: reports.map(({ status, iterations, retries, substeps }) => [
        status === "solved" ? 1 : 0,
        iterations,
        retries,
        substeps,
      ]),
    },
  ];
}
