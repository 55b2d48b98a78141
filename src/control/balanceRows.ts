/** Which rows of a step's residual are which: those of constraints, and those that say what acts on a coordinate. */
import { loadedCoordinates } from "../equations/index.ts";
import { jointSpecies, type NodePlace, type System } from "../kernels/index.ts";

function constraintCount({ mechanism }: System, { kind, index }: NodePlace): number {
  if (kind === "gear") return mechanism.gears[index].kind === "equality" ? 1 : 0;
  if (kind !== "joint") return 0;
  const { translation, rotation, serial } = mechanism.joints[index].shape;
  return translation + (serial && rotation !== 1 ? 0 : rotation);
}

/** Those of what joints and gears hold. */
export function constraintRowsOf(system: System, node: NodePlace): number[] {
  return Array.from({ length: constraintCount(system, node) }, (_, k) => node.multiplier + k);
}

/** Those that set a multiplier equal to a force, which comes after the constraints. */
export function forceRowsOf(system: System, node: NodePlace): number[] {
  if (node.kind === "gear") {
    const { kind } = system.mechanism.gears[node.index];
    return kind === "equality" ? [] : [node.multiplier + node.multipliers - 1];
  }
  if (node.kind !== "joint") return [];
  const first = constraintCount(system, node);
  return Array.from({ length: node.multipliers - first }, (_, k) => node.multiplier + first + k);
}

/** Which of a joint's rows is the force on coordinate i. */
export function forceRow(system: System, joint: number, i: number): number {
  let row = constraintCount(system, system.nodes[joint]);
  for (const k of loadedCoordinates(jointSpecies(system.mechanism.joints[joint]))) if (k < i) row++;
  return row;
}
