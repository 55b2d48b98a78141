/**
 * Kernels of a body or node for the solver of trees, in three sets that run at different moments:
 *   residual   prepare, evaluate              its share of the residual
 *   geometry   prepare, linearise             directions of its ports at z, their gradients at z₊
 *   law        prepare, weigh, rhs, recover   how its impulses answer to its ports (equations/law.ts)
 *
 * Operand names beside those of nodeKernels.ts: `direction.k`, `gradient.k` and `diagonal.k` of the node's body k; `force` and
 * `articulated` of a contact's body; `stiffness`, `push` and `motion` of a joint.
 */
import {
  bodyBalance,
  type GearLaw,
  gearLaw,
  globalList,
  globalSymbols,
  type NodeEquations,
  type NodeLaw,
  nextPose,
  nodeLaw,
  portDirections,
  portGradients,
  stepJacobians,
  turnJacobian,
  untilted,
} from "../equations/index.ts";
import {
  add,
  type Expr,
  Graph,
  jacobian,
  mul,
  neg,
  rotationMatrix,
  type Scalar,
  sub,
  substitute,
} from "../symbolic/index.ts";
import { bodyParameterNames, nextLayout } from "./bodyKernels.ts";
import { type Output, type Stage, type StagedInput, type StagedKernels, stageKernels } from "./staging.ts";

export interface TreeKernels {
  readonly residual: StagedKernels;
  readonly geometry: StagedKernels;
  readonly law: StagedKernels;
}

type Inputs = Map<Expr, StagedInput>;

/** Undefined where the node's law cannot be told from its geometry. */
export function treeNodeKernels(name: string, node: NodeEquations): TreeKernels | undefined {
  const law = lawOf(name, node);
  const geometry = geometryOutputs(node);
  if (!law || !geometry) return undefined;
  return {
    residual: residualKernels(`${name}.residual`, node),
    geometry: stageKernels(`${name}.geometry`, nodeInputs(node, "linearise"), geometry),
    law,
  };
}

function lawOf(name: string, node: NodeEquations): StagedKernels | undefined {
  if (node.ports?.kind === "joint" || node.ports?.kind === "contact") {
    const law = nodeLaw(node);
    return law && lawKernels(`${name}.law`, node, law);
  }
  if (!node.ports && node.multipliers.length + node.cones.length > 0) return undefined;
  return stageKernels(`${name}.law`, new Map(), []);
}

/** A gear acts through the ports of the joints it ties together; `slopes` says how its rows see them. */
export function treeGearKernels(name: string, node: NodeEquations, slopes: readonly Scalar[]): TreeKernels {
  const none = stageKernels(`${name}.geometry`, new Map(), []);
  return {
    residual: residualKernels(`${name}.residual`, node),
    geometry: none,
    law: gearLawKernels(`${name}.law`, node, gearLaw(node, slopes)),
  };
}

/** What a step starts from, and the iterate at the stage that reads it. */
function nodeInputs(node: NodeEquations, iterate: Stage): Inputs {
  const inputs = constants(node);
  const place = placer(inputs);
  place(node.inputs, "inputs", "prepare");
  node.bodies.forEach((body, k) => {
    if (!body.moves) return;
    const { pose, velocity, nextSymbols: next, nextVelocity, turn } = body;
    place([...pose.position, ...pose.orientation, ...velocity.linear, ...velocity.angular], `state.${k}`, "prepare");
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

function constants(node: NodeEquations): Inputs {
  const inputs: Inputs = new Map();
  const place = placer(inputs);
  place(globalList(node.globals), "globals", "prepare");
  node.parameterGroups.forEach((group, i) => {
    place(group, `parameters.${i}`, "prepare");
  });
  return inputs;
}

function placeCones(node: NodeEquations, place: ReturnType<typeof placer>, stage: Stage): void {
  place(
    node.cones.flatMap((cone) => cone.b),
    "coneB",
    stage,
  );
  place(
    node.cones.flatMap((cone) => cone.c),
    "coneC",
    stage,
  );
}

/** Impulses act along the directions that the geometry has prepared. */
function residualKernels(name: string, node: NodeEquations): StagedKernels {
  const inputs = nodeInputs(node, "evaluate");
  const place = placer(inputs);
  const { ports } = node;
  const bodyRows = node.bodies.map(({ moves }, k) => {
    if (!moves || !ports) return node.bodyRows[k];
    const directions = ports.amounts.map((_, port) => node.graph.symbols(`direction.${k}.${port}.`, 6));
    place(directions.flat(), `direction.${k}`, "evaluate");
    return directions[0].map((_, i) =>
      ports.amounts.reduce<Scalar>((total, amount, port) => sub(total, mul(amount, directions[port][i])), 0),
    );
  });
  const equalities = node.eliminations.flatMap((e) => (e.kind === "equality" ? [e.value] : []));
  const wrench = node.wrench ? bodyRows[1].map(neg) : [];
  return stageKernels(name, inputs, [
    ...list("observations", "prepare", node.observations, false),
    ...bodyRows.flatMap((rows, k) => list(`residual.${k}`, "evaluate", rows, true)),
    ...list("residual.own", "evaluate", untilted(node.rows, node.bodies), node.sharesRows),
    ...list("coneResidual", "evaluate", untilted(equalities, node.bodies), false),
    ...list("wrench", "evaluate", wrench, false),
  ]);
}

/** Undefined where the impulses of a node on one body depend on the motion of another. */
function geometryOutputs(node: NodeEquations): Output[] | undefined {
  const outputs: Output[] = [];
  const moving = node.bodies.map((_, k) => k).filter((k) => node.bodies[k].moves);
  if (node.ports && node.ports.kind !== "gearTerm") {
    const [directions, gradients] = [portDirections(node), portGradients(node)];
    for (const k of moving) {
      outputs.push(...list(`direction.${k}`, "prepare", directions[k].flat(), false));
      outputs.push(...list(`gradient.${k}`, "linearise", gradients[k].flat(), false));
    }
  }
  // impulses on ports act along directions at z
  if (node.ports) return outputs;
  for (const k of moving) {
    const blocks = stepJacobians(node.bodyRows[k], node.bodies, node.globals.timestep);
    if (blocks.some((block, l) => l !== k && block.flat().some((entry) => entry !== 0))) return undefined;
    outputs.push(...list(`diagonal.${k}`, "linearise", blocks[k].flat(), true));
  }
  return outputs;
}

function lawKernels(name: string, node: NodeEquations, law: NodeLaw): StagedKernels {
  const inputs = constants(node);
  const place = placer(inputs);
  placeCones(node, place, "weigh");
  place(law.coneRhs, "coneRhs", "rhs");
  place(law.equalities, "coneResidual", "rhs");
  place(law.residuals, "residual.own", "rhs");
  const outputs: Output[] = [];
  let { recovered } = law;
  const ports = node.ports as NonNullable<NodeEquations["ports"]>;
  if (ports.kind === "joint") {
    place(law.rates, "motion", "recover");
    const free = ports.values.map((_, port) => port).slice(ports.constraints);
    outputs.push(
      ...list(
        "stiffness",
        "weigh",
        free.map((port) => neg(law.slopes[port][port])),
        false,
      ),
    );
    outputs.push(
      ...list(
        "push",
        "rhs",
        free.map((port) => law.pushes[port]),
        false,
      ),
    );
  } else {
    const count = ports.amounts.length;
    const matrix = (operand: string): Expr[][] => {
      const entries = node.graph.symbols(`${operand}.`, 6 * count);
      place(entries, operand, "weigh");
      return ports.amounts.map((_, row) => entries.slice(6 * row, 6 * row + 6));
    };
    const [direction, gradient] = [matrix("direction.1"), matrix("gradient.1")];
    const step = node.graph.symbols("step.body", 6);
    place(step, "step.1", "recover");
    const sixes = [0, 1, 2, 3, 4, 5];
    const dotted = (row: readonly Scalar[], column: readonly Scalar[]): Scalar =>
      row.reduce<Scalar>((total, entry, i) => add(total, mul(entry, column[i])), 0);
    // A·gradient, then −directionᵀ (A·gradient)
    const answered = law.slopes.map((row) =>
      sixes.map((j) =>
        dotted(
          row,
          gradient.map((line) => line[j]),
        ),
      ),
    );
    const block = sixes.flatMap((i) =>
      sixes.map((j) => direction.reduce<Scalar>((total, line, k) => sub(total, mul(line[i], answered[k][j])), 0)),
    );
    outputs.push(...list("articulated", "weigh", block, true));
    const force = sixes.map((i) =>
      dotted(
        direction.map((line) => line[i]),
        law.pushes,
      ),
    );
    outputs.push(...list("force", "rhs", force, true));
    const rates = gradient.map((line) => dotted(line, step));
    const known = new Map(law.rates.map((rate, i): [Expr, Scalar] => [rate, rates[i]]));
    const variables = [...recovered.keys()];
    const values = substitute([...recovered.values()], known);
    recovered = new Map(variables.map((variable, i) => [variable, values[i]]));
  }
  const steps = (variables: readonly Expr[]): Scalar[] => variables.map((variable) => recovered.get(variable) ?? 0);
  outputs.push(...list("stepB", "recover", steps(node.cones.flatMap((cone) => cone.b)), false));
  outputs.push(...list("stepC", "recover", steps(node.cones.flatMap((cone) => cone.c)), false));
  return stageKernels(name, inputs, outputs);
}

function gearLawKernels(name: string, node: NodeEquations, law: GearLaw): StagedKernels {
  const inputs = constants(node);
  const place = placer(inputs);
  placeCones(node, place, "weigh");
  place(law.coneRhs, "coneRhs", "rhs");
  place(law.equalities, "coneResidual", "rhs");
  place(law.residuals, "residual.own", "rhs");
  place([law.rate], "gearRate", "recover");
  place([law.impulse], "gearImpulse", "recover");
  const steps = (variables: readonly Expr[]): Scalar[] => variables.map((variable) => law.recovered.get(variable) ?? 0);
  const impulse = node.multipliers.length - 1;
  return stageKernels(name, inputs, [
    ...list("gearYielding", "weigh", [law.yielding], false),
    ...list("gearStiffness", "weigh", [law.stiffness], false),
    ...list("gearPush", "rhs", [law.push], false),
    ...list("step.own", "recover", [...steps(node.multipliers.slice(0, impulse)), law.impulse], false),
    ...list("stepB", "recover", steps(node.cones.flatMap((cone) => cone.b)), false),
    ...list("stepC", "recover", steps(node.cones.flatMap((cone) => cone.c)), false),
  ]);
}

/** Balance, next pose and its derivative; the balance's own gradient when it is asked for. */
export function treeBodyKernels(): Omit<TreeKernels, "law"> {
  const make = (iterate: Stage): { inputs: Inputs; outputs: Record<"next" | "balance" | "matrix", Scalar[]> } => {
    const graph = new Graph();
    const globals = globalSymbols(graph);
    const inputs: Inputs = new Map();
    const place = placer(inputs);
    place(globalList(globals), "globals", "prepare");
    const [mass, ...inertia] = place(
      bodyParameterNames.map((name) => graph.symbol(name)),
      "parameters",
      "prepare",
    );
    const state = place(graph.symbols("state", 13), "state", "prepare");
    const wrench = place(graph.symbols("wrench", 6), "wrench", "prepare");
    const unknown = place(graph.symbols("next", 6), "unknown", iterate);
    const h = globals.timestep;
    const pose = { position: state.slice(0, 3), orientation: state.slice(3, 7) };
    const velocity = { linear: state.slice(7, 10), angular: state.slice(10, 13) };
    const nextVelocity = { linear: unknown.slice(0, 3), angular: unknown.slice(3, 6) };
    const data = { mass, inertia, gravity: globals.gravity, force: wrench.slice(0, 3), torque: wrench.slice(3, 6) };
    const balance = bodyBalance(data, velocity, nextVelocity, h);
    const next = nextPose(pose, nextVelocity, h);
    const turn = turnJacobian(graph, nextVelocity.angular, h);
    return {
      inputs,
      outputs: {
        next: [...next.position, ...next.orientation, ...rotationMatrix(next.orientation).flat(), ...turn.flat()],
        balance,
        matrix: jacobian(balance, unknown as Expr[]).flat(),
      },
    };
  };
  const [residual, geometry] = [make("evaluate"), make("linearise")];
  return {
    residual: stageKernels("body.residual", residual.inputs, [
      ...list("next", "evaluate", residual.outputs.next, false),
      ...list("residual", "evaluate", residual.outputs.balance, false),
    ]),
    geometry: stageKernels("body.geometry", geometry.inputs, [
      ...list("diagonal", "linearise", geometry.outputs.matrix, false),
    ]),
  };
}

function placer(inputs: Inputs) {
  return <T extends Scalar>(symbols: readonly T[], operand: string, stage: Stage, start = 0): readonly T[] => {
    symbols.forEach((symbol, i) => {
      inputs.set(symbol as Expr, { operand, index: start + i, stage });
    });
    return symbols;
  };
}

/** Consecutive outputs; what would add nothing is left out. */
function list(operand: string, stage: Stage, values: readonly Scalar[], accumulate: boolean): Output[] {
  return values
    .map((value, index): Output => ({ operand, index, value, stage, accumulate }))
    .filter((output) => !(accumulate && output.value === 0));
}
