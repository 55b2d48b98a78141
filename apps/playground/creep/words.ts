/** Numbers and sentences of the creep test. */
import type { CreepSettings } from "./settings.ts";
import { type CreepTheory, creepTheory, holds } from "./theory.ts";

/** Micrometres, or micrometres a second, from SI. */
export function microns(value: number): string {
  const size = Math.abs(1e6 * value);
  const sign = value < 0 ? "−" : "";
  if (size === 0) return "0";
  if (size >= 100) return sign + Math.round(size).toLocaleString("en");
  if (size >= 1) return sign + size.toPrecision(3);
  if (size < 1e-5) return sign + size.toExponential(1);
  // two digits, without an exponent
  return sign + size.toFixed(1 - Math.floor(Math.log10(size)));
}

export function theorySentence(settings: CreepSettings): string {
  const { creep, isBound }: CreepTheory = creepTheory(settings);
  if (creep === undefined) return "theory: it slides";
  return `theory: ${isBound ? "at most " : ""}${microns(creep)} µm/s`;
}

export function situation(settings: CreepSettings): string {
  const { angle, friction } = settings;
  if (holds(settings)) return "Friction can hold this block: it should not move at all.";
  return `Friction of ${friction} cannot hold a block on ${angle}°: it slides, and should.`;
}

export const explanation: readonly string[] = [
  "The same block lies on the same slope in both engines, from one description; MuJoCo gets it by the engine's MJCF exporter. " +
    "A real block stays as long as its friction coefficient is larger than the slope's tangent.",
  "MuJoCo regularises friction: a contact resists slip like a stiff damper, so it must slip a little to resist at all. Elliptic " +
    "cones, a larger impratio and its no-slip pass make the drift smaller.",
  "dojo-sim solves for friction that sticks. What is left is the distance κ from the exact solution: a contact with normal impulse γ " +
    "and friction impulse β slips at κβ/((cγ)² − β²), c being the friction coefficient. By default κ is so small that on 10° with " +
    "friction 1 this is less than a nanometre in a second.",
];
