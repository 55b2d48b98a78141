/**
 * A cap on the stiffness of contacts at the end of a step, where its gradients are taken. A foot that lands with 28 N·s has a gap of 3e-13 m s
 * left, a stiffness of 1e12 times the lightest body: factors of such a matrix have lost the digits of all else, and a step forwards and backwards
 * would differ in the third. For every eigenvalue of a contact's cones,
 *   cᵢ ← max(cᵢ, bᵢ/(1e6 m)),        gaps over h, m the mass of the lightest body at the contact
 * in the Jordan frame of b − c, which both of a pair at its end nearly share. What presses then yields by a millionth of its own mass's answer, and no
 * solution needs to be refined. The step itself stays where it ended.
 *
 * Impacts are not capped: there contacts that share a load bounce each by its own impulse, and how these change follows from how stiff they are.
 */
import { bodyParameterNames } from "../../equations/index.ts";
import type { NodePlace, System } from "../../kernels/index.ts";
import { worldIndex } from "../../mechanism/index.ts";

/** The largest stiffness of a contact, in masses of its lightest body. */
const largestStiffness = 1e6;
const none: readonly NodePlace[] = [];

/** Caps a point of the system (keptPoints.ts), which has just been solved for in a time step of h. */
export function capContacts(point: Float64Array, system: System): void {
  const { nodes, touch } = system;
  for (let i = 0; i < nodes.length; i++) if (nodes[i].kind === "contact") capContact(point, system, nodes[i]);
  const bound = touch?.boundNodes ?? none;
  for (let i = 0; i < bound.length; i++) capContact(point, system, bound[i]);
}

function capContact(point: Float64Array, system: System, { cone, roles, bodies }: NodePlace): void {
  const { f64, places, mechanism, unknowns, coneSize } = system;
  const b = mechanism.stateSize + unknowns;
  const c = b + coneSize;
  let lightest = Number.POSITIVE_INFINITY;
  for (const body of bodies) {
    if (body === worldIndex) continue;
    lightest = Math.min(lightest, f64[places.bodyParameters + bodyParameterNames.length * body]);
  }
  const h = f64[places.globals];
  let at = cone;
  for (const { size, start, impulse } of roles) {
    const unit = impulse === "b" ? lightest : 1 / lightest;
    capPair(point, b + at, c + at, size, (largestStiffness * unit) / (start === "normal" ? h : 1));
    at += size;
  }
}

/** Raises the eigenvalues of c to those of b over `most`. Eigenvectors are those of b − c. */
function capPair(values: Float64Array, b: number, c: number, size: number, most: number): void {
  let tail = 0;
  for (let i = 1; i < size; i++) tail += (values[b + i] - values[c + i]) ** 2;
  tail = Math.sqrt(tail);
  let alongB = 0;
  let alongC = 0;
  for (let i = 1; i < size && tail > 0; i++) {
    const direction = (values[b + i] - values[c + i]) / tail;
    alongB += values[b + i] * direction;
    alongC += values[c + i] * direction;
  }
  const first = Math.max(0, (values[b] + alongB) / most - values[c] - alongC);
  const second = size > 1 ? Math.max(0, (values[b] - alongB) / most - values[c] + alongC) : first;
  if (first === 0 && second === 0) return;
  for (let i = 1; i < size && tail > 0; i++)
    values[c + i] += (((first - second) / 2) * (values[b + i] - values[c + i])) / tail;
  values[c] += (first + second) / 2;
}
