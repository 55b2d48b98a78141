/**
 * Kernels of a node for the solver of trees, in three sets that run at different moments:
 *   residual   prepare, evaluate              its share of the residual
 *   geometry   prepare, linearise             directions of its ports at z, their gradients at z₊, as wrenches and by twists (equations/twist.ts)
 *   law        prepare, weigh, rhs, recover   how its impulses answer to its ports (treeLaws.ts)
 *
 * Operand names beside those of nodeSpecies.ts: `direction.k`, `gradient.k`, `diagonal.k`, `articulated.k`, `force.k`, `basis.k` and `twist.k`
 * of the node's body k; `stiffness`, `push`, `motion`, `motions` and `motionsBefore` of a joint.
 */
import {
  balanceOf,
  carriedBy,
  coupledLaw,
  type NodeEquations,
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
import { add, type Expr, mul, neg, type Scalar, substitute, vsub } from "../../symbolic/index.ts";
import { nodeInputs, outputsTo, type Place, placeCones, placer } from "../memory/placement.ts";
import { type Output, type StagedKernels, stageKernels } from "../species/staging.ts";
import { contactLawKernels, coupledLawOutputs, jointLawKernels, multiplierOutputs } from "./treeLaws.ts";

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

/** Directions and gradients of a joint's ports for the limb's body; what the joint does to the body above follows from them (treeSweeps.ts). */
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
  const outputs = node.bodies.flatMap(({ moves, basis }, k) => {
    if (!moves) return [];
    const jacobians = twistJacobians(wrenchOf(node.bodyRows[k], basis), node.bodies, node.globals.timestep);
    return outputsTo(`diagonal.${k}`, "linearise", jacobians[k].flat(), true);
  });
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

/** Residual and law share what they have in common. The law reads cone variables anew: in a free step they are others than the residual's. */
function joinedKernels(
  name: string,
  node: NodeEquations,
  byPorts: RowsByPorts | undefined,
  law: (place: Place) => Output[],
): Omit<TreeKernels, "geometry"> {
  const inputs = nodeInputs(node, "evaluate");
  const place = placer(inputs);
  const residual = residualOutputs(node, byPorts, place);
  const outputs = [...residual, ...withConesAtWeigh(node, law(place), place)];
  const { kernels, scratchSize } = stageKernels(name, inputs, outputs);
  const { prepare, evaluate, ...later } = kernels;
  return {
    residual: { kernels: { ...(prepare && { prepare }), ...(evaluate && { evaluate }) }, scratchSize },
    law: { kernels: later, scratchSize },
    isCoupled: true,
  };
}

/** The same outputs, of cone variables that are read when laws are weighed. */
function withConesAtWeigh({ graph, cones }: NodeEquations, outputs: readonly Output[], place: Place): Output[] {
  const replacements = new Map<Expr, Scalar>();
  const [b, c] = (["b", "c"] as const).map((side) =>
    cones.flatMap((cone) =>
      cone[side].map((variable) => {
        const weighed = graph.symbol(`${side}.weighed.${replacements.size}`);
        replacements.set(variable, weighed);
        return weighed;
      }),
    ),
  );
  place(b, "coneB", "weigh");
  place(c, "coneC", "weigh");
  const values = substitute(
    outputs.map(({ value }) => value),
    replacements,
  );
  return outputs.map((output, i) => ({ ...output, value: values[i] }));
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

/** The rows of a joint: its wrench on the limb's body, and the same with the opposite sign on the other. */
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

/** The rows of a contact: a wrench on each of its bodies. */
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
