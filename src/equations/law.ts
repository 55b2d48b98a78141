/**
 * The law of a node, apart from its geometry: how its impulses answer to the rates of its ports. Newton's step of a contact or joint,
 * with y the steps of the ports' rates and f those of the impulses:
 *   f = A y + w          contacts: the cone variables are condensed away
 *   f = τ − k y          free coordinates of a joint: springs, dampers, limits, friction, servos
 * Where bodies are and how they turn is in y alone, so A and k depend on cone variables and parameters only.
 */
import { add, type Expr, jacobian, mul, neg, type Scalar, substitute, symbolsOf } from "../symbolic/index.ts";
import { coneOffsets, coneProduct, eliminateAll, type LinearRow, type Pending, setCoefficient } from "./condense.ts";
import type { NodeEquations, Ports } from "./node.ts";

export interface NodeLaw {
  /** Steps of the rates of the ports, right-hand sides of b ∘ c, and the residuals that the law answers to. */
  readonly rates: readonly Expr[];
  readonly coneRhs: readonly Expr[];
  readonly equalities: readonly Expr[];
  readonly residuals: readonly Expr[];
  /** Impulse of every port, none for constraints: Σ slope·rate + push. */
  readonly slopes: readonly (readonly Scalar[])[];
  readonly pushes: readonly Scalar[];
  /** Step of every cone variable. */
  readonly recovered: Map<Expr, Scalar>;
}

/** Undefined where the equations see more of the bodies than the ports, or are not linear in them. */
export function nodeLaw(node: NodeEquations): NodeLaw | undefined {
  const { graph, ports, cones, eliminations } = node;
  if (!ports) return undefined;
  const at = graph.symbols("port", ports.values.length);
  const replaced = new Map(
    ports.values.flatMap((value, i): [Expr, Scalar][] => (typeof value === "number" ? [] : [[value, at[i]]])),
  );
  const local = (rows: readonly Scalar[]): Scalar[] => substitute(rows, replaced);
  const isJoint = ports.kind === "joint";
  const kept = local(isJoint ? node.rows.slice(ports.constraints) : ports.amounts);
  const equalityRows = local(eliminations.map((e) => (e.kind === "equality" ? e.value : 0)));
  const products = cones.map(coneProduct);

  const rates = graph.symbols("rate", ports.values.length);
  const coneVariables = cones.flatMap(({ b, c }) => [...b, ...c]);
  const lines = linearRows([...kept, ...products.flat(), ...equalityRows]);
  if (!lines) return undefined;
  const keptLines = lines.splice(0, kept.length);
  const productLines = products.map((product) => lines.splice(0, product.length));

  const coneRhs = graph.symbols("coneRhs", products.flat().length);
  const equalities = graph.symbols("equality", eliminations.filter(({ kind }) => kind === "equality").length);
  const residuals = graph.symbols("ownResidual", isJoint ? node.rows.length : 0);
  const pending = pendingRows(node, lines, productLines, coneRhs, equalities);
  if (isJoint)
    keptLines.forEach((line, i) => {
      line.rhs = neg(residuals[ports.constraints + i]);
    });
  const recovered = eliminateAll(pending, keptLines);

  const coefficients = (line: LinearRow): Scalar[] => rates.map((rate) => line.coefficients.get(rate) ?? 0);
  const slopes: Scalar[][] = ports.values.map(() => rates.map(() => 0));
  const pushes: Scalar[] = ports.values.map(() => 0);
  keptLines.forEach((line, i) => {
    // a joint's row reads f + k y = τ; a contact's line is the impulse itself, Σ coefficient·step − rhs
    const port = isJoint ? ports.pushed[ports.constraints + i] : i;
    slopes[port] = isJoint ? coefficients(line).map(neg) : coefficients(line);
    pushes[port] = isJoint ? line.rhs : neg(line.rhs);
  });
  // what one free coordinate does must not depend on another
  if (isJoint && slopes.some((row, i) => row.some((entry, j) => i !== j && entry !== 0))) return undefined;
  return { rates, coneRhs, equalities, residuals, slopes, pushes, recovered };

  function linearRows(values: readonly Scalar[]): LinearRow[] | undefined {
    const columns: Expr[] = [...node.multipliers, ...coneVariables];
    const byPorts = jacobian(values, at);
    const byOthers = jacobian(values, columns);
    // nothing may depend on where the bodies go but through the ports, and nothing but linearly on them
    const bodies = new Set(symbolsOfBodies(node));
    if (symbolsOf(values).some((symbol) => bodies.has(symbol))) return undefined;
    const ported = new Set(at);
    if (symbolsOf([...byPorts.flat(), ...byOthers.flat()]).some((symbol) => ported.has(symbol))) return undefined;
    const { scales } = ports as Ports;
    return values.map((_, i) =>
      lineOf([...rates, ...columns], [...byPorts[i].map((slope, k) => mul(slope, scales[k])), ...byOthers[i]]),
    );
  }
}

/** The law of a gear: α λ + k (Σ ratio·rate) = τ, with λ the step of its impulse. */
export interface GearLaw {
  /** Σ ratio·rate over the gear's terms, and λ. */
  readonly rate: Expr;
  readonly impulse: Expr;
  readonly coneRhs: readonly Expr[];
  readonly equalities: readonly Expr[];
  readonly residuals: readonly Expr[];
  readonly yielding: Scalar;
  readonly stiffness: Scalar;
  readonly push: Scalar;
  /** Steps of the cone variables and of the other multiplier, the length. */
  readonly recovered: Map<Expr, Scalar>;
}

/** `slopes`: what the terms add to each row for a rate of one (gearSlopes). */
export function gearLaw(node: NodeEquations, slopes: readonly Scalar[]): GearLaw {
  const { graph, rows, multipliers, cones, eliminations, regularization } = node;
  const rate = graph.symbol("rate");
  const impulse = multipliers[multipliers.length - 1];
  const residuals = graph.symbols("ownResidual", rows.length);
  const products = cones.map(coneProduct);
  const values = [...rows, ...products.flat(), ...eliminations.map((e) => (e.kind === "equality" ? e.value : 0))];
  const columns = [...multipliers, ...cones.flatMap(({ b, c }) => [...b, ...c])];
  const lines = jacobian(values, columns).map((entries) => lineOf(columns, entries));
  const own = lines.splice(0, rows.length);
  own.forEach((line, i) => {
    setCoefficient(line, rate, slopes[i]);
    setCoefficient(line, multipliers[i], add(line.coefficients.get(multipliers[i]) ?? 0, regularization[i]));
    line.rhs = neg(residuals[i]);
  });
  const productLines = products.map((product) => lines.splice(0, product.length));
  const coneRhs = graph.symbols("coneRhs", products.flat().length);
  const equalities = graph.symbols("equality", eliminations.filter(({ kind }) => kind === "equality").length);
  const pending = pendingRows(node, lines, productLines, coneRhs, equalities);
  const others = own.slice(0, -1).map((row, i): Pending => ({ row, solves: multipliers[i] }));
  const kept = own[own.length - 1];
  const recovered = eliminateAll([...others, ...pending], [kept]);
  return {
    rate,
    impulse,
    coneRhs,
    equalities,
    residuals,
    yielding: kept.coefficients.get(impulse) ?? 0,
    stiffness: kept.coefficients.get(rate) ?? 0,
    push: kept.rhs,
    recovered,
  };
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
