/** Whether recorded poses can be those of the mechanism: a body far below the ground is one whose lengths are in other units. */
import { ArgumentError, type Mechanism } from "../mechanism/index.ts";
import { Quantities, QuantityFunction } from "../quantities/index.ts";
import { poseSize, type Recording } from "./recording.ts";
import { fileFault } from "./table.ts";

/** A body may be recorded this far below the ground, as a part of its contacts' reach: sensors err, and models have a wrong size at first. */
const depthTolerance = 0.35;

/** Throws at the first frame in which a contact is deep in the ground. */
export function requireAboveGround(mechanism: Mechanism, recordings: readonly Recording[]): void {
  const contacts = mechanism.contacts.filter(({ other }) => other < 0);
  if (contacts.length === 0) return;
  const q = new Quantities(mechanism);
  const made = new QuantityFunction(
    q,
    contacts.map(({ name }) => q.contact(name).distance),
  );
  const reach = contacts.map(({ point, radius }) => Math.hypot(...point) + radius);
  const state = new Float64Array(mechanism.stateSize);
  for (const recording of recordings) {
    const posed = mechanism.bodies.filter(({ name }) => recording.poses[name]);
    if (posed.length < mechanism.bodies.length) continue;
    for (let k = 0; k < recording.frames; k++) {
      posed.forEach(({ name, index }) => {
        state.set(recording.poses[name].subarray(poseSize * k, poseSize * (k + 1)), 13 * index);
      });
      made.evaluate({ state });
      const deep = contacts.findIndex((_, i) => made.values[i] < -depthTolerance * reach[i]);
      if (deep < 0) continue;
      const depth = Number((-made.values[deep]).toPrecision(3));
      const message = `contact "${contacts[deep].name}" would be ${depth} m below the ground; are lengths in metres, is z up, is the ground at 0? Millimetres are read with length 0.001 (--length 0.001)`;
      throw fileFault("below-ground", recording.name, recording.lines[k], message);
    }
  }
  if (recordings.length === 0) throw new ArgumentError("no-recordings", "recordings", "none is given");
}
