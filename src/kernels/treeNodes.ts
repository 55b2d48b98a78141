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
  type GearLaw,
  gearLaw,
  type NodeEquations,
  type NodeLaw,
  nodeLaw,
  portDirections,
  portGradients,
  stepJacobians,
  untilted,
} from "../equations/index.ts";
import { add, type Expr, mul, neg, type Scalar, sub, substitute } from "../symbolic/index.ts";
import { bodyExpressions } from "./bodyKernels.ts";
import { constantInputs, nodeInputs, outputsTo, placeCones, placer } from "./placement.ts";
import { type Output, type StagedKernels, stageKernels } from "./staging.ts";

export interface TreeKernels {
  readonly residual: StagedKernels;
  readonly geometry: StagedKernels;
  readonly law: StagedKernels;
}

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
    ...outputsTo("observations", "prepare", node.observations, false),
    ...bodyRows.flatMap((rows, k) => outputsTo(`residual.${k}`, "evaluate", rows, true)),
    ...outputsTo("residual.own", "evaluate", untilted(node.rows, node.bodies), node.sharesRows),
    ...outputsTo("coneResidual", "evaluate", untilted(equalities, node.bodies), false),
    ...outputsTo("wrench", "evaluate", wrench, false),
  ]);
}

/** Undefined where the impulses of a node on one body depend on the motion of another. */
function geometryOutputs(node: NodeEquations): Output[] | undefined {
  const outputs: Output[] = [];
  const moving = node.bodies.map((_, k) => k).filter((k) => node.bodies[k].moves);
  if (node.ports && node.ports.kind !== "gearTerm") {
    const [directions, gradients] = [portDirections(node), portGradients(node)];
    for (const k of moving) {
      outputs.push(...outputsTo(`direction.${k}`, "prepare", directions[k].flat(), false));
      outputs.push(...outputsTo(`gradient.${k}`, "linearise", gradients[k].flat(), false));
    }
  }
  // impulses on ports act along directions at z
  if (node.ports) return outputs;
  for (const k of moving) {
    const blocks = stepJacobians(node.bodyRows[k], node.bodies, node.globals.timestep);
    if (blocks.some((block, l) => l !== k && block.flat().some((entry) => entry !== 0))) return undefined;
    outputs.push(...outputsTo(`diagonal.${k}`, "linearise", blocks[k].flat(), true));
  }
  return outputs;
}

function lawKernels(name: string, node: NodeEquations, law: NodeLaw): StagedKernels {
  const inputs = constantInputs(node);
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
      ...outputsTo(
        "stiffness",
        "weigh",
        free.map((port) => neg(law.slopes[port][port])),
        false,
      ),
    );
    outputs.push(
      ...outputsTo(
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
    outputs.push(...outputsTo("articulated", "weigh", block, true));
    const force = sixes.map((i) =>
      dotted(
        direction.map((line) => line[i]),
        law.pushes,
      ),
    );
    outputs.push(...outputsTo("force", "rhs", force, true));
    const rates = gradient.map((line) => dotted(line, step));
    const known = new Map(law.rates.map((rate, i): [Expr, Scalar] => [rate, rates[i]]));
    const variables = [...recovered.keys()];
    const values = substitute([...recovered.values()], known);
    recovered = new Map(variables.map((variable, i) => [variable, values[i]]));
  }
  const steps = (variables: readonly Expr[]): Scalar[] => variables.map((variable) => recovered.get(variable) ?? 0);
  outputs.push(...outputsTo("stepB", "recover", steps(node.cones.flatMap((cone) => cone.b)), false));
  outputs.push(...outputsTo("stepC", "recover", steps(node.cones.flatMap((cone) => cone.c)), false));
  return stageKernels(name, inputs, outputs);
}

function gearLawKernels(name: string, node: NodeEquations, law: GearLaw): StagedKernels {
  const inputs = constantInputs(node);
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
    ...outputsTo("gearYielding", "weigh", [law.yielding], false),
    ...outputsTo("gearStiffness", "weigh", [law.stiffness], false),
    ...outputsTo("gearPush", "rhs", [law.push], false),
    ...outputsTo("step.own", "recover", [...steps(node.multipliers.slice(0, impulse)), law.impulse], false),
    ...outputsTo("stepB", "recover", steps(node.cones.flatMap((cone) => cone.b)), false),
    ...outputsTo("stepC", "recover", steps(node.cones.flatMap((cone) => cone.c)), false),
  ]);
}

/** Balance, next pose and its derivative; the balance's own gradient when it is asked for. */
export function treeBodyKernels(): Omit<TreeKernels, "law"> {
  const [residual, geometry] = [bodyExpressions("evaluate"), bodyExpressions("linearise")];
  return {
    residual: stageKernels("body.residual", residual.inputs, [
      ...outputsTo("next", "evaluate", residual.next),
      ...outputsTo("residual", "evaluate", residual.balance),
    ]),
    geometry: stageKernels("body.geometry", geometry.inputs, outputsTo("diagonal", "linearise", geometry.matrix)),
  };
}
