/**
 * Small problems for the interior-point solver, dense and slow on purpose: the whole matrix
 *   [ dE/da   dE/db   dE/dc ]        of w = (a, b, c) is formed, with differences of E, and solved by Gaussian elimination
 *   [   0      c∘      b∘   ]        with pivoting.
 */
import type { Random } from "../../src/math/index.ts";
import type { Cone, Direction, Equations } from "../../src/solver/index.ts";

export interface ToyDescription {
  readonly cones?: readonly Cone[];
  readonly a: readonly number[];
  readonly b?: readonly number[];
  readonly c?: readonly number[];
  readonly tolerance?: number;
  readonly gapRows?: readonly number[];
  readonly gapSlacks?: readonly number[];
  /** Writes E. */
  residual(out: Float64Array, a: Float64Array, b: Float64Array, c: Float64Array): void;
  /** Rows of E; as many as there are entries in a, plus as many as in b. */
  readonly rows: number;
  /** Half-width of the central differences: 1 (the default) is exact for a linear E. */
  readonly differenceStep?: number;
  /** Where E exists. */
  domain?(a: Float64Array): boolean;
}

export class ToyProblem implements Equations {
  readonly cones: readonly Cone[];
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly c: Float64Array;
  readonly weight: Float64Array;
  readonly residual: Float64Array;
  readonly tolerance: Float64Array;
  readonly gapRows: Int32Array;
  readonly gapSlacks: Int32Array;
  evaluations = 0;
  readonly #description: ToyDescription;
  readonly #size: number;
  readonly #jacobian: Float64Array;
  readonly #matrix: Float64Array;
  readonly #pivots: Int32Array;
  readonly #saved: Float64Array[];

  constructor(description: ToyDescription) {
    this.#description = description;
    this.cones = description.cones ?? [];
    this.a = Float64Array.from(description.a);
    this.b = Float64Array.from(description.b ?? []);
    this.c = Float64Array.from(description.c ?? []);
    this.weight = new Float64Array(this.b.length).fill(1);
    this.residual = new Float64Array(description.rows);
    this.tolerance = new Float64Array(description.rows).fill(description.tolerance ?? 1e-8);
    this.gapRows = Int32Array.from(description.gapRows ?? []);
    this.gapSlacks = Int32Array.from(description.gapSlacks ?? []);
    this.#size = this.a.length + this.b.length + this.c.length;
    if (description.rows + this.b.length !== this.#size) throw new Error("not as many equations as unknowns");
    this.#jacobian = new Float64Array(description.rows * this.#size);
    this.#matrix = new Float64Array(this.#size * this.#size);
    this.#pivots = new Int32Array(this.#size);
    this.#saved = [this.a.slice(), this.b.slice(), this.c.slice()];
  }

  newDirection(): Direction {
    return { a: this.a.slice().fill(0), b: this.b.slice().fill(0), c: this.c.slice().fill(0) };
  }

  evaluate(): void {
    this.evaluations++;
    this.#description.residual(this.residual, this.a, this.b, this.c);
  }

  #differentiate(): void {
    const { rows, differenceStep: step = 1 } = this.#description;
    const plus = new Float64Array(rows);
    const minus = new Float64Array(rows);
    let column = 0;
    for (const part of [this.a, this.b, this.c]) {
      for (let k = 0; k < part.length; k++, column++) {
        const value = part[k];
        part[k] = value + step;
        this.#description.residual(plus, this.a, this.b, this.c);
        part[k] = value - step;
        this.#description.residual(minus, this.a, this.b, this.c);
        part[k] = value;
        for (let i = 0; i < rows; i++) this.#jacobian[i * this.#size + column] = (plus[i] - minus[i]) / (2 * step);
      }
    }
  }

  factor(): boolean {
    this.#differentiate();
    const { rows } = this.#description;
    const n = this.#size;
    const m = this.#matrix;
    m.fill(0);
    m.set(this.#jacobian);
    const atB = this.a.length;
    const atC = atB + this.b.length;
    for (const { kind, offset, size } of this.cones) {
      for (let k = offset; k < offset + size; k++) {
        const row = (rows + k) * n;
        const head = kind === "orthant" ? k : offset;
        m[row + atB + k] = this.c[head];
        m[row + atC + k] = this.b[head];
        if (k === head) continue;
        // arrow matrices of the second-order product
        m[row + atB + head] = this.c[k];
        m[row + atC + head] = this.b[k];
        m[(rows + head) * n + atB + k] = this.c[k];
        m[(rows + head) * n + atC + k] = this.b[k];
      }
    }
    return eliminate(m, this.#pivots, n);
  }

  solve(coneRhs: Float64Array, out: Direction): void {
    const x = new Float64Array(this.#size);
    for (let i = 0; i < this.residual.length; i++) x[i] = -this.residual[i];
    x.set(coneRhs, this.residual.length);
    substitute(this.#matrix, this.#pivots, x);
    out.a.set(x.subarray(0, this.a.length));
    out.b.set(x.subarray(this.a.length, this.a.length + this.b.length));
    out.c.set(x.subarray(this.a.length + this.b.length));
  }

  save(): void {
    [this.a, this.b, this.c].forEach((part, i) => {
      this.#saved[i].set(part);
    });
  }

  advance(alpha: number, direction: Direction): boolean {
    const deltas = [direction.a, direction.b, direction.c];
    [this.a, this.b, this.c].forEach((part, i) => {
      for (let k = 0; k < part.length; k++) part[k] = this.#saved[i][k] + alpha * deltas[i][k];
    });
    return this.#description.domain?.(this.a) ?? true;
  }
}

/** LU in place with row pivoting; false when singular or not finite. */
function eliminate(m: Float64Array, pivots: Int32Array, n: number): boolean {
  for (let j = 0; j < n; j++) {
    let pivot = j;
    for (let i = j + 1; i < n; i++) if (Math.abs(m[i * n + j]) > Math.abs(m[pivot * n + j])) pivot = i;
    pivots[j] = pivot;
    if (!(Math.abs(m[pivot * n + j]) > 1e-300)) return false;
    for (let k = 0; pivot !== j && k < n; k++) {
      [m[j * n + k], m[pivot * n + k]] = [m[pivot * n + k], m[j * n + k]];
    }
    for (let i = j + 1; i < n; i++) {
      m[i * n + j] /= m[j * n + j];
      const factor = m[i * n + j];
      if (factor !== 0) for (let k = j + 1; k < n; k++) m[i * n + k] -= factor * m[j * n + k];
    }
  }
  return true;
}

function substitute(m: Float64Array, pivots: Int32Array, x: Float64Array): void {
  const n = x.length;
  for (let j = 0; j < n; j++) [x[j], x[pivots[j]]] = [x[pivots[j]], x[j]];
  for (let i = 1; i < n; i++) for (let j = 0; j < i; j++) x[i] -= m[i * n + j] * x[j];
  for (let i = n - 1; i >= 0; i--) {
    for (let j = i + 1; j < n; j++) x[i] -= m[i * n + j] * x[j];
    x[i] /= m[i * n + i];
  }
}

function orthantCones(count: number): Cone[] {
  return Array.from({ length: count }, (_, offset) => ({ kind: "orthant", offset, size: 1 }));
}

/** b = γ, c = Mγ + q: the linear complementarity problem. */
export function linearComplementarity(matrix: readonly (readonly number[])[], q: readonly number[]): ToyProblem {
  const ones = q.map(() => 1);
  return new ToyProblem({
    cones: orthantCones(q.length),
    a: [],
    b: ones,
    c: ones,
    rows: q.length,
    residual(out, _a, b, c) {
      matrix.forEach((row, i) => {
        out[i] = c[i] - q[i] - row.reduce((sum, entry, j) => sum + entry * b[j], 0);
      });
    },
  });
}

/** Nearest point b of Q^n to p: b − p = c, b ⊥ c. On the central path b∘(b − p) = κe. */
export function projection(point: readonly number[]): ToyProblem {
  const start = point.map((_, i) => (i === 0 ? 1 : 0));
  return new ToyProblem({
    cones: [{ kind: "secondOrder", offset: 0, size: point.length }],
    a: [],
    b: start,
    c: start,
    rows: point.length,
    residual(out, _a, b, c) {
      for (let i = 0; i < point.length; i++) out[i] = c[i] - b[i] + point[i];
    },
  });
}

export interface BlockScene {
  /** Contact points relative to the centre, in units of g h²; [[0, 0, 0]] is the point mass. */
  readonly corners: readonly (readonly number[])[];
  readonly velocity: readonly number[];
  readonly spin: readonly number[];
  /** Height of the centre above the plane. */
  readonly height: number;
  /** Angle of the plane. */
  readonly slope: number;
  readonly friction: number;
  /** Radius of gyration. */
  readonly gyration: number;
}

/**
 * A block above a slope, one step, in weight units (m = g = h = 1), rotation linearised so that E is linear:
 *   v₊ − v − g − Σ F = 0         ρ(ω₊ − ω) − Σ r × F/ρ = 0        F = (ξ₂, ξ₃, γ)
 *   s = height + r_z + (v₊ + ω₊ × r)_z     ξ₁ = c_f γ     η_v = (v₊ + ω₊ × r)_xy
 * ρ is the radius of gyration; the unknowns are a = (v₊, ρω₊), so that all of them are speeds.
 * Per contact b = (γ, ξ), c = (s, η). It starts on the central path, at the natural scale of its speed.
 */
export function block(scene: BlockScene, tolerance = 1e-8): ToyProblem {
  const { corners, velocity, spin, height, slope, friction } = scene;
  const gravity = [Math.sin(slope), 0, -Math.cos(slope)];
  const rho = scene.gyration;
  const radius = Math.max(...corners.map((r) => Math.hypot(...r)));
  const speed = Math.hypot(...velocity) + 1 + Math.hypot(...spin) * radius;
  const b: number[] = [];
  const c: number[] = [];
  for (const r of corners) {
    const free = height + r[2] + velocity[2] + gravity[2] + spin[0] * r[1] - spin[1] * r[0];
    const s = Math.max(free, speed);
    const gamma = (0.1 * speed * speed) / s;
    const xi = Math.max(friction, 1e-3) * gamma;
    b.push(gamma, xi, 0, 0);
    c.push(s, (0.1 * speed * speed) / xi, 0, 0);
  }
  const n = corners.length;
  const cones = corners.flatMap((_, i): Cone[] => [
    { kind: "orthant", offset: 4 * i, size: 1 },
    { kind: "secondOrder", offset: 4 * i + 1, size: 3 },
  ]);
  return new ToyProblem({
    cones,
    a: [...velocity, ...spin.map((w) => rho * w)],
    b,
    c,
    tolerance,
    rows: 6 + 4 * n,
    gapRows: corners.map((_, i) => 6 + 4 * i),
    gapSlacks: corners.map((_, i) => 4 * i),
    residual(out, a, bb, cc) {
      for (let k = 0; k < 3; k++) {
        out[k] = a[k] - velocity[k] - gravity[k];
        out[3 + k] = a[3 + k] - rho * spin[k];
      }
      for (let i = 0; i < n; i++) {
        const [x, y, z] = corners[i].map((r) => r / rho);
        const [fx, fy, fz] = [bb[4 * i + 2], bb[4 * i + 3], bb[4 * i]];
        out[0] -= fx;
        out[1] -= fy;
        out[2] -= fz;
        out[3] -= y * fz - z * fy;
        out[4] -= z * fx - x * fz;
        out[5] -= x * fy - y * fx;
        const row = 6 + 4 * i;
        out[row] = cc[4 * i] - (height + corners[i][2] + a[2] + a[3] * y - a[4] * x);
        out[row + 1] = bb[4 * i + 1] - friction * bb[4 * i];
        out[row + 2] = cc[4 * i + 2] - (a[0] + a[4] * z - a[5] * y);
        out[row + 3] = cc[4 * i + 3] - (a[1] + a[5] * x - a[3] * z);
      }
    },
  });
}

export const pointMass: Pick<BlockScene, "corners" | "spin" | "gyration"> = {
  corners: [[0, 0, 0]],
  spin: [0, 0, 0],
  gyration: 1,
};

/** A block (or point mass) thrown, resting or sliding at a random size and friction. */
export function randomBlock(stream: Random, cornerCount: 1 | 4 | 8): BlockScene {
  const random = (): number => stream.uniform();
  const size = 10 ** (4 * random());
  const signs = [-1, 1].flatMap((z) => [-1, 1].flatMap((y) => [-1, 1].map((x) => [x, y, z])));
  const chosen = cornerCount === 1 ? [[0, 0, 0]] : signs.slice(0, cornerCount);
  const corners = chosen.map((r) => r.map((k) => 0.5 * k * size));
  const fast = 10 ** (3 * random()) - 1;
  const resting = random() < 0.4;
  const between = (): number => 2 * random() - 1;
  const lowest = -Math.min(...corners.map((r) => r[2]));
  return {
    corners,
    velocity: [fast * between(), fast * between(), resting ? 0 : fast * between()],
    spin: cornerCount === 1 || resting ? [0, 0, 0] : [0, 0, 0].map(() => (0.3 * fast * between()) / size),
    height: lowest + (resting ? 1e-8 : fast * random()),
    slope: random() < 0.5 ? 0 : (random() * Math.PI) / 6,
    friction: [0.1, 0.5, 1][Math.floor(3 * random())],
    gyration: 0.41 * size,
  };
}
