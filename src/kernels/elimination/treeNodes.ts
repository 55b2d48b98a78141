/**
 * Kernels of a node for the solver of trees, in three sets that run at different moments:
 *   residual   prepare, evaluate              its share of the residual
 *   geometry   prepare, linearise             directions of its ports at z, their gradients at z₊, as wrenches and by twists (equations/twist.ts)
 *   law        prepare, weigh, rhs, recover   how its impulses answer to its ports (equations/law.ts)
 *
 * Operand names beside those of nodeSpecies.ts: `direction.k`, `gradient.k`, `diagonal.k`, `articulated.k`, `force.k`, `basis.k` and `twist.k`
 * of the node's body k; `stiffness`, `push`, `motion`, `motions` and `motionsBefore` of a joint.
 */
import {
  balanceOf,
  type CoupledLaw,
  carriedBy,
  condense,
  coupledLaw,
  type LinearRow,
  type NodeEquations,
  type NodeLaw,
  nodeLaw,
  ownBasis,
  type Ports,
  portGradients,
  portWrenches,
  pushedPorts,
  twistJacobians,
  untilted,
  wrenchOf,
} from "../../equations/index.ts";
import { add, dot, type Expr, mul, neg, type Scalar, sub, substitute, sum, vsub } from "../../symbolic/index.ts";
import {
  constantInputs,
  type Inputs,
  nodeInputs,
  outputsTo,
  type Place,
  placeCones,
  placer,
} from "../memory/placement.ts";
import { type Kernel, kernel, type Output, type StagedKernels, stageKernels } from "../species/staging.ts";
import { stride } from "./blockKernels.ts";

const sixes = [0, 1, 2, 3, 4, 5] as const;

export interface TreeKernels {
  readonly residual: StagedKernels;
  readonly geometry: StagedKernels;
  readonly law: StagedKernels;
  /**
   * Whether forces of a joint depend on several of its coordinates. Then `stiffness` is a matrix, and the law recovers the forces' impulses.
   * It is made in one go with the residual, on the same scratch memory, and is always that of the last residual.
   */
  readonly isCoupled: boolean;
}

const none = (name: string): StagedKernels => stageKernels(name, new Map(), []);

/**
 * `below`: which of the joint's bodies is the lower one in the tree. `shared`: the geometry of all joints with these ports; it comes last, so
 * that nothing else depends on which of them it was made from.
 */
export function treeJointKernels(
  name: string,
  node: NodeEquations,
  below: 0 | 1,
  shared: (() => StagedKernels) | undefined,
): TreeKernels {
  const law = nodeLaw(node);
  const own = shared ? undefined : jointGeometry(name, node, below);
  const geometry = (): StagedKernels => own ?? (shared as () => StagedKernels)();
  if (law) {
    const residual = residualKernels(`${name}.residual.${below}`, node, jointRows(node, below));
    return { residual, law: jointLawKernels(`${name}.law`, node, law), geometry: geometry(), isCoupled: false };
  }
  const actsOnPorts = pushedPorts(node.ports as Ports).every((port) => port >= 0);
  const joined = joinedKernels(
    `${name}.coupled.${below}`,
    node,
    actsOnPorts ? jointRows(node, below) : undefined,
    (place) => coupledLawOutputs(node, coupledLaw(node, below), place),
  );
  return { ...joined, geometry: geometry() };
}

/** Of the limb's body: what a joint does to the one above follows from that (treeSweeps.ts). */
export function jointGeometry(name: string, node: NodeEquations, below: 0 | 1): StagedKernels {
  return stageKernels(
    `${name}.geometry.${below}`,
    nodeInputs(node, "linearise"),
    portOutputs(node).filter(({ operand }) => operand.endsWith(`.${below}`)),
  );
}

export function treeContactKernels(name: string, node: NodeEquations): TreeKernels {
  const law = nodeLaw(node);
  if (!law) throw new Error(`${name}: a contact's impulses depend on its gap and slip alone`);
  return {
    residual: residualKernels(`${name}.residual`, node, contactRows(node)),
    geometry: stageKernels(`${name}.geometry`, nodeInputs(node, "linearise"), portOutputs(node)),
    law: contactLawKernels(`${name}.law`, node, law),
    isCoupled: false,
  };
}

/** Forces on one body: thrusters, drag. `isLoose`: it is on its own, and its basis is known but for T. */
export function treeForceKernels(name: string, given: NodeEquations, isLoose: boolean): TreeKernels {
  const bodies = given.bodies.map((body) => (body.moves ? { ...body, basis: ownBasis(body.basis.tilt) } : body));
  const node = isLoose ? { ...given, bodies } : given;
  const outputs = node.bodies.flatMap(({ moves }, k) =>
    moves
      ? outputsTo(
          `diagonal.${k}`,
          "linearise",
          twistJacobians(wrenchOf(node.bodyRows[k], node.bodies[k].basis), node.bodies, node.globals.timestep)[
            k
          ].flat(),
          true,
        )
      : [],
  );
  return {
    residual: residualKernels(`${name}.residual`, node),
    geometry: stageKernels(`${name}.geometry`, nodeInputs(node, "linearise"), outputs),
    law: none(`${name}.law`),
    isCoupled: false,
  };
}

/**
 * A node that keeps its multipliers: a joint that closes a loop, a gear, a term of one. Operands besides: `block.k.own`, `block.own.k`
 * and `block.own.own` of the matrix, which start from zero.
 */
export function multiplierKernels(name: string, node: NodeEquations): TreeKernels {
  const inputs = nodeInputs(node, "linearise");
  const place = placer(inputs);
  placeCones(node, place, "weigh");
  return {
    residual: residualKernels(`${name}.residual`, node),
    geometry: none(`${name}.geometry`),
    law: stageKernels(`${name}.matrix`, inputs, multiplierOutputs(node, place)),
    isCoupled: false,
  };
}

/** Residual and law share what they have in common. */
function joinedKernels(
  name: string,
  node: NodeEquations,
  byPorts: RowsByPorts | undefined,
  law: (place: Place) => Output[],
): Omit<TreeKernels, "geometry"> {
  const inputs = nodeInputs(node, "evaluate");
  const outputs = [...residualOutputs(node, byPorts, placer(inputs)), ...law(placer(inputs))];
  const { kernels, scratchSize } = stageKernels(name, inputs, outputs);
  const { prepare, evaluate, ...later } = kernels;
  return {
    residual: { kernels: { ...(prepare && { prepare }), ...(evaluate && { evaluate }) }, scratchSize },
    law: { kernels: later, scratchSize },
    isCoupled: true,
  };
}

/** Wrenches on bodies from the impulses on ports, along the directions that the geometry has prepared, with a minus sign. */
type RowsByPorts = (place: Place) => (readonly Scalar[])[];

/** `byPorts`: where impulses act on ports alone. */
function residualKernels(name: string, node: NodeEquations, byPorts?: RowsByPorts): StagedKernels {
  const inputs = nodeInputs(node, "evaluate");
  return stageKernels(name, inputs, residualOutputs(node, byPorts, placer(inputs)));
}

function residualOutputs(node: NodeEquations, byPorts: RowsByPorts | undefined, place: Place): Output[] {
  const { bodies } = node;
  const bodyRows =
    byPorts?.(place) ?? node.bodyRows.map((rows, k) => (bodies[k].moves ? wrenchOf(rows, bodies[k].basis) : rows));
  const equalities = node.eliminations.flatMap((e) => (e.kind === "equality" ? [e.value] : []));
  const wrench = node.wrench ? balanceOf(bodyRows[1], bodies[1].basis).map(neg) : [];
  // a joint that nothing acts on passes on zeros, whatever the iterate is
  const isKnown = wrench.every((entry) => typeof entry === "number");
  return [
    ...outputsTo("observations", "prepare", node.observations, false),
    ...bodyRows.flatMap((rows, k) => outputsTo(`residual.${k}`, "evaluate", rows, true)),
    ...outputsTo("residual.own", "evaluate", untilted(node.rows, node.bodies), node.sharesRows),
    ...outputsTo("coneResidual", "evaluate", untilted(equalities, node.bodies), false),
    ...outputsTo("wrench", isKnown ? "prepare" : "evaluate", wrench, false),
  ];
}

/** Of a joint: the wrench on the limb's body, and the same with the opposite sign on the other. */
function jointRows(node: NodeEquations, below: 0 | 1): RowsByPorts {
  return (place) => {
    const wrench = wrenchByPorts(node, below, portWrenches(node)[below], place);
    const own = node.bodies[below].pose.position;
    return node.bodies.map(({ moves, pose }, k) => {
      if (!moves) return node.bodyRows[k];
      return k === below ? wrench.map(neg) : carriedBy(wrench, vsub(own, pose.position));
    });
  };
}

/** Of a contact: a wrench on each of its bodies. */
function contactRows(node: NodeEquations): RowsByPorts {
  return (place) => {
    const known = new Map<Scalar, Scalar>();
    return portWrenches(node).map((lines, k) =>
      node.bodies[k].moves ? wrenchByPorts(node, k, lines, place, known).map(neg) : node.bodyRows[k],
    );
  };
}

/**
 * Σ impulse·direction on body k, with the directions that lie in memory. What is known of these as expressions is made use of: zeros, and
 * what acts on one body as its negative does on the other.
 */
function wrenchByPorts(
  node: NodeEquations,
  k: number,
  lines: readonly (readonly Scalar[])[],
  place: Place,
  known = new Map<Scalar, Scalar>(),
): Scalar[] {
  const { amounts, given } = node.ports as Ports;
  const total = amounts.map((amount, port) => add(amount, given?.[port] ?? 0));
  const symbols = amounts.map((_, port) => node.graph.symbols(`direction.${k}.${port}.`, 6));
  place(symbols.flat(), `direction.${k}`, "evaluate");
  const entry = (port: number, i: number): Scalar => {
    const direction = lines[port][i];
    if (typeof direction === "number") return direction;
    const value =
      known.get(direction) ?? (known.has(neg(direction)) ? neg(known.get(neg(direction)) as Scalar) : symbols[port][i]);
    known.set(direction, value);
    return value;
  };
  return sixes.map((i) => total.reduce<Scalar>((sum, amount, port) => add(sum, mul(amount, entry(port, i))), 0));
}

/** Directions of the ports at z, their gradients at the iterate. */
function portOutputs(node: NodeEquations): Output[] {
  const [directions, gradients] = [portWrenches(node), portGradients(node)];
  return node.bodies.flatMap(({ moves }, k) =>
    moves
      ? [
          ...outputsTo(`direction.${k}`, "prepare", directions[k].flat(), false),
          ...outputsTo(`gradient.${k}`, "linearise", gradients[k].flat(), false),
        ]
      : [],
  );
}

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

function jointLawKernels(name: string, node: NodeEquations, law: NodeLaw): StagedKernels {
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
function coupledLawOutputs(node: NodeEquations, law: CoupledLaw, place: Place): Output[] {
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
  const variables = [...law.recovered.keys()];
  const steps = substitute([...law.recovered.values()], rates);
  const recovered = new Map(variables.map((variable, i) => [variable, steps[i]]));
  const taken = held.map((port) => neg(sum(weights.map((weight, force) => mul(weight[port], impulses[force])))));
  return [
    ...outputsTo("stiffness", "weigh", stiffness, false),
    ...outputsTo("push", "rhs", push, false),
    // the sweep leaves what acts on the ports of constraints, forces included
    ...outputsTo("step.own", "recover", taken, true),
    ...outputsTo("step.own", "recover", impulses, false, constraints),
    ...coneSteps(node, recovered),
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

function contactLawKernels(name: string, node: NodeEquations, law: NodeLaw): StagedKernels {
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
  const variables = [...law.recovered.keys()];
  const values = substitute([...law.recovered.values()], known);
  const recovered = new Map(variables.map((variable, i) => [variable, values[i]]));
  return stageKernels(name, inputs, [...outputs, ...coneSteps(node, recovered)]);
}

function multiplierOutputs(node: NodeEquations, place: Place): Output[] {
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
