/**
 * What ties a limb to nodes d other than the body above it, when the limb is eliminated (treeSweeps.ts has the letters). With the blocks
 * A_cd and A_dc between the limb's body and d, the free rates follow from
 *   D ν = τ + tᵀ(q' − Y A v_p − Σ A_cd x_d),      W_d = D⁻¹ tᵀ A_cd,      S_d = A_dc s
 * and what is left is
 *   A_pd ← A_pd + Aᶻᵀ (A_cd − U W_d),      A_dp ← A_dp + (A_dc − S_d D⁻¹V) A,      A_de ← A_de − S_d W_e
 *   q_d ← q_d − A_dc (o + s ν₀);        back:  ν = ν₀ − D⁻¹V A v_p − Σ W_d x_d.
 * Blocks have rows of even length.
 */
import type { ProgramBuilder, Value } from "../../codegen/index.ts";
import { stride } from "./blockKernels.ts";
import { type Row, RowBuilder, six } from "./rowsOfSix.ts";
import { carrier, type Sweep } from "./treeSweeps.ts";

/** W_d and S_d for d of `size` numbers, and what passes between d and the body above. */
export function tieSweep(constraints: number, size: number, grounded: boolean): Sweep {
  const n = 6 - constraints;
  const free = ["motions", "motionsBefore", "factors", "weights", "shares"] as const;
  const hung = ["arm", "armBefore", "toAbove", "fromAbove"] as const;
  const operands = [
    "toTie",
    "fromTie",
    ...(n > 0 ? free : []),
    ...(grounded ? [] : hung),
    ...(grounded || n === 0 ? [] : (["response", "pull"] as const)),
  ] as const;
  const m = new RowBuilder<(typeof operands)[number]>(`tie.${n}.${size}${grounded ? ".grounded" : ""}`, operands);
  const { b } = m;
  const width = stride(size);
  const ports = six.slice(constraints);
  const spread = (operand: (typeof operands)[number], index: number): Value => b.splat(m.load(operand, index));

  // by columns of A_cd
  for (let at = 0; at < width; at += 2) {
    const column = six.map((i) => m.pair("toTie", width * i + at));
    const weights = ports.map((port) => total(b, column, (i) => spread("motionsBefore", 6 * port + i)));
    const minus = (i: number, j: number): void => {
      weights[i] = b.sub(weights[i], b.mul(spread("factors", n * i + j), weights[j]));
    };
    for (let i = 1; i < n; i++) for (let j = 0; j < i; j++) minus(i, j);
    for (let i = n - 1; i >= 0; i--) {
      for (let j = i + 1; j < n; j++) minus(i, j);
      weights[i] = b.mul(spread("factors", n * i + i), weights[i]);
    }
    weights.forEach((weight, k) => {
      m.storePair("weights", width * k + at, weight);
    });
    if (grounded) continue;
    const left = column.map((entry, i) =>
      weights.reduce((rest, weight, k) => b.sub(rest, b.mul(spread("response", 6 * k + i), weight)), entry),
    );
    const d = [0, 1, 2].map((i) => spread("armBefore", i));
    left.forEach((entry, i) => {
      const [j, k] = [(i + 1) % 3, (i + 2) % 3];
      const turned = (): Value => b.add(entry, b.sub(b.mul(d[j], left[k]), b.mul(d[k], left[j])));
      m.storePair("fromAbove", width * i + at, i < 3 ? entry : turned(), true);
    });
  }

  // by rows of A_dc
  const carry = grounded ? undefined : carrier(m, "arm");
  for (let i = 0; i < size; i++) {
    const row = m.row("fromTie", 6 * i);
    const shares = ports.map((port) => m.dot(row, m.row("motions", 6 * port)));
    shares.forEach((share, k) => {
      m.store("shares", stride(n) * i + k, share);
    });
    if (!carry) continue;
    const left = shares.reduce((rest, share, k) => m.sub(rest, m.scaled(share, m.row("pull", 6 * k))), row);
    m.write("toAbove", 6 * i, carry(left), true);
  }
  return { operands, program: b.finish() };
}

/** q_d ← q_d − A_dc (o + s ν₀) of all ties: `force.i` and `fromTie.i`. */
export function tiesUpSweep(constraints: number, sizes: readonly number[]): Sweep {
  const known = [
    ...(constraints < 6 ? (["first", "motions"] as const) : []),
    ...(constraints > 0 ? (["offset"] as const) : []),
  ];
  const operands = [...known, ...sizes.flatMap((_, i) => [`fromTie.${i}`, `force.${i}`])];
  const m = new RowBuilder<string>(`ties.up.${6 - constraints}.${sizes.join(".")}`, operands);
  const gained = [
    ...(constraints > 0 ? [m.row("offset")] : []),
    ...six.slice(constraints).map((port, k) => m.scaled(m.load("first", k), m.row("motions", 6 * port))),
  ].reduce((sum, part) => m.add(sum, part));
  sizes.forEach((size, i) => {
    for (let r = 0; r < size; r++) {
      const taken = m.dot(m.row(`fromTie.${i}`, 6 * r), gained);
      m.store(`force.${i}`, r, m.b.sub(m.load(`force.${i}`, r), taken));
    }
  });
  return { operands, program: m.b.finish() };
}

/** ν₀ ← ν₀ − Σ W_d x_d and q' ← q' − Σ A_cd x_d: `weights.i`, `toTie.i` and `step.i`. */
export function tiesDownSweep(constraints: number, sizes: readonly number[]): Sweep {
  const n = 6 - constraints;
  const operands = [
    "force",
    ...(n > 0 ? ["first"] : []),
    ...sizes.flatMap((_, i) => [`step.${i}`, `toTie.${i}`, ...(n > 0 ? [`weights.${i}`] : [])]),
  ];
  const m = new RowBuilder<string>(`ties.down.${n}.${sizes.join(".")}`, operands);
  const { b } = m;
  const steps = sizes.map((size, i): Row => {
    const entry = (k: number): Value => (k < size ? m.load(`step.${i}`, k) : b.constant(0));
    return Array.from({ length: stride(size) / 2 }, (_, p) => b.join(entry(2 * p), entry(2 * p + 1)));
  });
  const subtract = (target: string, matrix: string, rows: number): void => {
    for (let r = 0; r < rows; r++) {
      const products = steps.flatMap((step, i) =>
        step.map((pair, p) => b.mul(m.pair(`${matrix}.${i}`, stride(sizes[i]) * r + 2 * p), pair)),
      );
      const sum = products.reduce((left, right) => b.add(left, right));
      m.store(target, r, b.sub(m.load(target, r), b.add(b.lane(sum, 0), b.lane(sum, 1))));
    }
  };
  if (n > 0) subtract("first", "weights", n);
  subtract("force", "toTie", 6);
  return { operands, program: b.finish() };
}

/** Σ factorᵢ·entryᵢ. */
function total(b: ProgramBuilder, entries: readonly Value[], factor: (i: number) => Value): Value {
  return entries.map((entry, i) => b.mul(factor(i), entry)).reduce((sum, term) => b.add(sum, term));
}
