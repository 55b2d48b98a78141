/**
 * A trajectory as JSON, with the description it belongs to:
 *   { format: "dojo-sim trajectory", version: 1, summary, description, parameters, timestep, times, stateNames, states, … }
 */
import { dumpStep, type Simulation, type Trajectory } from "../simulation/index.ts";
import { seriesOf } from "./series.ts";

export function trajectoryJson(simulation: Simulation, trajectory: Trajectory, summary: unknown): string {
  const { mechanism, timestep, times, states, reports } = trajectory;
  const table = Object.fromEntries(seriesOf(trajectory).map((series) => [series.name, series]));
  const rows = (name: string): number[][] => {
    const { length, row } = table[name];
    return Array.from({ length }, (_, k) => Array.from(row(k)));
  };
  // parameters that were changed, by path
  const { parameters } = dumpStep(simulation, states[0]);
  const value = {
    format: "dojo-sim trajectory",
    version: 1,
    summary,
    description: mechanism.description,
    parameters,
    timestep,
    times,
    coordinateNames: mechanism.coordinateNames,
    coordinates: rows("coordinates"),
    rates: rows("rates"),
    stateNames: table.states.columns,
    states: rows("states"),
    inputNames: mechanism.inputNames,
    inputs: rows("inputs"),
    contacts: Object.fromEntries(mechanism.contacts.map(({ name }) => [name, trajectory.contact(name)])),
    ...(mechanism.touch && { touches: trajectory.touches }),
    reports,
  };
  return `${JSON.stringify(value)}\n`;
}
