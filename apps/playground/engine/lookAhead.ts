/**
 * A look ahead: where the bodies of a mechanism that is held go in its first seconds. The view makes room for that, and the floor that
 * it draws where there is none lies below. It is taken in a simulation of its own, so that no bit of the scene changes.
 */
import { type Mechanism, Simulation } from "dojo-sim";
import type { LookAhead, Settings } from "../protocol.ts";
import { posesOf } from "./bodyPoint.ts";
import { applyParameters, stepOptions } from "./settings.ts";

/** Seconds of the simulation, and at how many moments they are looked at. */
const seconds = 2.5;
const moments = 40;

/** Milliseconds that a look takes at most: a slow machine sees less far. */
const usualTime = 150;

export function lookAhead(
  mechanism: Mechanism,
  settings: Settings,
  {
    state: start,
    input,
    interval,
  }: { readonly state: Float64Array; readonly input: Float64Array; readonly interval: number },
  mostTime = usualTime,
): LookAhead {
  const begin = performance.now();
  const simulation = new Simulation(mechanism);
  simulation.setParameter("timestep", settings.timestep);
  applyParameters(simulation, settings);
  const every = Math.max(1, Math.round(seconds / settings.timestep / moments));
  const state = start.slice();
  const options = { ...stepOptions(settings), interval };
  const poses: Float32Array[] = [];
  for (let step = 1; step <= every * moments && performance.now() - begin < mostTime; step++) {
    const { status, next, interval: ofNext } = simulation.step(state, input, options);
    if (status !== "solved") break;
    options.interval = ofNext;
    state.set(next);
    if (step % every === 0) poses.push(posesOf(state, mechanism.bodies.length));
  }
  return { interval: every * settings.timestep, poses };
}
