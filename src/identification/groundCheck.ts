/** Whether recorded poses can be those of the mechanism: a body far below the ground is one whose lengths are in other units. */

import { maximalFromMinimal, needsClosure } from "../coordinates/index.ts";
import { bodyStateSize, poseSize } from "../math/index.ts";
import { ArgumentError, type Mechanism, type MechanismDescription } from "../mechanism/index.ts";
import { Quantities, QuantityFunction } from "../quantities/index.ts";
import { compile } from "../simulation/index.ts";
import type { Recording } from "./recording.ts";
import { type Sampling, windowsOf } from "./sampling.ts";
import { fileFault } from "./table.ts";

/** A body may be recorded this far below the ground, as a part of its contacts' reach: sensors err, and models have a wrong size at first. */
const depthTolerance = 0.35;

/** A start counts as touching the ground from this far above it, as a part of the contact's reach: about what sensors err. */
const touchTolerance = 0.05;

/** Throws at the first frame in which a contact is deep in the ground. */
export function requireAboveGround(mechanism: Mechanism, recordings: readonly Recording[]): void {
  const ground = new GroundDistances(mechanism);
  for (const recording of recordings.filter(({ poses }) => Object.keys(poses).length > 0)) {
    for (let k = 0; k < recording.frames; k++) {
      const deep = ground.nearer(recording, k, -depthTolerance);
      if (!deep) continue;
      const depth = Number((-deep.distance).toPrecision(3));
      const message = `contact "${deep.name}" would be ${depth} m below the ground; are lengths in metres, is z up, is the ground at 0? Millimetres are read with length 0.001 (--length 0.001)`;
      throw fileFault("below-ground", recording.name, recording.lines[k], message);
    }
  }
  if (recordings.length === 0) throw new ArgumentError("no-recordings", "recordings", "none is given");
}

/** How many windows start from a frame in which something touches the ground. */
export function startsInContact(
  description: MechanismDescription,
  recordings: readonly Recording[],
  sampling: Sampling,
): { readonly count: number; readonly of: number } {
  const ground = new GroundDistances(compile(description));
  let [count, of] = [0, 0];
  for (const recording of recordings) {
    for (const { start } of windowsOf(recording, sampling)) {
      of++;
      if (ground.nearer(recording, start, touchTolerance)) count++;
    }
  }
  return { count, of };
}

/** Distances of contacts from the ground in recorded frames, where the poses of all bodies or all joint coordinates were recorded. */
class GroundDistances {
  private readonly mechanism: Mechanism;
  private readonly contacts: readonly { readonly name: string; readonly reach: number }[];
  private readonly made: QuantityFunction | undefined;
  private readonly state: Float64Array;

  constructor(mechanism: Mechanism) {
    const contacts = mechanism.contacts.filter(({ other }) => other < 0);
    const q = new Quantities(mechanism);
    const distances = contacts.map(({ name }) => q.contact(name).distance);
    this.made = contacts.length === 0 ? undefined : new QuantityFunction(q, distances);
    this.contacts = contacts.map(({ name, point, radius }) => ({ name, reach: Math.hypot(...point) + radius }));
    this.mechanism = mechanism;
    this.state = new Float64Array(mechanism.stateSize);
  }

  /** The first contact that is nearer to the ground than a part of its reach. */
  nearer(
    recording: Recording,
    frame: number,
    part: number,
  ): { readonly name: string; readonly distance: number } | undefined {
    const { contacts, made } = this;
    const state = made && this.stateAt(recording, frame);
    if (!state) return undefined;
    made.evaluate({ state });
    const found = contacts.findIndex(({ reach }, i) => made.values[i] < part * reach);
    return found < 0 ? undefined : { name: contacts[found].name, distance: made.values[found] };
  }

  /** Where everything is in a frame; undefined where it does not say. */
  private stateAt({ poses, coordinates }: Recording, frame: number): Float64Array | undefined {
    const { mechanism, state } = this;
    const { bodies, coordinateNames, coordinateCount } = mechanism;
    if (bodies.every(({ name }) => poses[name])) {
      for (const { name, index } of bodies) {
        state.set(poses[name].subarray(poseSize * frame, poseSize * (frame + 1)), bodyStateSize * index);
      }
      return state;
    }
    if (needsClosure(mechanism) || coordinateNames.some((name) => !coordinates[name])) return undefined;
    const x = new Float64Array(2 * coordinateCount);
    coordinateNames.forEach((name, i) => {
      x[i] = coordinates[name][frame];
    });
    return maximalFromMinimal(mechanism, x);
  }
}
