/** The value of a cost that is written by name, of which `pullback` gives the gradient. */
import { ArgumentError } from "../mechanism/index.ts";
import type { Trajectory } from "../simulation/index.ts";
import { isNamed, NamedCosts } from "./namedCosts.ts";
import { type Cotangents, cotangentOf } from "./pullback.ts";

/**
 * The sum of the costs of all states of a rollout, given as `pullback` takes them, but by name or expression.
 *   costOf(trajectory, "(torso.z - 0.4)^2")                      at the end
 *   costOf(trajectory, () => "1e-3 |coordinates|^2")             at every state
 */
export function costOf(trajectory: Trajectory, costs: Cotangents): number {
  const { states, final, inputs, steps, every, timestep, mechanism } = trajectory;
  const named = new NamedCosts(mechanism);
  const given = cotangentOf(costs, steps);
  let sum = 0;
  for (let k = 0; k <= steps; k++) {
    const state = k === steps ? final : states[k / every];
    const cost = given(k, state);
    const at = `costs[${k}]`;
    if (!cost) continue;
    if (!isNamed(cost)) {
      throw new ArgumentError(
        "wrong-type",
        at,
        "is an array, which has no value; give a cost by name or as an expression",
      );
    }
    if (!state) {
      throw new ArgumentError("not-recorded", at, `the record keeps a state in ${every}; leave out checkpointEvery`);
    }
    const point = { state, input: inputs[k], interval: trajectory.interval(k / every), time: k * timestep };
    sum += named.value(cost, at, point);
  }
  return sum;
}
