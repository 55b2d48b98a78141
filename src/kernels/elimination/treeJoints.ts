/** Z = Q⁻¹ of a joint from the gradients of its ports (treeSweeps.ts), made from expressions: two joints of a kind share a call. */
import { basisLayout, type TwistBasis } from "../../equations/index.ts";
import {
  cross,
  div,
  dot,
  type Expr,
  Graph,
  matMul,
  neg,
  type Scalar,
  transpose,
  vscale,
  vsub,
} from "../../symbolic/index.ts";
import { type Kernel, kernel, type Place } from "../species/staging.ts";

type Matrix = Scalar[][];

const six = [0, 1, 2, 3, 4, 5] as const;

/** Symbols with places, and outputs: one kernel under construction. */
export class Sheet {
  private readonly graph = new Graph();
  private readonly places = new Map<Expr, Place>();
  private readonly outputs: { operand: string; index: number; value: Scalar; accumulate: boolean }[] = [];

  vector(operand: string, length: number, start = 0): Scalar[] {
    const symbols = this.graph.symbols(`${operand}.${start}.`, length);
    symbols.forEach((symbol, i) => {
      this.places.set(symbol, { operand, index: start + i });
    });
    return symbols;
  }

  matrix(operand: string, rows: number, columns: number): Matrix {
    const entries = this.vector(operand, rows * columns);
    return Array.from({ length: rows }, (_, i) => entries.slice(columns * i, columns * i + columns));
  }

  write(operand: string, values: readonly Scalar[], accumulate = false, start = 0): void {
    values.forEach((value, i) => {
      this.outputs.push({ operand, index: start + i, value, accumulate });
    });
  }

  finish(name: string, operands?: readonly string[]): Kernel {
    return kernel(name, this.places, this.outputs, operands);
  }
}

/**
 * Z of a joint from the gradients of its ports, and d from the centre of the body above to that of its own. Operands: ports, place and
 * placeAbove (positions), motions (Z), arm (d). Ports of translations are lengths along the axes of a frame: their gradient by the position is
 * a rotation; rotations see no positions.
 */
export function jointKernel(translations: readonly number[], grounded: boolean): Kernel {
  const sheet = new Sheet();
  const order = portOrder(translations);
  const ports = blocksOf(order.map((port) => sheet.matrix("ports", 6, 6)[port]));
  const a = transpose(ports.a);
  const g = inverse3(ports.g);
  const b = negated(matMul(a, matMul(ports.b, g)));
  const inverse = joined({ a, b, g });
  // by columns, in the order of the ports
  sheet.write(
    "motions",
    six.flatMap((port) => six.map((i) => inverse[i][order.indexOf(port)])),
  );
  if (!grounded) sheet.write("arm", vsub(sheet.vector("place", 3), sheet.vector("placeAbove", 3)));
  return sheet.finish(`tree.joint.${order.join("")}${grounded ? ".grounded" : ""}`);
}

/** Six numbers of a body by its basis, in place. Operands: basis, numbers. */
export function conversionKernel(
  name: string,
  convert: (six: readonly Scalar[], basis: TwistBasis) => Scalar[],
): Kernel {
  const sheet = new Sheet();
  const { rotation, tilt, spin } = basisLayout;
  const matrix = (start: number): Matrix => [0, 3, 6].map((row) => sheet.vector("basis", 3, start + row));
  const basis = { rotation: matrix(rotation), tilt: matrix(tilt), spin: matrix(spin) };
  sheet.write("numbers", convert(sheet.vector("numbers", 6), basis));
  return sheet.finish(`basis.${name}`);
}

function portOrder(translations: readonly number[]): number[] {
  return [...translations, ...six.filter((port) => !translations.includes(port))];
}

/** [a b; 0 g]. */
interface Blocks {
  readonly a: Matrix;
  readonly b: Matrix;
  readonly g: Matrix;
}

function blocksOf(rows: readonly (readonly Scalar[])[]): Blocks {
  const part = (from: number, column: number): Matrix =>
    rows.slice(from, from + 3).map((row) => row.slice(column, column + 3));
  return { a: part(0, 0), b: part(0, 3), g: part(3, 3) };
}

function joined({ a, b, g }: Blocks): Matrix {
  return [...a.map((row, i) => [...row, ...b[i]]), ...g.map((row) => [0, 0, 0, ...row])];
}

const negated = (m: Matrix): Matrix => m.map((row) => row.map(neg));

/** The inverse by cross products of the rows, which needs no pivots. */
function inverse3([r0, r1, r2]: Matrix): Matrix {
  const columns = [cross(r1, r2), cross(r2, r0), cross(r0, r1)];
  const scale = div(1, dot(r0, columns[0]));
  return transpose(columns.map((column) => vscale(column, scale)));
}
