/** What happens in the runs that are timed: contacts, iterations, and how far the engines go apart. */
import { bodyStateSize, type Mechanism, maximalFromMinimal } from "dojo-sim";
import type { OurRuns } from "./ours.ts";
import type { PeerRuns } from "./theirs.ts";

export interface Facts {
  readonly bodies: number;
  readonly coordinates: number;
  readonly inputs: number;
  readonly contacts: number;
  /** Means a step, of our solver's iterations and of the contacts that carry a force. */
  readonly iterations: number;
  readonly touching: number;
  readonly retries: number;
  readonly substeppedSteps: number;
  readonly unsolvedSteps: number;
  readonly stepsWithoutGradients: number;
  /** Smallest distance of a contact after any step, m; null without contacts. */
  readonly lowestDistance: number | null;
  readonly peerTouching: number;
  readonly peerLowestDistance: number | null;
  readonly peerDiverged: boolean;
  /** Largest distance between the two engines' positions of a body after 1, 10 and 100 steps, m. */
  readonly apart: Readonly<Record<string, number>>;
}

/** Contact forces above this count as touching, N. */
const touch = 1e-3;
const compared = [1, 10, 100];

export function factsOf(ours: OurRuns, theirs: PeerRuns): Facts {
  const { simulation, inputs } = ours;
  const { mechanism } = simulation;
  const { peer } = theirs;
  const state = Float64Array.from(ours.start);
  const sums = { iterations: 0, touching: 0, retries: 0, substepped: 0, unsolved: 0, peerTouching: 0 };
  let [lowest, peerLowest] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const apart: Record<string, number> = {};
  theirs.restart();
  inputs.forEach((input, k) => {
    const { next, iterations, retries, substeps, status } = simulation.step(state, input);
    state.set(next);
    sums.iterations += iterations;
    sums.retries += retries;
    if (substeps > 1) sums.substepped++;
    if (status !== "solved") sums.unsolved++;
    lowest = Math.min(lowest, simulation.smallestDistance);
    sums.touching += mechanism.contacts.filter(({ name }) => simulation.contact(name).normal > touch).length;
    theirs.step(k);
    sums.peerTouching += peer.data.ncon;
    peerLowest = Math.min(peerLowest, ...peer.distances());
    if (compared.includes(k + 1)) apart[`${k + 1}`] = largestDistance(mechanism, state, peer.state);
  });
  const peerDiverged = peer.diverged;
  const distance = (value: number): number | null => (Number.isFinite(value) ? value : null);
  return {
    bodies: mechanism.bodies.length,
    coordinates: mechanism.coordinateCount,
    inputs: mechanism.inputSize,
    contacts: mechanism.contacts.length,
    iterations: sums.iterations / inputs.length,
    touching: sums.touching / inputs.length,
    retries: sums.retries,
    substeppedSteps: sums.substepped,
    unsolvedSteps: sums.unsolved,
    stepsWithoutGradients: ours.jacobians(),
    lowestDistance: distance(lowest),
    peerTouching: sums.peerTouching / inputs.length,
    peerLowestDistance: distance(peerLowest),
    peerDiverged,
    apart,
  };
}

function largestDistance(mechanism: Mechanism, state: Float64Array, minimal: Float64Array): number {
  const theirs = maximalFromMinimal(mechanism, minimal, mechanism.timestep);
  const distances = mechanism.bodies.map(({ index }) => {
    const at = bodyStateSize * index;
    return Math.hypot(...[0, 1, 2].map((i) => theirs[at + i] - state[at + i]));
  });
  return Math.max(...distances);
}
