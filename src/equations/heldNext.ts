/**
 * How a step's equations answer to poses while the next poses are held [data_jacobian]. Poses z₋ and z of the bodies are the variables
 * and the velocities follow from them,
 *   v = (x − x₋)/h,  ω = 2 vec(q₋⁻¹ q)/h,      v₊ = (x₊ − x)/h,  ω₊ = 2 vec(q⁻¹ q₊)/h.
 * What depends on z₊ alone (constraints, gaps, limits) then has no answer at all, and the matrix of the step takes care of z₊: with
 * δs = δs' + (ds/dz at held z₊) δz for the solved velocities s, R δs + D̃ δz = 0 becomes R δs' + D̃' δz = 0, D̃' the answer written here.
 */

import { stateOffsets } from "../math/index.ts";
import {
  add,
  cross,
  directional,
  div,
  type Expr,
  jacobian,
  matMul,
  matVec,
  mul,
  neg,
  type Scalar,
  sqrt,
  square,
  sub,
  substitute,
  sum,
  symbolsOf,
  transpose,
} from "../symbolic/index.ts";
import type { BodySensitivity } from "./bodySensitivity.ts";
import { unvariedMatrix } from "./bodySymbols.ts";
import { bodyBalance, bodyData } from "./integrator.ts";
import {
  canLock,
  coordinates,
  type JointFrames,
  type JointType,
  relativePose,
  turningCoordinates,
} from "./jointGeometry.ts";
import type { TreeMotion } from "./jointMotion.ts";
import { type JointSpecies, loadedCoordinates } from "./jointSpecies.ts";
import { leadOffset, type NodeEquations, twistJacobians } from "./node.ts";
import { previousPose } from "./pose.ts";
import { condensation } from "./sensitivity.ts";

const symbols = (list: readonly Scalar[]): Expr[] => list as readonly Expr[] as Expr[];

/** dω/dδθ of a spin ω = 2 vec(q₋⁻¹ q)/h, 3 × 3, with Δ = q₋⁻¹ q = (w, ψ): by its end (w + [ψ]×)/h, by its start −(w − [ψ]×)/h. */
function spinByEnds(angular: readonly Scalar[], h: Scalar): { byStart: Scalar[][]; byEnd: Scalar[][] } {
  const psi = angular.map((entry) => mul(div(h, 2), entry));
  const w = div(sqrt(sub(1, sum(psi.map(square)))), h);
  const [x, y, z] = angular.map((entry) => mul(0.5, entry));
  const matrix = (sign: 1 | -1): Scalar[][] => {
    const turn = (entry: Scalar): Scalar => (sign > 0 ? entry : neg(entry));
    return [
      [w, turn(neg(z)), turn(y)],
      [turn(z), w, turn(neg(x))],
      [turn(neg(y)), turn(x), w],
    ];
  };
  return { byStart: matrix(-1).map((row) => row.map(neg)), byEnd: matrix(1) };
}

/** Rows by (v, ω) → rows by the (δx, δθ) that these follow from. */
function throughVelocity(
  rows: readonly (readonly Scalar[])[],
  overStep: Scalar,
  spin: readonly (readonly Scalar[])[],
): Scalar[][] {
  const angular = matMul(
    rows.map((row) => row.slice(3)),
    spin,
  );
  return rows.map((row, i) => [...row.slice(0, 3).map((entry) => mul(entry, overStep)), ...angular[i]]);
}

const plus = (a: readonly (readonly Scalar[])[], b: readonly (readonly Scalar[])[]): Scalar[][] =>
  a.map((row, i) => row.map((entry, j) => add(entry, b[i][j])));

/** The balance of a body by its pose and by its pose one step earlier, 6 × 6 each. */
export function heldBody(s: BodySensitivity): { byPose: Scalar[][]; byBefore: Scalar[][] } {
  const [h, ...rest] = s.globals;
  const [velocity, next] = [s.state.slice(stateOffsets.velocity), s.unknown];
  const data = bodyData(s.parameters, rest.slice(0, 3), s.wrench);
  const split = (six: readonly Expr[]) => ({ linear: six.slice(0, 3), angular: six.slice(3) });
  const balance = bodyBalance(data, split(velocity), split(next), h, add(h, s.globals[leadOffset]));
  const byVelocity = jacobian(balance, velocity);
  const inverse = div(1, h);
  const [now, ahead] = [spinByEnds(velocity.slice(3), h), spinByEnds(next.slice(3), h)];
  return {
    byPose: plus(
      throughVelocity(byVelocity, inverse, now.byEnd),
      throughVelocity(jacobian(balance, next), neg(inverse), ahead.byStart),
    ),
    byBefore: throughVelocity(byVelocity, neg(inverse), now.byStart),
  };
}

export interface HeldForces {
  /** [rows of][by], 6 × 6. */
  readonly byPose: (Scalar[][] | undefined)[][];
  /** [rows of], 6 × inputs. */
  readonly byInputs: Scalar[][][];
}

/** The bodies' rows of a node without multipliers (contact, drag, thruster), by the poses of the moving bodies and by inputs. */
export function heldForces(node: NodeEquations): HeldForces {
  const { bodies, bodyRows, globals } = node;
  const h = globals.timestep;
  const own = equalitiesOf(node);
  const coupling = unvariedMatrix(condensation(node).coupling, bodies);
  const perBody = bodies.map(({ moves, pose, variation, nextVelocity, velocity }): Scalar[][] => {
    if (!moves) return [];
    const by = symbols([...pose.position, ...variation, ...nextVelocity.linear, ...nextVelocity.angular]);
    requireNone([...bodyRows.flat(), ...own], [...velocity.linear, ...velocity.angular]);
    const all = [...jacobian(bodyRows.flat(), by), ...jacobian(own, by, "reverse")];
    const matrix = unvariedMatrix(all, bodies);
    const { byStart } = spinByEnds(nextVelocity.angular, h);
    const held = plus(
      matrix.map((row) => row.slice(0, 6)),
      throughVelocity(
        matrix.map((row) => row.slice(6)),
        neg(div(1, h)),
        byStart,
      ),
    );
    return condensed(held, coupling);
  });
  const byPose = bodies.map((body, k) => {
    const start = bodyRows.slice(0, k).flat().length;
    return perBody.map((rows) => (body.moves && rows.length > 0 ? rows.slice(start, start + 6) : undefined));
  });
  return { byPose, byInputs: bodyRows.map((rows) => unvariedMatrix(jacobian(rows, symbols(node.inputs)), bodies)) };
}

/** Kept rows with what the eliminated equalities, which come after them, add. */
function condensed(rows: readonly (readonly Scalar[])[], coupling: readonly (readonly Scalar[])[]): Scalar[][] {
  const kept = rows.slice(0, coupling.length);
  return kept.length === rows.length
    ? kept.map((row) => [...row])
    : plus(kept, matMul(coupling, rows.slice(coupling.length)));
}

/** What is written here holds for equations without these symbols: new ones that have them need more. */
function requireNone(rows: readonly Scalar[], absent: readonly Scalar[]): void {
  const found = new Set<Scalar>(symbolsOf(rows));
  const present = absent.filter((symbol) => found.has(symbol)) as Expr[];
  if (present.length > 0) throw new Error(`equations depend on ${present.map(({ name }) => name).join(", ")}`);
}

/** A joint or a gear's term: equations of the relative poses of two bodies. */
export interface RelativeNode {
  readonly node: NodeEquations;
  readonly type: JointType;
  readonly frames: JointFrames;
  /** Whether the joint carries its parent: then that is the far body. */
  readonly reversed: boolean;
}

/** What a joint's coordinates do to its far body while the near one is held. */
type FarMotion = Pick<TreeMotion, "values" | "beforeByValues" | "beforeByRates">;

/** Rows of both bodies (12, those of the world zero), then its own. */
export interface HeldJoint {
  /** Derivatives with respect to the joint's own positions and velocities while the near body is held. */
  readonly byValues: Scalar[][];
  readonly byRates: Scalar[][];
  readonly byInputs: Scalar[][];
  /**
   * When both bodies turn as one by δθ in the world, torques in their own frames stay and the forces ±f turn along: μᵀ D̃' δθ =
   * δθᵀ (f × (μ_child − μ_parent)). The matrix [f]×, 3 × 3; empty where the near body is the world.
   */
  readonly turnedForce: Scalar[][];
}

export function heldJoint(joint: RelativeNode, motion: FarMotion): HeldJoint {
  const { node, reversed } = joint;
  const { bodies, inputs } = node;
  const [near, far] = reversed ? [bodies[1], bodies[0]] : bodies;
  const count = motion.values[0]?.length ?? 0;
  const unvaried = (rows: readonly (readonly Scalar[])[]): Scalar[][] => unvariedMatrix(rows, bodies);
  const bodyRows = bodies.map((body, k) => (body.moves ? node.bodyRows[k] : [0, 0, 0, 0, 0, 0]));
  const bodyByValues = transposed(
    range(count).map((j) => {
      const seeds = seedsOf([...far.pose.position, ...far.variation], column(motion.values, j));
      return directional(bodyRows.flat(), seeds);
    }),
    12,
  );
  const own = ownRows(joint, motion, count);
  const force = unvaried([bodyRows[1].slice(0, 3)])[0];
  const byInputs = jacobian([...bodyRows.flat(), ...node.rows, ...equalitiesOf(node)], symbols(inputs));
  const coupling = unvaried(condensation(node).coupling.slice(node.bodyRows.flat().length));
  return {
    byValues: [...unvaried(bodyByValues), ...condensed(own.byValues, coupling)],
    byRates: [...bodyRows.flat().map(() => range(count).map(() => 0)), ...condensed(own.byRates, coupling)],
    byInputs: [...unvaried(byInputs.slice(0, 12)), ...condensed(unvaried(byInputs.slice(12)), coupling)],
    turnedForce: near.moves ? crossMatrix(force) : [],
  };
}

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

const column = (matrix: readonly (readonly Scalar[])[], j: number): Scalar[] => matrix.map((row) => row[j]);

/** Columns → rows, also where there are no columns. */
function transposed(columns: readonly (readonly Scalar[])[], rows: number): Scalar[][] {
  return range(rows).map((i) => columns.map((entries) => entries[i]));
}

function seedsOf(list: readonly Scalar[], values: readonly Scalar[]): Map<Expr, Scalar> {
  return new Map(list.map((symbol, i): [Expr, Scalar] => [symbol as Expr, values[i]]));
}

/** [f]×. */
function crossMatrix(f: readonly Scalar[]): Scalar[][] {
  const columns = [0, 1, 2].map((k) =>
    cross(
      f,
      [0, 1, 2].map((i) => (i === k ? 1 : 0)),
    ),
  );
  return transpose(columns);
}

function equalitiesOf({ eliminations }: NodeEquations): Scalar[] {
  return eliminations.flatMap((elimination) => (elimination.kind === "equality" ? [elimination.value] : []));
}

interface OwnRows {
  readonly byValues: Scalar[][];
  readonly byRates: Scalar[][];
}

/** A node's own rows, then its eliminated equalities, by positions and velocities of the joint. */
function ownRows(joint: RelativeNode, motion: FarMotion, count: number): OwnRows {
  const rows = [...joint.node.rows, ...equalitiesOf(joint.node)];
  const scalar = turningCoordinates(joint.type).length === 0 ? scalarRows(joint, rows) : undefined;
  return scalar ?? directedRows(joint, rows, motion, count);
}

/**
 * Rows of coordinates whose change is the difference of their values know a = θ, b = θ₊ − θ and c = θ − θ₋ alone. At held θ₊,
 * and with θ₋ = θ − h θ̇:  d/dθ = ∂/∂a − ∂/∂b,   d/dθ̇ = h ∂/∂c. Undefined where they know more.
 */
function scalarRows({ node, type, frames }: RelativeNode, rows: readonly Scalar[]): OwnRows | undefined {
  const { graph, bodies } = node;
  const { timestep: h, before: interval } = node.globals;
  const now = relativePose(frames, bodies[0].pose, bodies[1].pose);
  const next = relativePose(frames, bodies[0].next, bodies[1].next);
  const [parent, child] = bodies.map((body) =>
    body.moves ? previousPose(body.pose, body.velocity, interval) : body.pose,
  );
  const before = relativePose(frames, parent, child);
  const stand = (name: string, expressions: readonly Scalar[]): [Expr[], [Expr, Scalar][]] => {
    const list = graph.symbols(name, expressions.length);
    // where −x is known as the negative of another, that one is looked for
    return [
      list,
      expressions.map((entry, i): [Expr, Scalar] => {
        const { op, args } = entry as Expr;
        return op === "neg" ? [args[0] as Expr, neg(list[i])] : [entry as Expr, list[i]];
      }),
    ];
  };
  const free = coordinates(type);
  const [a, values] = stand(
    "held.value",
    free.map((coordinate) => coordinate.value(now)),
  );
  const [b, ahead] = stand(
    "held.ahead",
    free.map((coordinate) => coordinate.change(now, next)),
  );
  const [c, behind] = stand(
    "held.behind",
    free.map((coordinate) => coordinate.change(before, now)),
  );
  const scalars = substitute(rows, new Map([...ahead, ...behind, ...values]));
  const seen = new Set<Scalar>(symbolsOf(scalars));
  const seesMore = bodies.some(
    ({ moves, pose, poseSymbols, variation, velocity }) =>
      moves &&
      [...pose.position, ...poseSymbols.orientation, ...variation, ...velocity.linear, ...velocity.angular].some(
        (symbol) => seen.has(symbol),
      ),
  );
  if (seesMore) return undefined;
  const count = free.length;
  const matrix = unvariedMatrix(jacobian(scalars, [...a, ...b, ...c]), bodies);
  const back = new Map(
    [...ahead, ...behind, ...values].map(([expression, symbol]): [Expr, Scalar] => {
      const { op, args } = symbol as Expr;
      return op === "neg" ? [args[0] as Expr, neg(expression)] : [symbol as Expr, expression];
    }),
  );
  const restored = (list: Scalar[][]): Scalar[][] =>
    unvariedMatrix(
      list.map((row) => substitute(row, back)),
      bodies,
    );
  return {
    byValues: restored(matrix.map((row) => range(count).map((i) => sub(row[i], row[count + i])))),
    byRates: restored(matrix.map((row) => range(count).map((i) => mul(h, row[2 * count + i])))),
  };
}

/** The general case: the far body is moved, and its velocity follows. */
function directedRows(
  { node, reversed }: RelativeNode,
  rows: readonly Scalar[],
  motion: FarMotion,
  count: number,
): OwnRows {
  const h = node.globals.timestep;
  const { pose, variation, velocity } = node.bodies[reversed ? 0 : 1];
  const { byStart, byEnd } = spinByEnds(velocity.angular, h);
  const velocitySymbols = [...velocity.linear, ...velocity.angular];
  const velocityOf = (sign: 1 | -1, spin: Scalar[][], six: readonly Scalar[]): Scalar[] => [
    ...six.slice(0, 3).map((entry) => (sign > 0 ? div(entry, h) : neg(div(entry, h)))),
    ...matVec(spin, six.slice(3)),
  ];
  const along = (now: readonly Scalar[] | undefined, before: readonly Scalar[]): Scalar[] => {
    const behind = velocityOf(-1, byStart, before);
    const velocities = now ? velocityOf(1, byEnd, now).map((entry, i) => add(entry, behind[i])) : behind;
    const seeds = seedsOf(velocitySymbols, velocities);
    if (now) for (const [symbol, value] of seedsOf([...pose.position, ...variation], now)) seeds.set(symbol, value);
    return directional(rows, seeds);
  };
  const unvaried = (columns: Scalar[][]): Scalar[][] => unvariedMatrix(transposed(columns, rows.length), node.bodies);
  return {
    byValues: unvaried(range(count).map((j) => along(column(motion.values, j), column(motion.beforeByValues, j)))),
    byRates: unvaried(range(count).map((j) => along(undefined, column(motion.beforeByRates, j)))),
  };
}

/** Derivatives of a joint's rates with respect to the twists (twist.ts) of both bodies, [body][coordinate][6]; empty for the world. */
export function ratesByTwist({ node, type, frames }: RelativeNode): Scalar[][][] {
  const { bodies } = node;
  const h = node.globals.timestep;
  const now = relativePose(frames, bodies[0].pose, bodies[1].pose);
  const next = relativePose(frames, bodies[0].next, bodies[1].next);
  const rates = coordinates(type).map((coordinate) => div(coordinate.increment(now, next), h));
  return twistJacobians(rates, bodies, h).map((matrix) => unvariedMatrix(matrix, bodies));
}

/**
 * For each input of a joint the own row of the force λ that acts along with it, where there is one. Impulse t u, over the duration t, and λ have
 * one direction, and the column of λ in the transposed system says that μᵀ(direction) is μ of its row: so d/du is −t there.
 */
export function drivenRows(species: JointSpecies): (number | undefined)[] {
  const { type, features } = species;
  const constraints = type.translation + type.rotation;
  const forces = loadedCoordinates(species);
  return features.flatMap((feature, i) => {
    if (!feature.actuated && !feature.servo) return [];
    const isPlain = forces.includes(i) && !feature.servo && !feature.effort && !canLock(type);
    return [isPlain ? constraints + forces.indexOf(i) : undefined];
  });
}
