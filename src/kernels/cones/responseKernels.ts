/**
 * Kernels of the rows that ports have over the coordinates of all nodes (portResponses.ts has the formulas): one limb, one coordinate of a
 * limb where a limit begins, or the multipliers of a loop. A first step does not run them, so that their expressions wait: what they
 * read and write is said beforehand.
 */
import { carriedBy } from "../../equations/index.ts";
import { dot, mul, neg, type Scalar, sub, sum } from "../../symbolic/index.ts";
import { stride } from "../elimination/blockKernels.ts";
import { Sheet } from "../elimination/treeJoints.ts";
import { sweepKernel } from "../species/library.ts";
import { type Kernel, laterKernel } from "../species/staging.ts";

/** A node that rows go on to: how many numbers it has, and whether others have arrived there before. */
export interface Arrival {
  readonly size: number;
  readonly adds: boolean;
}

export interface LimbShape {
  /** Coordinates that its joint leaves free. */
  readonly free: number;
  /** Undefined where the joint hangs on the world. */
  readonly above: Arrival | undefined;
  readonly ties: readonly Arrival[];
}

const six = [0, 1, 2, 3, 4, 5] as const;

/** One limb, for the ports of a contact or for one port; `joins`: what goes on takes other rows along. */
export function limbKernel(ports: 1 | 3, shape: LimbShape, joins = false): Kernel {
  const { free: n } = shape;
  const key = `response.${nameOf(shape)}.${ports}${joins ? ".joined" : ""}`;
  const reads = n > 0 ? ["rows", "forces", "motions", "motionsBefore", "factors"] : [];
  return laterSheet(key, [...reads, ...readOf(shape, joins)], writtenOf(ports, shape), (sheet) => {
    const [rows, forces] = [sheet.matrix("rows", ports, 6), sheet.matrix("forces", ports, 6)];
    const [motions, before] = [sheet.matrix("motions", n, 6), sheet.matrix("motionsBefore", n, 6)];
    const rates = rows.map((row) => motions.map((column) => dot(row, column)));
    const factors = sheet.matrix("factors", n, n);
    const answers = forces.map((force) =>
      solved(
        factors,
        before.map((column) => dot(force, column)),
      ),
    );
    finish(sheet, rates, answers, shape, rows, forces, joins);
  });
}

/** The first limb of a limit on one of its joint's coordinates. */
export function coordinateKernel(coordinate: number, shape: LimbShape): Kernel {
  const key = `response.${nameOf(shape)}.limit.${coordinate}`;
  return laterSheet(key, ["factors", ...readOf(shape)], writtenOf(1, shape), (sheet) => {
    const { free: n } = shape;
    const unit: Scalar[] = Array.from({ length: n }, (_, k) => (k === coordinate ? 1 : 0));
    const answer = solved(sheet.matrix("factors", n, n), unit);
    const none: Scalar[][] = [six.map(() => 0)];
    finish(sheet, [unit], [answer], shape, none, none);
  });
}

/** The first limb of a limit on several of its joint's coordinates, with rows over these. */
export function mixedKernel(shape: LimbShape): Kernel {
  const key = `response.${nameOf(shape)}.mixed`;
  return laterSheet(key, ["rows", "forces", "factors", ...readOf(shape)], writtenOf(1, shape), (sheet) => {
    const { free: n } = shape;
    const [rates] = sheet.matrix("rows", 1, n);
    const answer = solved(sheet.matrix("factors", n, n), sheet.matrix("forces", 1, n)[0]);
    const none: Scalar[][] = [six.map(() => 0)];
    finish(sheet, [rates], [answer], shape, none, none);
  });
}

/** Multipliers, of which so many are a node, for the ports of a contact or for one port. */
export function multiplierKernel(n: number, ports: 1 | 3, later: readonly Arrival[]): Kernel {
  const key = `response.multipliers.${n}${later.map(arrivalName).join("")}.${ports}`;
  const reads = ["rows", "forces", "factors", ...later.flatMap((_, i) => [`solved.${i}`, `block.${i}`])];
  const written = writtenOf(ports, { free: n, above: undefined, ties: later });
  return laterSheet(key, reads, written, (sheet) => {
    const rates = sheet.matrix("rows", ports, n);
    const factors = sheet.matrix("factors", n, stride(n));
    const answers = sheet.matrix("forces", ports, n).map((force) => solved(factors, force));
    writeRows(sheet, rates, answers);
    share(sheet, rates, answers, later, "solved", "block");
  });
}

/** The kernel of a sheet that is filled in when its program is first asked for. */
function laterSheet(
  key: string,
  reads: readonly string[],
  written: readonly string[],
  fill: (sheet: Sheet) => void,
): Kernel {
  return sweepKernel(key, () => {
    const operands = [...new Set([...reads, ...written])];
    return laterKernel(`tree.${key}`, operands, new Set(written), () => {
      const sheet = new Sheet();
      fill(sheet);
      return sheet.finish(`tree.${key}`, operands);
    });
  });
}

/** What rows that go on read besides those that have arrived. */
function readOf({ free, above, ties }: LimbShape, joins = false): string[] {
  const shares = free > 0 ? ["pull", "response"] : ["rows", "forces"];
  return [
    ...(above ? ["arm", "armBefore", ...shares, ...(joins ? ["rowsBeside", "forcesBeside"] : [])] : []),
    ...(free > 0 ? ties.flatMap((_, i) => [`weights.${i}`, `shares.${i}`]) : []),
  ];
}

function writtenOf(ports: number, { free, above, ties }: LimbShape): string[] {
  const each = Array.from({ length: ports }, (_, port) => port);
  return [
    ...(free > 0 ? each.flatMap((port) => [`rates.${port}`, `answers.${port}`]) : []),
    ...(above ? ["rowsAbove", "forcesAbove"] : []),
    ...ties.flatMap((_, i) => [`rows.${i}`, `forces.${i}`]),
  ];
}

const arrivalName = ({ size, adds }: Arrival): string => `.${size}${adds ? "+" : ""}`;

function nameOf({ free, above, ties }: LimbShape): string {
  const on = above ? (above.adds ? ".adds" : "") : ".grounded";
  return `${free}${on}${ties.map(arrivalName).join("")}`;
}

/** Writes rates and answers, and the rows that go on. */
function finish(
  sheet: Sheet,
  rates: readonly Scalar[][],
  answers: readonly Scalar[][],
  { above, ties }: LimbShape,
  rows: readonly Scalar[][],
  forces: readonly Scalar[][],
  joins = false,
): void {
  const n = rates[0].length;
  writeRows(sheet, rates, answers);
  share(sheet, rates, answers, ties, "weights", "shares");
  if (!above) return;
  const pass = (name: string, all: readonly Scalar[][], shares: readonly Scalar[][], by: string, arm: string) => {
    const [columns, d] = [sheet.matrix(by, n, 6), sheet.vector(arm, 3)];
    const beside = joins ? sheet.matrix(`${name}Beside`, all.length, 6) : undefined;
    all.forEach((row, port) => {
      const left = six.map((i) => sub(row[i], sum(columns.map((column, k) => mul(shares[port][k], column[i])))));
      const taken = carriedBy(left, d).map((entry, j) => (beside ? sum([entry, beside[port][j]]) : entry));
      sheet.write(`${name}Above`, taken, above.adds, 6 * port);
    });
  };
  pass("rows", rows, rates, "pull", "arm");
  pass("forces", forces, answers, "response", "armBefore");
}

function writeRows(sheet: Sheet, rates: readonly Scalar[][], answers: readonly Scalar[][]): void {
  rates.forEach((rate, port) => {
    sheet.write(`rates.${port}`, rate);
    sheet.write(`answers.${port}`, answers[port]);
  });
}

/** What nodes that are left take: r_d − rate·(row matrix), f_d − (column matrix)·answer. */
function share(
  sheet: Sheet,
  rates: readonly Scalar[][],
  answers: readonly Scalar[][],
  later: readonly Arrival[],
  rowMatrix: string,
  columnMatrix: string,
): void {
  const n = rates[0].length;
  later.forEach(({ size, adds }, i) => {
    const byRows = sheet.matrix(`${rowMatrix}.${i}`, n, stride(size));
    const byColumns = sheet.matrix(`${columnMatrix}.${i}`, size, stride(n));
    rates.forEach((rate, port) => {
      const entries = byColumns.map((_, j) => j);
      const row = entries.map((j) => neg(sum(rate.map((value, k) => mul(value, byRows[k][j])))));
      const force = entries.map((j) => neg(sum(answers[port].map((value, k) => mul(byColumns[j][k], value)))));
      sheet.write(`rows.${i}`, row, adds, size * port);
      sheet.write(`forces.${i}`, force, adds, size * port);
    });
  });
}

/** D⁻¹ g, with L and U in one, unit L, reciprocal pivots. */
function solved(factors: readonly Scalar[][], g: readonly Scalar[]): Scalar[] {
  const x = [...g];
  const minus = (i: number, j: number): void => {
    x[i] = sub(x[i], mul(factors[i][j], x[j]));
  };
  for (let i = 1; i < x.length; i++) for (let j = 0; j < i; j++) minus(i, j);
  for (let i = x.length - 1; i >= 0; i--) {
    for (let j = i + 1; j < x.length; j++) minus(i, j);
    x[i] = mul(x[i], factors[i][i]);
  }
  return x;
}
