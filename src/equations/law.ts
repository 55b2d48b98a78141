/**
 * The law of a node, apart from its geometry: how its impulses answer to the rates of its ports. Newton's step of a contact or joint,
 * with y the steps of the ports' rates and f those of the impulses:
 *   f = A y + w          contacts: the cone variables are condensed away
 *   f = τ − k y          free coordinates of a joint: springs, dampers, limits, friction, servos
 * Where bodies are and how they turn is in y alone, so A and k depend on cone variables and parameters only.
 */
import { div, dot, type Expr, jacobian, mul, neg, type Scalar, substitute, sum, symbolsOf } from "../symbolic/index.ts";
import { untiltedMatrix } from "./bodySymbols.ts";
import { coneOffsets, coneProduct, eliminateAll, type LinearRow, type Pending, setCoefficient } from "./condense.ts";
import { impulseDirections, type NodeEquations, type Ports, pushedPorts, twistJacobians } from "./node.ts";
import { wrenchOf } from "./twist.ts";

export interface NodeLaw {
  /** Steps of the rates of the ports, right-hand sides of b ∘ c, and the residuals that the law answers to. */
  readonly rates: readonly Expr[];
  readonly coneRhs: readonly Expr[];
  readonly equalities: readonly Expr[];
  readonly residuals: readonly Expr[];
  /** Every impulse of a contact, or force of a joint: Σ slope·rate + push. */
  readonly slopes: readonly (readonly Scalar[])[];
  readonly pushes: readonly Scalar[];
  /** Step of every cone variable. */
  readonly recovered: Map<Expr, Scalar>;
}

/** Undefined where the equations see more of the bodies than the ports, or are not linear in them. */
export function nodeLaw(node: NodeEquations): NodeLaw | undefined {
  const { graph, ports } = node;
  if (!ports) return undefined;
  const at = graph.symbols("port", ports.values.length);
  const replaced = new Map(
    ports.values.flatMap((value, i): [Expr, Scalar][] => {
      if (typeof value === "number") return [];
      // products of a negated value have the sign in front
      const minus = value.op === "neg" ? neg(value) : 0;
      return typeof minus === "number"
        ? [[value, at[i]]]
        : [
            [value, at[i]],
            [minus, neg(at[i])],
          ];
    }),
  );
  const values = substitute(lawRows(node), replaced);
  const columns = columnsOf(node);
  // no shorter by rows, whatever the node
  const byPorts = jacobian(values, at, "forward");
  const byOthers = jacobian(values, columns, "forward");
  // nothing may depend on where the bodies go but through the ports, and nothing but linearly on them
  const bodies = new Set(symbolsOfBodies(node));
  if (symbolsOf(values).some((symbol) => bodies.has(symbol))) return undefined;
  const ported = new Set(at);
  if (symbolsOf([...byPorts.flat(), ...byOthers.flat()]).some((symbol) => ported.has(symbol))) return undefined;
  const rates = graph.symbols("rate", ports.values.length);
  const lines = values.map((_, i) =>
    lineOf([...rates, ...columns], [...byPorts[i].map((slope, k) => mul(slope, ports.scales[k])), ...byOthers[i]]),
  );
  const law = condensedLaw(node, rates, lines);
  // what one free coordinate does must not depend on another
  const pushed = pushedPorts(ports).slice(ports.constraints);
  if (pushed.some((port, i) => law.slopes[i].some((entry, j) => j !== port && entry !== 0))) return undefined;
  return law;
}

/**
 * The law of a joint whose forces see more of its bodies than its ports, or mix them: springs, servos and limits of rotation vectors,
 * limits on tilt. They are functions of how its bodies stand to each other, which the ports tell in full: with v = Z y the motion of the
 * body below (the other one held), forces change by (df/dv) Z y.
 */
export interface CoupledLaw extends NodeLaw {
  /** Z by columns, at the iterate and at z. */
  readonly motions: readonly Expr[];
  readonly motionsBefore: readonly Expr[];
  /** Impulse of every port for a force of one, by force. */
  readonly weights: readonly (readonly Scalar[])[];
}

/** `below`: which of the joint's two bodies is moved. */
export function coupledLaw(node: NodeEquations, below: 0 | 1): CoupledLaw {
  const { graph } = node;
  const { byRates, byOthers, weights, motions, motionsBefore } = coupledRows(node, below);
  const rates = graph.symbols("rate", byRates[0].length);
  const columns = columnsOf(node);
  const lines = byRates.map((row, i) => lineOf([...rates, ...columns], [...row, ...byOthers[i]]));
  return { ...condensedLaw(node, rates, lines), motions, motionsBefore, weights };
}

/** Limits of such a joint, which are all of its cones, as ports of their own. */
export interface CoupledLimits extends Pick<CoupledLaw, "motions" | "motionsBefore"> {
  /** The rate of each limit's distance for a rate of one along each port of the joint. */
  readonly rates: readonly (readonly Scalar[])[];
  /** What an impulse of one at each limit does to each port of the joint. */
  readonly pushes: readonly (readonly Scalar[])[];
}

export function coupledLimits(node: NodeEquations, below: 0 | 1): CoupledLimits {
  const { byRates, byOthers, weights, motions, motionsBefore } = coupledRows(node, below);
  const { eliminations, cones, multipliers, globals } = node;
  const products = cones.flatMap(coneProduct).length;
  const first = weights.length + products;
  // an equality says slack − distance = 0
  const rates = eliminations.flatMap(({ kind }, i) =>
    kind === "equality" ? [byRates[first + i].map((entry) => neg(div(entry, globals.timestep)))] : [],
  );
  // a row of forces says force − … = 0; b and c of one cone after another are the columns behind those of the multipliers
  const pushes = cones.map((_, cone) => {
    const ofForces = weights.map((_, force) => neg(byOthers[force][multipliers.length + 2 * cone]));
    return byRates[0].map((_, port) => sum(weights.map((weight, force) => mul(weight[port], ofForces[force]))));
  });
  return { rates, pushes, motions, motionsBefore };
}

interface CoupledRows extends Pick<CoupledLaw, "motions" | "motionsBefore" | "weights"> {
  /** Derivatives of the rows of `lawRows` with respect to the rates of ports and to `columnsOf`. */
  readonly byRates: readonly (readonly Scalar[])[];
  readonly byOthers: readonly (readonly Scalar[])[];
}

function coupledRows(node: NodeEquations, below: 0 | 1): CoupledRows {
  const { graph, bodies, globals } = node;
  const ports = node.ports as Ports;
  const [motions, motionsBefore] = ["motions", "motionsBefore"].map((name) => graph.symbols(name, 36));
  const times = (row: readonly Scalar[], z: readonly Expr[]): Scalar[] =>
    ports.values.map((_, j) => dot(row, z.slice(6 * j, 6 * j + 6)));
  const values = lawRows(node);
  const byMotion = twistJacobians(values, bodies, globals.timestep)[below];
  const byRates = byMotion.map((row) => times(row, motions));
  const byOthers = untiltedMatrix(jacobian(values, columnsOf(node)), bodies);
  const forces = ports.along.slice(ports.constraints);
  const directions = impulseDirections(forces, bodies, globals.timestep)[below].map((line) =>
    wrenchOf(line, bodies[below].basis),
  );
  const weights = forces.map((value, i) => {
    const port = ports.values.indexOf(value);
    return port < 0 ? times(directions[i], motionsBefore) : ports.values.map((_, j) => (j === port ? 1 : 0));
  });
  return { byRates, byOthers, weights, motions, motionsBefore };
}

/** Rows of a joint's forces or impulses of a contact, then b ∘ c, then equalities, in the order of the eliminations. */
function lawRows({ ports, rows, cones, eliminations }: NodeEquations): Scalar[] {
  const { kind, constraints, amounts } = ports as Ports;
  return [
    ...(kind === "joint" ? rows.slice(constraints) : amounts),
    ...cones.flatMap(coneProduct),
    ...eliminations.map((e) => (e.kind === "equality" ? e.value : 0)),
  ];
}

function columnsOf({ multipliers, cones }: NodeEquations): Expr[] {
  return [...multipliers, ...cones.flatMap(({ b, c }) => [...b, ...c])];
}

/** The law of a node, condensed from the linear rows of `lawRows`. */
function condensedLaw(node: NodeEquations, rates: readonly Expr[], lines: LinearRow[]): NodeLaw {
  const { graph, cones, eliminations, rows } = node;
  const { kind, constraints, amounts } = node.ports as Ports;
  const isJoint = kind === "joint";
  const kept = lines.splice(0, isJoint ? rows.length - constraints : amounts.length);
  const productLines = cones.map(({ b }) => lines.splice(0, b.length));
  const coneRhs = graph.symbols("coneRhs", productLines.flat().length);
  const equalities = graph.symbols("equality", eliminations.filter(({ kind: how }) => how === "equality").length);
  const residuals = graph.symbols("ownResidual", isJoint ? rows.length : 0);
  const pending = pendingRows(node, lines, productLines, coneRhs, equalities);
  if (isJoint)
    kept.forEach((line, i) => {
      line.rhs = neg(residuals[constraints + i]);
    });
  const recovered = eliminateAll(pending, kept);
  // a joint's row reads f + k y = τ; a contact's line is the impulse itself, Σ coefficient·step − rhs
  const sign = (value: Scalar): Scalar => (isJoint ? neg(value) : value);
  const slopes = kept.map((line) => rates.map((rate) => sign(line.coefficients.get(rate) ?? 0)));
  const pushes = kept.map((line) => (isJoint ? line.rhs : neg(line.rhs)));
  return { rates, coneRhs, equalities, residuals, slopes, pushes, recovered };
}

function lineOf(columns: readonly Expr[], entries: readonly Scalar[]): LinearRow {
  const row: LinearRow = { coefficients: new Map(), rhs: 0 };
  columns.forEach((column, k) => {
    setCoefficient(row, column, entries[k]);
  });
  return row;
}

/** The rows of the cone variables, in the order of their elimination. */
function pendingRows(
  { cones, eliminations }: NodeEquations,
  lines: readonly LinearRow[],
  productLines: readonly (readonly LinearRow[])[],
  coneRhs: readonly Expr[],
  equalities: readonly Expr[],
): Pending[] {
  const starts = coneOffsets(cones);
  let equality = 0;
  return eliminations.map((elimination, i): Pending => {
    if (elimination.kind === "complementarity") {
      const row = productLines[elimination.cone][elimination.entry];
      row.rhs = coneRhs[starts[elimination.cone] + elimination.entry];
      return { row, solves: elimination.solves };
    }
    lines[i].rhs = neg(equalities[equality++]);
    return { row: lines[i], solves: elimination.solves };
  });
}

/** Everything about the bodies that changes during the step. */
function symbolsOfBodies({ bodies }: NodeEquations): Expr[] {
  return bodies.flatMap(({ moves, nextSymbols, tilt, nextVelocity }) =>
    moves
      ? ([
          ...nextSymbols.position,
          ...nextSymbols.orientation,
          ...(nextSymbols.rotation?.flat() ?? []),
          ...tilt,
          ...nextVelocity.linear,
          ...nextVelocity.angular,
        ] as Expr[])
      : [],
  );
}
