/**
 * The elimination by limbs with the transposed matrix, over panels of right-hand sides (panelBuilder.ts). The transposed matrix has the same
 * form with the two sides of every joint exchanged, (A, Z) with (Aᶻ, Zᶻ), and all blocks transposed, so the factors of the step serve it. In
 * the letters of treeSweeps.ts and tieSweeps.ts, for right-hand sides g on the columns of bodies and of multipliers that are nodes:
 *   leaves first   ḡ = sᵀg,   g_p ← g_p + Aᵀ(g − (D⁻¹V)ᵀ ḡ),   g_d ← g_d − W_dᵀ ḡ
 *   and back       η = D⁻ᵀ(ḡ − Uᵀ Aᶻμ_p − Σ S_dᵀ μ_d),   μ = Aᶻμ_p + t η
 * What is left of the joint are its own rows: η on those of forces, Zᵀ(g − Yᵀμ − Σ A_dcᵀ μ_d) on those of constraints.
 */
import type { Value } from "../../codegen/index.ts";
import { basisLayout } from "../../equations/index.ts";
import type { PanelBuilder, PanelProgram } from "../jacobians/panelBuilder.ts";
import { stride } from "./blockKernels.ts";
import { six } from "./rowsOfSix.ts";

const three = [0, 1, 2] as const;

/** A panel program whose operands go by names. */
export interface PanelSweep {
  readonly operands: readonly string[];
  readonly program: PanelProgram;
}

export interface TransposedLimb {
  readonly constraints: number;
  readonly grounded: boolean;
  /** Numbers of each node that the limb is tied to. */
  readonly ties: readonly number[];
}

/** Which of a joint's own rows are wanted. */
export interface OwnRows {
  /** The port that each force pushes. */
  readonly forces: readonly number[];
  readonly constraints: boolean;
  /** Forces of a law that mixes coordinates follow from η by its weights, and add to the constraints by its slopes. */
  readonly coupled: boolean;
}

/** Numbers, and rows of panels, of operands with names. */
class Panels {
  readonly b: PanelBuilder;
  private readonly numbers: ReadonlyMap<string, number>;

  constructor(b: PanelBuilder, operands: readonly string[]) {
    this.b = b;
    this.numbers = new Map(operands.map((operand, i) => [operand, i]));
  }

  rows(operand: string, count: number): Value[] {
    return Array.from({ length: count }, (_, i) => this.b.row(this.at(operand), i));
  }

  set(operand: string, index: number, value: Value): void {
    this.b.setRow(this.at(operand), index, value);
  }

  /** total ± Σ number(i)·xᵢ. */
  sum(total: Value | undefined, x: readonly Value[], operand: string, index: (i: number) => number, sign: 1 | -1 = 1) {
    const { b } = this;
    return x.reduce<Value | undefined>((sum, value, i) => {
      const term = b.mul(b.number(this.at(operand), index(i)), value);
      if (sum === undefined) return sign > 0 ? term : b.neg(term);
      return sign > 0 ? b.add(sum, term) : b.sub(sum, term);
    }, total);
  }

  /** Entry i of d × x, with d in an operand. */
  crossed(arm: string, x: readonly Value[], i: number): Value {
    const { b } = this;
    const [j, k] = [(i + 1) % 3, (i + 2) % 3];
    const number = (entry: number): Value => b.number(this.at(arm), entry);
    return b.sub(b.mul(number(j), x[k]), b.mul(number(k), x[j]));
  }

  at(operand: string): number {
    return this.numbers.get(operand) as number;
  }
}

function sweep(name: string, operands: readonly string[], unknowns: number, write: (p: Panels) => void): PanelSweep {
  const isPanel = (operand: string): boolean => /^(step|above|own|tie\.)/.test(operand);
  return {
    operands,
    program: {
      name,
      rows: operands.map((operand) => (isPanel(operand) ? unknowns : 0)),
      write: (b) => write(new Panels(b, operands)),
    },
  };
}

const keyOf = ({ constraints, grounded, ties }: TransposedLimb): string =>
  [constraints, grounded ? "grounded" : "hung", ...ties].join(".");

/** Right-hand sides over steps of (v₊, ω₊) as ones over twists (equations/twist.ts), in place. Operands: `step` of a body, `basis`. */
export function transposedEnter(unknowns: number): PanelSweep {
  return sweep("transposedEnter", ["step", "basis"], unknowns, (p) => {
    const turning = p.rows("step", 6).slice(3);
    three.forEach((i) => {
      p.set("step", 3 + i, p.sum(undefined, turning, "basis", (j) => basisLayout.spin + 3 * j + i) as Value);
    });
  });
}

/** Solutions that go with wrenches as ones that go with the rows of balances, in place. */
export function transposedLeave(unknowns: number): PanelSweep {
  return sweep("transposedLeave", ["step", "basis"], unknowns, (p) => {
    const turning = p.rows("step", 6).slice(3);
    three.forEach((i) => {
      p.set("step", 3 + i, p.sum(undefined, turning, "basis", (j) => basisLayout.rotation + 3 * j + i) as Value);
    });
  });
}

/** ḡ = sᵀg. */
function freeParts(p: Panels, g: readonly Value[], constraints: number): Value[] {
  return six.slice(constraints).map((port) => p.sum(undefined, g, "motions", (i) => 6 * port + i) as Value);
}

/** Operands: `step` of the limb's body, `above` of the one above it, `tie.d` and `weights.d` of what it is tied to. */
export function transposedUp(limb: TransposedLimb, unknowns: number): PanelSweep {
  const { constraints, grounded, ties } = limb;
  const n = 6 - constraints;
  const operands = [
    "step",
    ...(n > 0 ? ["motions"] : []),
    ...(grounded ? [] : ["above", "arm", ...(n > 0 ? ["pull"] : [])]),
    ...(n > 0 ? ties.flatMap((_, d) => [`tie.${d}`, `weights.${d}`]) : []),
  ];
  return sweep(`transposedUp.${keyOf(limb)}`, operands, unknowns, (p) => {
    const g = p.rows("step", 6);
    const free = freeParts(p, g, constraints);
    if (!grounded) {
      const left = g.map((entry, i) => p.sum(entry, free, "pull", (k) => 6 * k + i, -1) as Value);
      const above = p.rows("above", 6);
      left.forEach((entry, j) => {
        const carried = j < 3 ? entry : p.b.add(entry, p.crossed("arm", left, j - 3));
        p.set("above", j, p.b.add(above[j], carried));
      });
    }
    if (n === 0) return;
    ties.forEach((size, d) => {
      const rows = p.rows(`tie.${d}`, size);
      rows.forEach((entry, r) => {
        p.set(`tie.${d}`, r, p.sum(entry, free, `weights.${d}`, (k) => stride(size) * k + r, -1) as Value);
      });
    });
  });
}

/** g_d ← g_d − W_dᵀ ḡ of one tie. Operands: `step` and `motions` of the limb, `tie` and `weights`. */
export function transposedTieUp(constraints: number, size: number, unknowns: number): PanelSweep {
  const operands = ["step", "motions", "tie.0", "weights"];
  return sweep(`transposedTieUp.${constraints}.${size}`, operands, unknowns, (p) => {
    const free = freeParts(p, p.rows("step", 6), constraints);
    p.rows("tie.0", size).forEach((entry, r) => {
      p.set("tie.0", r, p.sum(entry, free, "weights", (k) => stride(size) * k + r, -1) as Value);
    });
  });
}

/**
 * Operands besides: `own`, the joint's rows; `shares.d` and `fromTie.d`; `forceWeights` and `forceSlopes` of a law that mixes coordinates.
 * `touched`: whether there is anything in g; otherwise it is zero.
 */
export function transposedDown(limb: TransposedLimb, own: OwnRows, touched: boolean, unknowns: number): PanelSweep {
  const { constraints, grounded, ties } = limb;
  const n = 6 - constraints;
  const wantsConstraints = own.constraints && constraints > 0;
  const hasForces = own.forces.length > 0;
  const hasSlopes = own.coupled && hasForces && wantsConstraints;
  const operands = [
    "step",
    ...(wantsConstraints || (touched && n > 0) ? ["motions"] : []),
    ...(n > 0 ? ["factors", "motionsBefore"] : []),
    ...(grounded ? [] : ["above", "armBefore", ...(n > 0 ? ["response"] : [])]),
    ...(wantsConstraints ? ["articulated"] : []),
    ...(wantsConstraints || hasForces ? ["own"] : []),
    ...(own.coupled && hasForces ? ["forceWeights"] : []),
    ...(hasSlopes ? ["forceSlopes"] : []),
    ...ties.flatMap((_, d) => [
      `tie.${d}`,
      ...(n > 0 ? [`shares.${d}`] : []),
      ...(wantsConstraints ? [`fromTie.${d}`] : []),
    ]),
  ];
  const wanted = `${own.forces.join("")}${own.coupled ? "c" : ""}${wantsConstraints ? "r" : ""}${touched ? "" : "z"}`;
  return sweep(`transposedDown.${keyOf(limb)}.${wanted}`, operands, unknowns, (p) => {
    const { b } = p;
    const zero = b.constant(0, true);
    const g = touched ? p.rows("step", 6) : undefined;
    const tied = ties.map((size, d) => p.rows(`tie.${d}`, size));
    // Aᶻμ_p
    const moved = grounded ? undefined : p.rows("above", 6);
    if (moved) {
      const turning = moved.slice(3);
      for (const i of three) moved[i] = b.sub(moved[i], p.crossed("armBefore", turning, i));
    }
    const rates = n > 0 ? freeRates() : [];
    const mu = six.map((i) => p.sum(moved?.[i], rates, "motionsBefore", (k) => 6 * (constraints + k) + i) ?? zero);
    const forces = own.forces.map((port, force) =>
      own.coupled
        ? (p.sum(undefined, rates, "forceWeights", (k) => n * force + k) as Value)
        : rates[port - constraints],
    );
    if (wantsConstraints) {
      const left = six.map((i) => {
        const balanced = p.sum(g?.[i], mu, "articulated", (j) => 6 * j + i, -1);
        return tied.reduce((sum, x, d) => p.sum(sum, x, `fromTie.${d}`, (r) => 6 * r + i, -1), balanced) as Value;
      });
      for (let j = 0; j < constraints; j++) {
        const held = p.sum(undefined, left, "motions", (i) => 6 * j + i);
        p.set("own", j, (hasSlopes ? p.sum(held, forces, "forceSlopes", (f) => constraints * f + j) : held) as Value);
      }
    }
    forces.forEach((value, f) => {
      p.set("own", constraints + f, value);
    });
    mu.forEach((value, i) => {
      p.set("step", i, value);
    });

    /** η. */
    function freeRates(): Value[] {
      const start = g ? freeParts(p, g, constraints) : six.slice(constraints).map(() => undefined);
      const x = start.map((entry, k) => {
        const answered = moved ? p.sum(entry, moved, "response", (i) => 6 * k + i, -1) : entry;
        return tied.reduce((sum, y, d) => p.sum(sum, y, `shares.${d}`, (r) => stride(n) * r + k, -1), answered) ?? zero;
      });
      const entry = (i: number, j: number): Value => b.number(p.at("factors"), n * i + j);
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < i; j++) x[i] = b.sub(x[i], b.mul(entry(j, i), x[j]));
        x[i] = b.mul(x[i], entry(i, i));
      }
      for (let i = n - 2; i >= 0; i--) for (let j = i + 1; j < n; j++) x[i] = b.sub(x[i], b.mul(entry(j, i), x[j]));
      return x;
    }
  });
}
