/**
 * Linear algebra along a tree, a joint and the body below it at a time. What ties limbs besides their joints is in treeTies.ts.
 *
 * Bodies move by twists, and impulses on them are wrenches (equations/twist.ts). A child that its parent carries along moves by A v_p, with d
 * from the parent's centre to its own, and the rates y of their joint's six ports are y = Q (v_c − A v_p), so that
 *   v_c = A v_p + Z y,      Z = Q⁻¹,      A = [1 −[d]×; 0 1].
 * Impulses act at z, through the same matrices there (Aᶻ, Zᶻ): f on the ports is Qᶻᵀ f on the child and −Aᶻᵀ Qᶻᵀ f on the parent.
 *
 * Elimination, leaves first. The subtree below a joint answers to its child's motion with Y v_c − q. Of the rates, those of constraints
 * are known, y₀ = −residual; the free ones ν follow from f = τ − k ν on their ports (s, t: their columns of Z and Zᶻ; o = Z y₀):
 *   U = Y s,   V = tᵀ Y,   D = V s + k,        Y_p ← Y_p + Aᶻᵀ (Y − U D⁻¹ V) A
 *   q' = q − Y o,   ν₀ = D⁻¹(τ + tᵀ q'),       q_p ← q_p + Aᶻᵀ (q' − U ν₀)
 * and back:  ν = ν₀ − D⁻¹ V A v_p,   v_c = A v_p + o + s ν,   impulses Zᶻᵀ (Y (A v_p + s ν) − q').
 * Z, Zᶻ and U lie in memory by columns; of A, d does (arm).
 */
import type { Program, Value } from "../../codegen/index.ts";
import { type Row, RowBuilder, six } from "./rowsOfSix.ts";

/** A program, and the names of its operands. */
export interface Sweep {
  readonly operands: readonly string[];
  readonly program: Program;
}

const suffix = (grounded: boolean): string => (grounded ? ".grounded" : "");

/** Coupled: k is a matrix. */
export function reduceSweep(constraints: number, grounded: boolean, coupled: boolean): Sweep {
  const always = ["articulated", "motions", "motionsBefore", "stiffness", "residual"] as const;
  const known = ["constraint", "factors", "offset", "base"] as const;
  const hung = ["arm", "armBefore", "response", "pull", "articulatedAbove"] as const;
  const operands = [...always, ...known, ...(grounded ? [] : hung)];
  const n = 6 - constraints;
  const m = new RowBuilder(`tree.reduce.${n}${suffix(grounded)}${coupled ? ".coupled" : ""}`, operands);
  const { b } = m;
  const free = six.slice(constraints);
  const y = m.rows("articulated");
  const s = free.map((j) => m.row("motions", 6 * j));
  const v = free.map((j) =>
    m.combined(
      six.map((i) => m.load("motionsBefore", 6 * j + i)),
      y,
    ),
  );
  const d = v.map((row, i) =>
    s.map((along, j) => {
      if (!coupled && i !== j) return m.dot(row, along);
      return b.add(m.dot(row, along), m.load("stiffness", coupled ? n * i + j : i));
    }),
  );
  factor(m, d);
  d.flat().forEach((value, i) => {
    m.store("factors", i, value);
  });

  if (!grounded) {
    const pull = solvedRows(m, d, v);
    const u = s.map((along) => m.joined(y.map((row) => m.dot(row, along))));
    u.forEach((row, k) => {
      m.write("response", 6 * k, row);
      m.write("pull", 6 * k, pull[k]);
    });
    const left = y.map((row, i) =>
      u.reduce((rest, response, k) => m.sub(rest, m.scaled(m.entry(response, i), pull[k])), row),
    );
    const moved = left.map(carrier(m, "arm"));
    const before = m.three("armBefore");
    moved.forEach((row, i) => {
      const turned = i < 3 ? row : m.add(row, crossed(m, before, moved, i - 3));
      m.write("articulatedAbove", 6 * i, turned, true);
    });
  }

  writeBase(m, constraints, y);
  return { operands, program: b.finish() };
}

/** What the residual adds, with the Y of factors that are kept: q − Y o. */
export function rebaseSweep(constraints: number): Sweep {
  const operands = ["articulated", "motions", "residual", "constraint", "offset", "base"] as const;
  const m = new RowBuilder(`tree.rebase.${6 - constraints}`, operands);
  writeBase(m, constraints, m.rows("articulated"));
  return { operands, program: m.b.finish() };
}

/** o from what is known of the rates, and q − Y o. */
function writeBase(
  m: RowBuilder<"articulated" | "motions" | "residual" | "constraint" | "offset" | "base">,
  constraints: number,
  y: readonly Row[],
): void {
  const { b } = m;
  const rates = six.slice(0, constraints).map((j) => b.neg(m.load("constraint", j)));
  const columns = rates.map((_, j) => m.row("motions", 6 * j));
  const offset = rates.length > 0 ? m.combined(rates, columns) : undefined;
  six.forEach((i) => {
    const residual = b.neg(m.load("residual", i));
    m.store("base", i, offset ? b.sub(residual, m.dot(y[i], offset)) : residual);
  });
  if (offset) m.write("offset", 0, offset);
}

export function upSweep(constraints: number, grounded: boolean): Sweep {
  const always = ["force", "motionsBefore", "push", "factors", "first"] as const;
  const hung = ["response", "armBefore", "forceAbove"] as const;
  const operands = [...always, ...(grounded ? [] : hung)];
  const n = 6 - constraints;
  const m = new RowBuilder(`tree.up.${n}${suffix(grounded)}`, operands);
  const { b } = m;
  const force = m.row("force");
  const first = solved(
    m,
    six.slice(constraints).map((j, k) => b.add(m.load("push", k), m.dot(m.row("motionsBefore", 6 * j), force))),
  );
  first.forEach((rate, k) => {
    m.store("first", k, rate);
  });
  if (!grounded) {
    const passed = first.reduce((rest, rate, k) => m.sub(rest, m.scaled(rate, m.row("response", 6 * k))), force);
    m.write("forceAbove", 0, carrier(m, "armBefore")(passed), true);
  }
  return { operands, program: b.finish() };
}

/** `pushed`: the port of each of the joint's multipliers. */
export function downSweep(constraints: number, grounded: boolean, pushed: readonly number[]): Sweep {
  const always = ["first", "motions", "twist", "motion"] as const;
  const wrench = ["articulated", "force", "motionsBefore", "impulses"] as const;
  const hung = ["arm", "twistAbove", "pull"] as const;
  const operands = [
    ...always,
    ...(pushed.length > 0 ? wrench : []),
    ...(grounded ? [] : hung),
    ...(constraints > 0 ? (["offset"] as const) : []),
  ];
  const m = new RowBuilder(`tree.down.${6 - constraints}${suffix(grounded)}.${pushed.join("")}`, operands);
  const { b } = m;
  const along = grounded ? undefined : carriedAlong(m, m.row("twistAbove"));
  const free = six.slice(constraints).map((_, k) => {
    const first = m.load("first", k);
    return along ? b.sub(first, m.dot(m.row("pull", 6 * k), along)) : first;
  });
  free.forEach((rate, k) => {
    m.store("motion", constraints + k, rate);
  });
  const own = free.map((rate, k) => m.scaled(rate, m.row("motions", 6 * (constraints + k))));
  const still = (): Row => [0, 1, 2].map(() => b.constant(0, true));
  const gained = [...(along ? [along] : []), ...own].reduce((total, row) => m.add(total, row), still());
  m.write("twist", 0, constraints > 0 ? m.add(gained, m.row("offset")) : gained);
  if (pushed.length > 0) {
    const answer = m.sub(m.joined(m.rows("articulated").map((row) => m.dot(row, gained))), m.row("force"));
    pushed.forEach((port, i) => {
      m.store("impulses", i, m.dot(m.row("motionsBefore", 6 * port), answer));
    });
  }
  return { operands, program: b.finish() };
}

/** row → row·A, and a wrench f → Aᵀ f: (l, a) → (l, a + d × l). */
export function carrier<Name extends string>(m: RowBuilder<Name>, arm: Name): (row: Row) => Row {
  const { b } = m;
  const d = m.three(arm);
  return (row) => {
    const l = [0, 1, 2].map((i) => m.entry(row, i));
    const turned = [0, 1, 2].map((i) => {
      const [j, k] = [(i + 1) % 3, (i + 2) % 3];
      return b.sub(b.mul(d[j], l[k]), b.mul(d[k], l[j]));
    });
    return [row[0], b.add(row[1], b.join(b.constant(0), turned[0])), b.add(row[2], b.join(turned[1], turned[2]))];
  };
}

/** A v: (w + θ × d, θ). */
function carriedAlong(m: RowBuilder<"arm">, v: Row): Row {
  const { b } = m;
  const d = m.three("arm");
  const theta = [3, 4, 5].map((i) => m.entry(v, i));
  const [x, y, z] = [0, 1, 2].map((i) => {
    const [j, k] = [(i + 1) % 3, (i + 2) % 3];
    return b.sub(b.mul(theta[j], d[k]), b.mul(theta[k], d[j]));
  });
  return [b.add(v[0], b.join(x, y)), b.add(v[1], b.join(z, b.constant(0))), v[2]];
}

/** Entry i of d × (the first three rows), a row itself. */
export function crossed<Name extends string>(
  m: RowBuilder<Name>,
  d: readonly Value[],
  rows: readonly Row[],
  i: number,
): Row {
  const [j, k] = [(i + 1) % 3, (i + 2) % 3];
  return m.sub(m.scaled(d[j], rows[k]), m.scaled(d[k], rows[j]));
}

/** L and U in one, unit L, reciprocal pivots. No pivoting: D has the inertia of the subtree on its diagonal. */
function factor({ b }: RowBuilder<never>, rows: Value[][]): void {
  const n = rows.length;
  for (let k = 0; k < n; k++) {
    rows[k][k] = b.div(b.constant(1), rows[k][k]);
    for (let i = k + 1; i < n; i++) {
      rows[i][k] = b.mul(rows[i][k], rows[k][k]);
      for (let j = k + 1; j < n; j++) rows[i][j] = b.sub(rows[i][j], b.mul(rows[i][k], rows[k][j]));
    }
  }
}

/** D⁻¹ V, rows of V. */
function solvedRows<Name extends string>(m: RowBuilder<Name>, d: readonly Value[][], v: readonly Row[]): Row[] {
  const x = [...v];
  const minus = (i: number, j: number): void => {
    x[i] = m.sub(x[i], m.scaled(d[i][j], x[j]));
  };
  for (let i = 1; i < x.length; i++) for (let j = 0; j < i; j++) minus(i, j);
  for (let i = x.length - 1; i >= 0; i--) {
    for (let j = i + 1; j < x.length; j++) minus(i, j);
    x[i] = m.scaled(d[i][i], x[i]);
  }
  return x;
}

/** D⁻¹ g, with the factors in memory. */
function solved(m: RowBuilder<"factors" | "force">, g: readonly Value[]): Value[] {
  const { b } = m;
  const n = g.length;
  const x = [...g];
  const entry = (i: number, j: number): Value => m.load("factors", n * i + j);
  for (let i = 1; i < n; i++) for (let j = 0; j < i; j++) x[i] = b.sub(x[i], b.mul(entry(i, j), x[j]));
  for (let i = n - 1; i >= 0; i--) {
    for (let j = i + 1; j < n; j++) x[i] = b.sub(x[i], b.mul(entry(i, j), x[j]));
    x[i] = b.mul(x[i], entry(i, i));
  }
  return x;
}
