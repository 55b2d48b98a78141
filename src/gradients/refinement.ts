/**
 * Iterative refinement, δ ← δ + K⁻¹(r − K₀ δ), until nothing changes. It mends two things that the factors of K lack.
 *
 * Rounding. Contact variables are condensed into K as stiffnesses b/c, which grow without bound as κ falls. A contact with the world costs
 * as many digits as its stiffness over the body's mass has, ρ; one between two bodies twice as many, since eliminating the first leaves a
 * difference of two stiffnesses on the second. So does one on a body that carries others with contacts, ρρ': a snake whose links all
 * touch the floor loses 2e-4 at κ' = 1e-8 without, robots on their feet 1e-8. Measured for a box on a box on the floor, error of dNext/dState: κ = 1e-6: 1e-10,
 * κ = 1e-8: 4e-6 without, 3e-10 with. Limits and joint friction keep a row of their own and lose nothing.
 *
 * Bias. Multipliers have an ε on their diagonal, so that redundant constraints of loops have factors. Newton's method does not mind,
 * but the derivative is that of K₀, which has none: with ε, a joint whose bodies both stand on stiff contacts gives way by ε times their
 * stiffness. Joints that form a tree are never redundant, and have no ε at all. Measured for boxes of 1 kg and 100 kg on the floor,
 * fixed to each other by one joint (a tree) and by two, κ = 1e-8, against one rigid body: 2e-3 and 1e-3 with ε, 2e-9 and 3e-9 without.
 *
 * At the usual κ nothing is refined.
 */
import { constraintsOf, forcesOf, isGrounded, type LimbPlan, type System } from "../kernels/index.ts";
import { multiplierNodes, StiffContacts } from "./stiffContacts.ts";

/** Refinement ends when a round changes the solution by less than this part of it, or after so many rounds. */
const smallChange = 1e-11;
const mostRounds = 6;

/** A block of the matrix without the joints of the tree: where its rows and columns are among the unknowns, and where it lies in memory. */
interface Block {
  readonly row: number;
  readonly rows: number;
  readonly column: number;
  readonly columns: number;
  readonly index: number;
  readonly stride: number;
}

/** A limb's joint: places among the unknowns, of the two sides of its ports in memory, and of its law. */
interface LimbJoint {
  readonly body: number;
  /** −1 for the world. */
  readonly above: number;
  readonly own: number;
  readonly constraints: number;
  readonly forces: readonly number[];
  /** Z by columns, d of A and Q, of motions and of impulses. */
  readonly motions: readonly [number, number];
  readonly arms: readonly [number, number];
  readonly ports: readonly [number, number];
  readonly stiffness: number;
  readonly push: number;
  readonly coupled: boolean;
  readonly forceWeights: number;
  readonly forceSlopes: number;
}

/** A solve in place: from right-hand sides to those over twists and wrenches, the solve itself, and back. */
export type SolveParts = Readonly<Record<"enter" | "solve" | "leave", () => void>>;

export class Refinement {
  private readonly blocks: readonly Block[];
  /** Blocks of contacts that are bound at run time and of ties beside them, as they were before factoring. */
  private tied: readonly Block[] = [];
  private tiedValues = new Float64Array(0);
  private tiedVersion = -1;
  private readonly plan: LimbPlan;
  /** Leaves first. */
  private readonly joints: readonly LimbJoint[];
  /** Rows of nodes that are no limbs. */
  private readonly plainRows: readonly number[];
  private readonly stiff: StiffContacts;
  private rhs = new Float64Array(0);
  private solution = new Float64Array(0);
  private readonly pushes: Float64Array;
  private readonly left: Float64Array;

  constructor(plan: LimbPlan) {
    const { mechanism, limbs, ties, kept, unknowns } = plan;
    this.plan = plan;
    const placed = (i: number, j: number, index: number): Block => blockAt(plan, i, j, index);
    this.stiff = new StiffContacts(plan);
    this.blocks = [
      ...mechanism.bodies.map((_, i) => placed(i, i, kept + 36 * i)),
      ...(ties?.places ?? []).map(({ row, column, offset }) =>
        placed(row, column, kept + 36 * mechanism.bodies.length + offset),
      ),
    ];
    this.joints = [...limbs].reverse().map((limb) => limbJoint(plan, limb));
    this.plainRows = plainRowsOf(plan);
    this.pushes = new Float64Array(6 * this.joints.length);
    this.left = new Float64Array(unknowns);
  }

  /** Whether contacts at the point in memory are so stiff that solutions must be refined. */
  isStiff(system: System): boolean {
    return this.stiff.isStiff(system);
  }

  /** Keeps what factoring overwrites: after "matrix", before "factor", where solutions are to be refined. */
  keep(system: System): void {
    system.run("keep");
    const { arranged, touch } = system;
    if (!arranged || !touch) return;
    const { tiedBlocks, memory } = arranged;
    if (touch.version !== this.tiedVersion) {
      this.tiedVersion = touch.version;
      let index = 0;
      this.tied = tiedBlocks.map(({ row, column }): Block => {
        const block = blockAt(this.plan, row, column, index);
        index += block.rows * block.stride;
        return block;
      });
      this.tiedValues = new Float64Array(index);
    }
    tiedBlocks.forEach(({ at }, i) => {
      const { index, rows, stride } = this.tied[i];
      this.tiedValues.set(memory.subarray(at / 8, at / 8 + rows * stride), index);
    });
  }

  /**
   * Solves K₀ x = x in place, with what `solve` does by the factors, or with K₀ᵀ. Several vectors may lie in `x`: entries of one are
   * `step` apart, and they start where `vectors` says. In between, K₀ is that of twists and wrenches.
   */
  solve(
    memory: Float64Array,
    x: Float64Array,
    { enter, solve, leave }: SolveParts,
    transposed: boolean,
    vectors: readonly number[] = [0],
    step = 1,
  ): void {
    if (this.rhs.length !== x.length)
      [this.rhs, this.solution] = [new Float64Array(x.length), new Float64Array(x.length)];
    const { rhs, solution } = this;
    enter();
    rhs.set(x);
    solve();
    solution.set(x);
    this.keepPushes(memory, transposed);
    const open = new Map(vectors.map((at) => [at, Number.POSITIVE_INFINITY]));
    for (let round = 0; round < mostRounds && open.size > 0; round++) {
      x.fill(0);
      for (const at of open.keys()) this.residual(memory, x, solution, transposed, at, step);
      solve();
      for (const [at, last] of open) {
        const change = this.largest(x, at, step) / this.largest(solution, at, step);
        // a round that does not come nearer is at rounding, or has no solution to come to
        if (change < last) for (let i = 0; i < this.left.length; i++) solution[at + step * i] += x[at + step * i];
        if (change < last && change > smallChange) open.set(at, change);
        else open.delete(at);
      }
    }
    if (transposed) for (const at of vectors) this.residual(memory, x, solution, transposed, at, step);
    x.set(solution);
    leave();
  }

  private largest(values: Float64Array, at: number, step: number): number {
    let most = 0;
    for (let i = 0; i < this.left.length; i++) most = Math.max(most, Math.abs(values[at + step * i]));
    return most;
  }

  /** What the forces of the tree's joints add to the right-hand side, which has been solved for. */
  private keepPushes(memory: Float64Array, transposed: boolean): void {
    this.joints.forEach(({ push, constraints }, i) => {
      for (let k = 0; k < 6 - constraints; k++) this.pushes[6 * i + k] = transposed ? 0 : memory[push + k];
    });
  }

  /**
   * r ← rhs − K₀ x, or with K₀ᵀ, for the matrix in memory, but for the joints of the tree. These hold what they hold, and what is left on
   * bodies is summed up from the leaves along what they leave free:
   *   ρ = tᵀF + τ − k ν,   F_p ← F_p + Aᶻᵀ F,   r = Qᶻᵀ ρ          or the other side of the joint
   * Of a transposed solve x gets the rows of the joints anew. Entries are `step` apart, from `at` on.
   */
  private residual(
    memory: Float64Array,
    r: Float64Array,
    x: Float64Array,
    transposed: boolean,
    at: number,
    step: number,
  ): void {
    const { left, rhs } = this;
    for (let i = 0; i < left.length; i++) left[i] = rhs[at + step * i];
    const subtract = (values: Float64Array, { row, rows, column, columns, index, stride }: Block): void => {
      for (let i = 0; i < rows; i++) {
        for (let j = 0; j < columns; j++) {
          const entry = values[index + i * stride + j];
          if (transposed) left[column + j] -= entry * x[at + step * (row + i)];
          else left[row + i] -= entry * x[at + step * (column + j)];
        }
      }
    };
    for (const block of this.blocks) subtract(memory, block);
    for (const block of this.tied) subtract(this.tiedValues, block);
    for (const { row, index } of this.stiff.regularization) left[row] += memory[index] * x[at + step * row];
    const side = transposed ? 0 : 1;
    for (const row of this.plainRows) r[at + step * row] = left[row];
    this.joints.forEach((joint, i) => {
      this.throughJoint(memory, r, x, joint, side, at, step, 6 * i);
    });
  }

  /** `side`: 0 where impulses are summed up along motions, 1 where motions are along impulses. */
  private throughJoint(
    memory: Float64Array,
    r: Float64Array,
    x: Float64Array,
    joint: LimbJoint,
    side: 0 | 1,
    at: number,
    step: number,
    push: number,
  ): void {
    const { left, pushes } = this;
    const { body, above, own, constraints, forces, coupled, stiffness } = joint;
    const n = 6 - constraints;
    const z = joint.motions[side];
    const other = side === 0 ? 1 : 0;
    /** Entry i of what a wrench, or a row over twists, is on the body above. */
    const carried = (of: 0 | 1, six: Float64Array, start: number, i: number): number => {
      if (i < 3) return six[start + i];
      const [j, k] = [(i + 1) % 3, (i + 2) % 3];
      const arm = joint.arms[of];
      return six[start + i] + memory[arm + j] * six[start + k] - memory[arm + k] * six[start + j];
    };
    const along = (port: number): number => {
      let sum = 0;
      for (let i = 0; i < 6; i++) sum += memory[z + 6 * port + i] * left[body + i];
      return sum;
    };
    const rates = Array.from({ length: n }, (_, k) => {
      let sum = 0;
      const row = joint.ports[other] + 6 * (constraints + k);
      for (let i = 0; i < 6; i++) {
        sum += memory[row + i] * x[at + step * (body + i)];
        if (above >= 0) sum -= carried(other, memory, row, i) * x[at + step * (above + i)];
      }
      return sum;
    });
    const rest = rates.map((rate, k) => {
      let sum = along(constraints + k) + pushes[push + k];
      if (!coupled) return sum - memory[stiffness + k] * rate;
      for (let l = 0; l < n; l++) sum -= memory[stiffness + (side === 0 ? n * l + k : n * k + l)] * rates[l];
      return sum;
    });
    if (side === 0) {
      const mu = forces.map((port, f) =>
        coupled
          ? rates.reduce((sum, rate, k) => sum + memory[joint.forceWeights + n * f + k] * rate, 0)
          : rates[port - constraints],
      );
      for (let j = 0; j < constraints; j++)
        x[at + step * (own + j)] = mu.reduce(
          (sum, value, f) => (coupled ? sum + memory[joint.forceSlopes + constraints * f + j] * value : sum),
          along(j),
        );
      mu.forEach((value, f) => {
        x[at + step * (own + constraints + f)] = value;
      });
    }
    for (let i = 0; i < 6; i++) {
      for (let k = 0; k < n; k++) {
        const row = joint.ports[side] + 6 * (constraints + k);
        r[at + step * (body + i)] += memory[row + i] * rest[k];
        if (above >= 0) r[at + step * (above + i)] -= carried(side, memory, row, i) * rest[k];
      }
      if (above >= 0) left[above + i] += carried(side, left, body, i);
    }
  }
}

/** The block of two nodes, whose first number has this index. */
function blockAt({ sizes, starts }: LimbPlan, i: number, j: number, index: number): Block {
  const [rows, columns] = [sizes[i], sizes[j]];
  return { row: starts[i], rows, column: starts[j], columns, index, stride: columns + (columns & 1) };
}

/** Rows of all nodes that are no limbs: loose bodies, and those that keep their multipliers. */
function plainRowsOf(plan: LimbPlan): number[] {
  const { sizes, starts, limbs, mechanism } = plan;
  const bodies = new Set(limbs.map(({ body }) => body));
  const loose = mechanism.bodies.flatMap(({ index }) => (bodies.has(index) ? [] : [index]));
  const multipliers = new Set(multiplierNodes(plan).map(({ block }) => block));
  return [...loose, ...multipliers].flatMap((node) => Array.from({ length: sizes[node] }, (_, i) => starts[node] + i));
}

function limbJoint(plan: LimbPlan, limb: LimbPlan["limbs"][number]): LimbJoint {
  const at = (name: string): number => (plan.sweeps[limb.body].get(name) ?? 0) / 8;
  return {
    body: 6 * limb.body,
    above: isGrounded(limb) ? -1 : 6 * limb.parent,
    own: limb.joint.multiplier,
    constraints: constraintsOf(limb),
    forces: forcesOf(limb),
    motions: [at("motions"), at("motionsBefore")],
    arms: [at("arm"), at("armBefore")],
    ports: [at(`gradient.${limb.below}`), at(`direction.${limb.below}`)],
    stiffness: at("stiffness"),
    push: at("push"),
    coupled: plan.isCoupled(limb),
    forceWeights: at("forceWeights"),
    forceSlopes: at("forceSlopes"),
  };
}
