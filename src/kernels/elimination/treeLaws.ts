/**
 * The laws of nodes as kernels: how impulses answer to the rates of ports, at which a node meets its bodies (equations/law.ts). Stages:
 *   weigh     slopes A of a law: what it adds to the matrix, −directionᵀ A gradient
 *   rhs       its pushes p: what it adds to right-hand sides, directionᵀ p
 *   recover   the steps of its cone variables from the rates of its ports
 * Operand names are those of treeNodes.ts.
 */
import {
  type CoupledLaw,
  condense,
  coupledLaw,
  coupledLimits,
  type LinearRow,
  type NodeEquations,
  type NodeLaw,
  type Ports,
  pushedPorts,
  twistJacobians,
  wrenchOf,
} from "../../equations/index.ts";
import { add, dot, type Expr, mul, neg, type Scalar, sub, substitute, sum } from "../../symbolic/index.ts";
import {
  constantInputs,
  type Inputs,
  nodeInputs,
  outputsTo,
  type Place,
  placeCones,
  placer,
} from "../memory/placement.ts";
import { type Kernel, kernel, laterKernel, type Output, type StagedKernels, stageKernels } from "../species/staging.ts";
import { stride } from "./blockKernels.ts";

const sixes = [0, 1, 2, 3, 4, 5] as const;

/** Inputs of a law, and the steps of the cone variables that it leaves. */
function lawInputs(node: NodeEquations, law: NodeLaw): { readonly inputs: Inputs; readonly place: Place } {
  const inputs = constantInputs(node);
  const place = placer(inputs);
  placeCones(node, place, "weigh");
  placeLaw(law, place);
  return { inputs, place };
}

function placeLaw(law: NodeLaw, place: Place): void {
  place(law.coneRhs, "coneRhs", "rhs");
  place(law.equalities, "coneResidual", "rhs");
  place(law.residuals, "residual.own", "rhs");
}

function coneSteps(node: NodeEquations, recovered: ReadonlyMap<Expr, Scalar>): Output[] {
  const steps = (variables: readonly Expr[]): Scalar[] => variables.map((variable) => recovered.get(variable) ?? 0);
  return [
    ...outputsTo("stepB", "recover", steps(node.cones.flatMap((cone) => cone.b)), false),
    ...outputsTo("stepC", "recover", steps(node.cones.flatMap((cone) => cone.c)), false),
  ];
}

/** The steps that a law leaves of its cone variables, with the rates of ports that are known put in. */
function recoveredAt({ recovered }: NodeLaw, rates: ReadonlyMap<Expr, Scalar>): ReadonlyMap<Expr, Scalar> {
  const steps = substitute([...recovered.values()], rates);
  return new Map([...recovered.keys()].map((variable, i) => [variable, steps[i]]));
}

export function jointLawKernels(name: string, node: NodeEquations, law: NodeLaw): StagedKernels {
  const { inputs, place } = lawInputs(node, law);
  const ports = node.ports as Ports;
  place(law.rates, "motion", "recover");
  const pushed = pushedPorts(ports);
  const free = ports.values.map((_, port) => port).slice(ports.constraints);
  const onPort = (port: number, value: (force: number) => Scalar): Scalar =>
    sum(pushed.slice(ports.constraints).flatMap((at, force) => (at === port ? [value(force)] : [])));
  const stiffness = free.map((port) => onPort(port, (force) => neg(law.slopes[force][port])));
  const push = free.map((port) => onPort(port, (force) => law.pushes[force]));
  return stageKernels(name, inputs, [
    ...outputsTo("stiffness", "weigh", stiffness, false),
    ...outputsTo("push", "rhs", push, false),
    ...coneSteps(node, law.recovered),
  ]);
}

/** Forces on several coordinates at once. The rates of constraints are known: minus their residuals. */
export function coupledLawOutputs(node: NodeEquations, law: CoupledLaw, place: Place): Output[] {
  placeLaw(law, place);
  place(law.motions, "motions", "linearise");
  place(law.motionsBefore, "motionsBefore", "linearise");
  place(law.rates, "motion", "recover");
  const { constraints, values } = node.ports as Ports;
  const free = values.map((_, port) => port).slice(constraints);
  const held = values.slice(0, constraints).map((_, port) => port);
  const { slopes, pushes, weights } = law;
  const known = pushes.map((push, force) =>
    held.reduce((total, port) => sub(total, mul(slopes[force][port], law.residuals[port])), push),
  );
  const stiffness = free.flatMap((port) =>
    free.map((other) => neg(sum(weights.map((weight, force) => mul(weight[port], slopes[force][other]))))),
  );
  const push = free.map((port) => sum(weights.map((weight, force) => mul(weight[port], known[force]))));
  const impulses = known.map((push, force) =>
    free.reduce((total, port) => add(total, mul(slopes[force][port], law.rates[port])), push),
  );
  const rates = new Map(held.map((port): [Expr, Scalar] => [law.rates[port], neg(law.residuals[port])]));
  const taken = held.map((port) => neg(sum(weights.map((weight, force) => mul(weight[port], impulses[force])))));
  return [
    ...outputsTo("stiffness", "weigh", stiffness, false),
    ...outputsTo("push", "rhs", push, false),
    // the sweep leaves what acts on the ports of constraints, forces included
    ...outputsTo("step.own", "recover", taken, true),
    ...outputsTo("step.own", "recover", impulses, false, constraints),
    ...coneSteps(node, recoveredAt(law, rates)),
  ];
}

/** Weights of a coupled law's forces on free ports, and their slopes along those of constraints, by forces: for gradients. */
export function coupledAnswers(name: string, node: NodeEquations, below: 0 | 1): Kernel {
  const { weights, slopes, motions, motionsBefore } = coupledLaw(node, below);
  const { constraints } = node.ports as Ports;
  const inputs = nodeInputs(node, "evaluate");
  const place = placer(inputs);
  place(motions, "motions", "linearise");
  place(motionsBefore, "motionsBefore", "linearise");
  return kernel(name, inputs, [
    ...outputsTo(
      "forceWeights",
      "weigh",
      weights.flatMap((row) => row.slice(constraints)),
    ),
    ...outputsTo(
      "forceSlopes",
      "weigh",
      slopes.flatMap((row) => row.slice(0, constraints)),
    ),
  ]);
}

/** Limits of a joint whose coordinates mix, by its free ports: rates of their distances, and what their impulses do. Made when first run. */
export function coupledLimitsKernel(name: string, node: NodeEquations, below: 0 | 1): Kernel {
  const inputs = nodeInputs(node, "evaluate");
  const written = ["limitRates", "limitPushes"];
  const read = [...inputs.values()].map(({ operand }) => operand);
  const operands = [...new Set([...read, "motions", "motionsBefore", ...written])];
  return laterKernel(name, operands, new Set(written), () => {
    const { rates, pushes, motions, motionsBefore } = coupledLimits(node, below);
    const place = placer(inputs);
    place(motions, "motions", "linearise");
    place(motionsBefore, "motionsBefore", "linearise");
    const { constraints } = node.ports as Ports;
    const free = (rows: readonly (readonly Scalar[])[]): Scalar[] => rows.flatMap((row) => row.slice(constraints));
    const outputs = [
      ...outputsTo("limitRates", "weigh", free(rates)),
      ...outputsTo("limitPushes", "weigh", free(pushes)),
    ];
    return kernel(name, inputs, outputs, operands);
  });
}

export function contactLawKernels(name: string, node: NodeEquations, law: NodeLaw): StagedKernels {
  const { inputs, place } = lawInputs(node, law);
  const { amounts } = node.ports as Ports;
  const matrix = (operand: string): Expr[][] => {
    const entries = node.graph.symbols(`${operand}.`, 6 * amounts.length);
    place(entries, operand, "weigh");
    return amounts.map((_, row) => entries.slice(6 * row, 6 * row + 6));
  };
  const column = (rows: readonly (readonly Scalar[])[], j: number): Scalar[] => rows.map((row) => row[j]);
  const moving = node.bodies.flatMap(({ moves }, k) => {
    if (!moves) return [];
    const twist = node.graph.symbols(`twist.body${k}.`, 6);
    place(twist, `twist.${k}`, "recover");
    return [{ k, direction: matrix(`direction.${k}`), gradient: matrix(`gradient.${k}`), twist }];
  });
  const outputs: Output[] = [];
  for (const { k, direction } of moving) {
    for (const { k: l, gradient } of moving) {
      // A·gradient, then −directionᵀ (A·gradient)
      const answered = law.slopes.map((row) => sixes.map((j) => dot(row, column(gradient, j))));
      const block = sixes.flatMap((i) =>
        sixes.map((j) => direction.reduce<Scalar>((total, line, row) => sub(total, mul(line[i], answered[row][j])), 0)),
      );
      outputs.push(...outputsTo(k === l ? `articulated.${k}` : `block.${k}.${l}`, "weigh", block, true));
    }
    const force = sixes.map((i) => dot(column(direction, i), law.pushes));
    outputs.push(...outputsTo(`force.${k}`, "rhs", force, true));
  }
  const rates = law.rates.map((_, port) => sum(moving.map(({ gradient, twist }) => dot(gradient[port], twist))));
  const known = new Map(law.rates.map((rate, i): [Expr, Scalar] => [rate, rates[i]]));
  return stageKernels(name, inputs, [...outputs, ...coneSteps(node, recoveredAt(law, known))]);
}

export function multiplierOutputs(node: NodeEquations, place: Place): Output[] {
  const equalities = node.graph.symbols("equality", node.eliminations.filter(({ kind }) => kind === "equality").length);
  const wrenches = node.bodyRows.map((lines, k) =>
    node.bodies[k].moves ? wrenchOf(lines, node.bodies[k].basis) : lines,
  );
  const { steps, bodyRows, rows, recovered } = condense(
    { ...node, bodyRows: wrenches },
    equalities.map(neg),
    twistJacobians,
  );
  place(equalities, "coneResidual", "rhs");
  place(steps.coneRhs, "coneRhs", "rhs");
  place(steps.multipliers, "step.own", "recover");
  steps.bodies.forEach((step, k) => {
    place(step, `twist.${k}`, "recover");
  });
  const block = (
    operand: string,
    lines: readonly LinearRow[],
    columns: readonly Expr[],
    diagonal?: readonly Scalar[],
  ) =>
    lines.flatMap((line, i) =>
      columns.flatMap((column, j): Output[] => {
        const value = add(line.coefficients.get(column) ?? 0, diagonal && i === j ? diagonal[i] : 0);
        const index = i * stride(columns.length) + j;
        return value === 0 ? [] : [{ operand, index, value, stage: "weigh", accumulate: true }];
      }),
    );
  const rhs = (lines: readonly LinearRow[]): Scalar[] => lines.map((line) => line.rhs);
  return [
    ...steps.bodies.flatMap((step, k) => [
      ...block(`block.${k}.own`, bodyRows[k], steps.multipliers),
      ...block(`block.own.${k}`, rows, step),
      ...outputsTo(`force.${k}`, "rhs", rhs(bodyRows[k]), true),
    ]),
    ...block("block.own.own", rows, steps.multipliers, node.regularization),
    ...outputsTo("step.own", "rhs", rhs(rows), true),
    ...coneSteps(node, recovered),
  ];
}
