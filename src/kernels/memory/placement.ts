/** Where the symbols of a node or body lie when its kernels run, and consecutive outputs. */
import { basisLayout, globalList, type NodeEquations, type TwistBasis } from "../../equations/index.ts";
import type { Expr, Scalar } from "../../symbolic/index.ts";
import type { Output, Stage, StagedInput } from "../species/staging.ts";

/** Offsets in a body's `next` memory. */
export const nextLayout = { position: 0, orientation: 3, rotation: 7, turn: 16, size: 25 } as const;

export type Inputs = Map<Expr, StagedInput>;

/** Where the basis of a body lies, its iterate's part at the stage that reads it. */
export function placeBasis(basis: TwistBasis, operand: string, place: Place, iterate: Stage): void {
  place(basis.rotation.flat(), operand, "prepare", basisLayout.rotation);
  place([...basis.tilt.flat(), ...basis.spin.flat()], operand, iterate, basisLayout.tilt);
}

/** Puts consecutive symbols into an operand, and gives them back. */
export type Place = <T extends Scalar>(
  symbols: readonly T[],
  operand: string,
  stage: Stage,
  start?: number,
) => readonly T[];

export function placer(inputs: Inputs): Place {
  return (symbols, operand, stage, start = 0) => {
    symbols.forEach((symbol, i) => {
      inputs.set(symbol as Expr, { operand, index: start + i, stage });
    });
    return symbols;
  };
}

/** What never changes during a step: parameters, inputs, and the state that it starts from. */
export function constantInputs(node: NodeEquations): Inputs {
  const inputs: Inputs = new Map();
  const place = placer(inputs);
  place(globalList(node.globals), "globals", "prepare");
  node.parameterGroups.forEach((group, i) => {
    place(group, `parameters.${i}`, "prepare");
  });
  place(node.inputs, "inputs", "prepare");
  node.bodies.forEach(({ moves, pose, velocity }, k) => {
    if (!moves) return;
    place([...pose.position, ...pose.orientation, ...velocity.linear, ...velocity.angular], `state.${k}`, "prepare");
  });
  return inputs;
}

/** The same, and the iterate at the stage that reads it. */
export function nodeInputs(node: NodeEquations, iterate: Stage): Inputs {
  const inputs = constantInputs(node);
  const place = placer(inputs);
  node.bodies.forEach((body, k) => {
    if (!body.moves) return;
    const { nextSymbols: next, nextVelocity, turn } = body;
    placeBasis(body.basis, `basis.${k}`, place, iterate);
    place(
      [...next.position, ...next.orientation, ...(next.rotation?.flat() ?? []), ...turn.flat()],
      `next.${k}`,
      iterate,
      nextLayout.position,
    );
    place([...nextVelocity.linear, ...nextVelocity.angular], `unknown.${k}`, iterate);
  });
  place(node.multipliers, "unknown.own", iterate);
  placeCones(node, place, iterate);
  return inputs;
}

export function placeCones({ cones }: NodeEquations, place: Place, stage: Stage): void {
  place(
    cones.flatMap((cone) => cone.b),
    "coneB",
    stage,
  );
  place(
    cones.flatMap((cone) => cone.c),
    "coneC",
    stage,
  );
}

/** Consecutive outputs; what would add nothing is left out. */
export function outputsTo(
  operand: string,
  stage: Output["stage"],
  values: readonly Scalar[],
  accumulate = false,
  start = 0,
): Output[] {
  return values
    .map((value, i): Output => ({ operand, index: start + i, value, stage, accumulate }))
    .filter((output) => !(accumulate && output.value === 0));
}
