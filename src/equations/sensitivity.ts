/**
 * How a node's equations answer to their data θ = (state, input, parameters) [data_jacobian], with the cone variables
 * condensed away as in the solver:
 *   D̃ = D_kept + C D_equalities,      C from the same elimination, right-hand sides replaced by symbols.
 * Three forms of the same derivative: blocks D̃ (for all Jacobians of a step), D̃θ̇ (tangents, forward) and μᵀD̃ (cotangents,
 * reverse). States vary by attitude error: q ↦ q·(1, δ/2). A node's next poses are data too where they depend on θ:
 * their tangents come from, and their cotangents go to, the body. So for tangents and cotangents the equations must be those with
 * their own rotation matrices (RotationSource), which follow the quaternion; blocks go by attitude errors throughout.
 */

import { bodyTangentSize, poseSize } from "../math/index.ts";
import {
  add,
  directional,
  dot,
  type Expr,
  jacobian,
  matMul,
  mul,
  neg,
  type Scalar,
  substitute,
  sum,
} from "../symbolic/index.ts";
import { type BodySymbols, untilted, unvariedMatrix } from "./bodySymbols.ts";
import { condense } from "./condense.ts";
import { globalList, type NodeEquations } from "./node.ts";
import { attitudeJacobian } from "./pose.ts";

/** The kept rows of a node: of each body it touches, then its own. */
export interface KeptRows<T> {
  readonly bodies: readonly (readonly T[])[];
  readonly own: readonly T[];
}

const asSymbols = (list: readonly Scalar[]): Expr[] => list as readonly Expr[] as Expr[];

/** C: for every kept row its dependence on the right-hand sides of the eliminated equalities. */
export function condensation(node: NodeEquations): {
  readonly kept: Scalar[];
  readonly equalities: readonly Scalar[];
  readonly coupling: Scalar[][];
} {
  const count = node.eliminations.filter((elimination) => elimination.kind === "equality").length;
  const rhs = node.graph.symbols("equalityRhs", count);
  const condensed = condense(node, rhs);
  // complementarity targets do not move
  const rows = [...condensed.bodyRows.flat(), ...condensed.rows];
  return {
    kept: untilted([...node.bodyRows.flat(), ...node.rows], node.bodies),
    equalities: condensed.equalities,
    coupling: jacobian(
      rows.map((row) => row.rhs),
      rhs,
    ),
  };
}

/** Equations of the eliminated equalities, with their tilts and variations. */
function equalitiesOf(node: NodeEquations): Scalar[] {
  return node.eliminations.flatMap((elimination) => (elimination.kind === "equality" ? [elimination.value] : []));
}

function split<T>(node: NodeEquations, rows: readonly T[]): KeptRows<T> {
  const starts = node.bodyRows.map((_, k) => node.bodyRows.slice(0, k).flat().length);
  const bodies = node.bodyRows.map((own, k) => rows.slice(starts[k], starts[k] + own.length));
  return { bodies, own: rows.slice(node.bodyRows.flat().length) };
}

/** D̃ by blocks: rows × (δx, δθ, v, ω) of each moving body, and rows × inputs. */
export interface DataBlocks {
  readonly byState: readonly (KeptRows<readonly Scalar[]> | undefined)[];
  readonly byInput: KeptRows<readonly Scalar[]>;
}

/**
 * Data blocks of equations whose poses are varied. `carry` of a body is dφ₊/dδθ, 3 × 3, of the attitude error φ₊ of its next pose, given as symbols.
 * A row of a node's own is one number of many arguments and is differentiated backwards.
 */
export function dataBlocks(node: NodeEquations, carry: readonly (readonly (readonly Scalar[])[])[]): DataBlocks {
  const { bodies, inputs } = node;
  const coupling = unvariedMatrix(condensation(node).coupling, bodies);
  const perBody = bodies.map((body) => (body.moves ? stateSymbols(body) : []));
  const symbols = [...perBody.flat(), ...asSymbols(inputs)];
  // with their tilts and variations: by these they are differentiated
  const own = [...node.rows, ...equalitiesOf(node)];
  const matrix = unvariedMatrix(
    [...jacobian(node.bodyRows.flat(), symbols), ...jacobian(own, symbols, "reverse")],
    bodies,
  );
  const keptCount = node.bodyRows.flat().length + node.rows.length;
  const total = (matrixOf: (rows: readonly (readonly Scalar[])[]) => Scalar[][]): Scalar[][] => {
    const direct = matrixOf(matrix.slice(0, keptCount));
    if (keptCount === matrix.length) return direct;
    const through = matMul(coupling, matrixOf(matrix.slice(keptCount)));
    return direct.map((row, i) => row.map((entry, j) => add(entry, through[i][j])));
  };
  const start = (k: number): number => perBody.slice(0, k).flat().length;
  return {
    byState: bodies.map((body, k) =>
      body.moves
        ? split(
            node,
            total((rows) =>
              stateColumns(
                rows.map((row) => row.slice(start(k), start(k + 1))),
                carry[k],
              ),
            ),
          )
        : undefined,
    ),
    byInput: split(
      node,
      total((rows) => rows.map((row) => row.slice(start(bodies.length)))),
    ),
  };
}

/** What a row depends on through a body: x, x₊, the variations of both attitudes, v, ω. */
function stateSymbols({ pose, variation, velocity, nextSymbols: next, tilt }: BodySymbols): Expr[] {
  return asSymbols([
    ...pose.position,
    ...next.position,
    ...variation,
    ...tilt,
    ...velocity.linear,
    ...velocity.angular,
  ]);
}

/** Turns derivatives with respect to those into derivatives with respect to (δx, δθ, v, ω), through the next pose as well. */
function stateColumns(rows: readonly (readonly Scalar[])[], carry: readonly (readonly Scalar[])[]): Scalar[][] {
  const carried = matMul(
    rows.map((row) => row.slice(9, 12)),
    carry,
  );
  return rows.map((row, i) => [
    ...[0, 1, 2].map((k) => add(row[k], row[3 + k])),
    ...[0, 1, 2].map((k) => add(row[6 + k], carried[i][k])),
    ...row.slice(12),
  ]);
}

/** Tangents of a node's data, as symbols. */
export interface NodeTangents {
  /** (δx, δθ, v̇, ω̇) of each body, and (ẋ₊, q̇₊) of its next pose. */
  readonly state: readonly (readonly Expr[])[];
  readonly next: readonly (readonly Expr[])[];
  readonly inputs: readonly Expr[];
  readonly parameters: readonly (readonly Expr[])[];
  readonly globals: readonly Expr[];
}

export function nodeTangents(node: NodeEquations): NodeTangents {
  const { graph } = node;
  return {
    state: node.bodies.map((body, k) => (body.moves ? graph.symbols(`dot.state${k}.`, bodyTangentSize) : [])),
    next: node.bodies.map((body, k) => (body.moves ? graph.symbols(`dot.next${k}.`, poseSize) : [])),
    inputs: graph.symbols("dot.input", node.inputs.length),
    parameters: node.parameterGroups.map((group, i) => graph.symbols(`dot.parameter${i}.`, group.length)),
    globals: graph.symbols("dot.global", globalList(node.globals).length),
  };
}

/** Tangents by symbol of the data. */
function seedsOf(node: NodeEquations, tangents: NodeTangents): Map<Expr, Scalar> {
  const seeds = new Map<Expr, Scalar>();
  const seed = (symbols: readonly Scalar[], values: readonly Scalar[]): void =>
    symbols.forEach((symbol, i) => {
      seeds.set(symbol as Expr, values[i]);
    });
  node.bodies.forEach((body, k) => {
    if (!body.moves) return;
    const state = tangents.state[k];
    seed(body.pose.position, state.slice(0, 3));
    seed(
      body.pose.orientation,
      attitudeJacobian(body.pose.orientation).map((row) => dot(row, state.slice(3, 6))),
    );
    seed([...body.velocity.linear, ...body.velocity.angular], state.slice(6, 12));
    seed([...body.nextSymbols.position, ...body.nextSymbols.orientation], tangents.next[k]);
  });
  seed(node.inputs, tangents.inputs);
  node.parameterGroups.forEach((group, i) => {
    seed(group, tangents.parameters[i]);
  });
  seed(globalList(node.globals), tangents.globals);
  return seeds;
}

/** D̃ θ̇. */
export function tangentRows(node: NodeEquations, tangents: NodeTangents): KeptRows<Scalar> {
  const { kept, equalities, coupling } = condensation(node);
  const seeds = seedsOf(node, tangents);
  const direct = directional(kept, seeds);
  const through = directional(equalities, seeds);
  return split(
    node,
    direct.map((entry, i) => add(entry, dot(coupling[i], through))),
  );
}

/** Cotangents of a node's data. */
export interface NodeCotangents {
  /** (δx, δθ, v, ω) of each body, and (x₊, q₊). */
  readonly state: readonly (readonly Scalar[])[];
  readonly next: readonly (readonly Scalar[])[];
  readonly inputs: readonly Scalar[];
  readonly parameters: readonly (readonly Scalar[])[];
  readonly globals: readonly Scalar[];
}

/** All that a node depends on besides its unknowns. */
function dataSymbols(node: NodeEquations): Expr[] {
  const moving = node.bodies.filter((body) => body.moves);
  return asSymbols([
    ...moving.flatMap(({ pose, velocity, nextSymbols: next }) =>
      [pose, next].flatMap((p) => [...p.position, ...p.orientation]).concat(velocity.linear, velocity.angular),
    ),
    ...node.inputs,
    ...node.parameterGroups.flat(),
    ...globalList(node.globals),
  ]);
}

/** μᵀ D̃ for multipliers μ of the kept rows. */
export function cotangents(node: NodeEquations, mu: KeptRows<Expr>): NodeCotangents {
  const data = dataSymbols(node);
  return gathered(node, data, pulled(node, mu, condensation(node), data));
}

/** Derivatives with respect to `data` by what they belong to; quaternions become attitude errors. */
function gathered(node: NodeEquations, data: readonly Expr[], derivatives: readonly Scalar[]): NodeCotangents {
  const bySymbol = new Map<Scalar, Scalar>(data.map((symbol, i) => [symbol, derivatives[i]]));
  const gradient = (symbols: readonly Scalar[]): Scalar[] => symbols.map((symbol) => bySymbol.get(symbol) ?? 0);
  return {
    state: node.bodies.map((body) => {
      if (!body.moves) return [];
      const byOrientation = gradient(body.pose.orientation);
      const attitude = attitudeJacobian(body.pose.orientation);
      return [
        ...gradient(body.pose.position),
        ...[0, 1, 2].map((k) =>
          dot(
            byOrientation,
            attitude.map((row) => row[k]),
          ),
        ),
        ...gradient([...body.velocity.linear, ...body.velocity.angular]),
      ];
    }),
    next: node.bodies.map((body) =>
      body.moves ? gradient([...body.nextSymbols.position, ...body.nextSymbols.orientation]) : [],
    ),
    inputs: gradient(node.inputs),
    parameters: node.parameterGroups.map((group) => gradient(group)),
    globals: gradient(globalList(node.globals)),
  };
}

/**
 * The impulses a of a contact, which are cone variables or differences of them, recovered from the solved step s:
 *   ȧ = A ṡ − B D_equalities θ̇,
 * with `rhs` in place of −D_equalities θ̇.
 */
function impulseChanges(node: NodeEquations) {
  const rhs = node.graph.symbols("equalityRhs", equalitiesOf(node).length);
  const { steps, equalities, recovered } = condense(node, rhs);
  const variables = asSymbols(node.cones.flatMap(({ b }) => b));
  const seeds = new Map(variables.map((variable): [Expr, Scalar] => [variable, recovered.get(variable) ?? 0]));
  return { rhs, steps, equalities, changes: directional(impulseAmounts(node), seeds) };
}

/** ȧ, with ṡ of the bodies as symbols. Complementarity targets do not move. */
export function impulseTangents(
  node: NodeEquations,
  tangents: NodeTangents,
): { readonly steps: readonly (readonly Expr[])[]; readonly changes: readonly Scalar[] } {
  const { rhs, steps, equalities, changes } = impulseChanges(node);
  const through = directional(equalities, seedsOf(node, tangents));
  const replaced = new Map<Expr, Scalar>(steps.coneRhs.map((symbol) => [symbol, 0]));
  rhs.forEach((symbol, i) => {
    replaced.set(symbol, neg(through[i]));
  });
  return { steps: steps.bodies, changes: substitute(changes, replaced) };
}

/** The cotangent ā adds Aᵀā to that of s, and −D_equalitiesᵀ Bᵀā to that of θ. */
export function impulseCotangents(
  node: NodeEquations,
  bar: readonly Expr[],
): { readonly steps: readonly (readonly Scalar[])[]; readonly data: NodeCotangents } {
  const { rhs, steps, equalities, changes } = impulseChanges(node);
  const total = sum(changes.map((change, i) => mul(bar[i], change)));
  const coupling = jacobian(changes, rhs).map((row) => row.map(neg));
  const data = dataSymbols(node);
  const none = { kept: changes.map(() => 0), equalities, coupling };
  return {
    steps: steps.bodies.map((own) => jacobian([total], own, "reverse")[0]),
    data: gathered(node, data, pulled(node, { bodies: [bar], own: [] }, none, data)),
  };
}

/** The impulses of a contact: normal, and friction along its tangents if it has any. Those that resist turning are not among them. */
export function impulseAmounts({ ports }: NodeEquations): readonly Scalar[] {
  return ports?.kind === "contact" ? ports.amounts.slice(0, 3) : [];
}

/** Cotangents of states and inputs alone, by attitude errors; next poses by theirs, (δx₊, δθ₊). */
export type MotionCotangents = Pick<NodeCotangents, "state" | "next" | "inputs">;

/** Cotangents of equations whose poses are varied, with the rotation matrices that the bodies have computed. */
export function motionCotangents(node: NodeEquations, mu: KeptRows<Expr>): MotionCotangents {
  const { bodies } = node;
  const ofBodies = bodies.map(({ moves, pose, variation, velocity, nextSymbols: next, tilt }) =>
    moves
      ? {
          state: asSymbols([...pose.position, ...variation, ...velocity.linear, ...velocity.angular]),
          next: asSymbols([...next.position, ...tilt]),
        }
      : { state: [], next: [] },
  );
  const data = [...ofBodies.flatMap(({ state, next }) => [...state, ...next]), ...node.inputs];
  const varied = {
    kept: [...node.bodyRows.flat(), ...node.rows],
    equalities: equalitiesOf(node),
    coupling: unvariedMatrix(condensation(node).coupling, bodies),
  };
  const [derivatives] = unvariedMatrix([pulled(node, mu, varied, data)], bodies);
  const bySymbol = new Map<Expr, Scalar>(data.map((symbol, i) => [symbol, derivatives[i]]));
  const gradient = (symbols: readonly Expr[]): Scalar[] => symbols.map((symbol) => bySymbol.get(symbol) ?? 0);
  return {
    state: ofBodies.map(({ state }) => gradient(state)),
    next: ofBodies.map(({ next }) => gradient(next)),
    inputs: gradient(node.inputs),
  };
}

/** d(μᵀ rows)/d(data): of the kept rows, and of the equalities by way of their coupling to these. */
function pulled(
  { graph }: NodeEquations,
  mu: KeptRows<Expr>,
  { kept, equalities, coupling }: ReturnType<typeof condensation>,
  data: readonly Expr[],
): Scalar[] {
  const weights = [...mu.bodies.flat(), ...mu.own];
  const equalityWeights = equalities.map((_, j) => sum(weights.map((weight, i) => mul(weight, coupling[i][j]))));
  // the weights are held while the rows vary: stand-ins keep differentiation from entering them
  const stand = graph.symbols("weight", equalities.length);
  const total = sum([...kept.map((row, i) => mul(weights[i], row)), ...equalities.map((row, j) => mul(stand[j], row))]);
  const back = new Map<Expr, Scalar>(stand.map((symbol, j) => [symbol, equalityWeights[j]]));
  return substitute(jacobian([total], data, "reverse")[0], back);
}
