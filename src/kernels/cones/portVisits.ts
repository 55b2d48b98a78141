/**
 * Programs that visit ports one after another, for impulses by projected Gauss–Seidel sweeps. Port i answers to impulses x with the rate
 *   y = qᵢ + Σ Wᵢⱼ xⱼ,   Wᵢⱼ = rᵢ·aⱼ        (rows r and a over the coordinates of all joints: portResponses.ts)
 * kept as w = Σ aⱼ xⱼ, so that no matrix is ever written.
 *   begin   Wᵢᵢ; w ← w + aᵢ xᵢ
 *   visit   x to where it belongs if no other impulse changed, w alike; adds the square of its step f, in units of the cones, to a total
 *   end     the rate
 *   join    whether a contact between limbs that turn can be in the sweeps; if not, it does not push
 * A *single* port belongs on the central path, x y = μ (in units of its cone). So does the first of a contact's *three*; the other two are
 * friction: (x − y/W) shortened to length t within the disk r = c_f x₁,
 *   (l − t)(r − t) = μ s,   s = min(l, r)/(r + min(l, r)),   l = |x − y/W|,
 * which for μ → 0 is the projection, and near t = min(l, r) the central path (math/cones/frictionPath.ts has it to the last digit). Both tangents take
 * the larger of their Wᵢᵢ, and see what the normal impulse has just done.
 *
 * Sweeps are accelerated by what the last two have done (Anderson's method with one difference): with g and f where they have led and their
 * steps, g' and f' those of the sweep before, the next one starts from
 *   x = g + θ (g' − g),   θ = f·(f − f')/|f' − f|²,        for which |f + θ (f' − f)| is least.
 * w is linear in x and leaps alike. x may lie outside its cone, where no sweep ends: all that a visit finds of it is x − y/W.
 * Operands: the port's numbers, its rows r and a, w, and the numbers of `sweepNumbers`.
 */
import { type Program, ProgramBuilder, type Value } from "../../codegen/index.ts";

/** Numbers that all visits share: totals of f·f and f·f' of a sweep, μ, and the θ from which it starts. */
export const sweepNumbers = { square: 0, product: 1, mu: 2, leap: 3, size: 4 } as const;

/** Numbers of a port, or of three. The simulation writes the first five, `begin` and `end` the others. */
export const portNumbers = {
  x: 0,
  free: 3,
  coefficient: 6,
  /** −1 where the port is its rows with the other sign. */
  sign: 7,
  /** (change of the slack per rate)/(unit of the cone), of a gap and of a slip. */
  perUnit: 8,
  own: 10,
  cross: 12,
  /** 1/Wᵢᵢ, and how far μ softens: 4 μ Wᵢᵢ and 4 μ/Wᵢᵢ in units of a gap's and a slip's cone. */
  perOwn: 14,
  softness: 16,
  rate: 18,
  /** Whether a limit, or a contact that is bound at run time, takes part, 1 or 0; and the unit of a limit's coordinate. */
  near: 21,
  length: 22,
  /** g and f of the last sweep. */
  before: 24,
  step: 27,
  size: 30,
} as const;

/**
 * Least answer of a gap to its own impulse, as a part of what a slip answers. Bodies that turn far in a step carry the gradient of a gap away
 * from the direction in which it pushes: sweeps over what answers to nothing, or the wrong way, run away.
 */
const leastAnswer = 0.02;
const tiny = 1e-300;
const at = portNumbers;

export const visitNames = ["begin", "visit", "end"] as const;
export type VisitName = (typeof visitNames)[number];

/** `size`: an even number of coordinates. `join` is for contacts that are bound at run time, before the others. */
export function visitProgram(name: VisitName | "join", ports: 1 | 3, size: number): Program {
  return new Visit(`ports.${name}.${ports}.${size}`, size)[name](ports);
}

class Visit {
  private readonly b: ProgramBuilder;
  private readonly size: number;

  constructor(name: string, size: number) {
    this.b = new ProgramBuilder(name, 5);
    this.size = size;
  }

  begin(ports: 1 | 3): Program {
    const { b } = this;
    const [one, soft] = [b.constant(1), b.mul(b.constant(4), b.load(4, sweepNumbers.mu))];
    const normal = this.answer(0, 0);
    b.store(0, at.own, normal);
    b.store(0, at.perOwn, b.div(one, normal));
    b.store(0, at.softness, b.div(b.mul(soft, normal), this.number(at.perUnit)));
    if (ports === 3) {
      const side = b.max(this.answer(1, 1), this.answer(2, 2));
      b.store(0, at.own + 1, side);
      b.store(0, at.perOwn + 1, b.div(one, side));
      b.store(0, at.softness + 1, b.div(soft, b.mul(side, this.number(at.perUnit + 1))));
      b.store(0, at.cross, this.answer(1, 0));
      b.store(0, at.cross + 1, this.answer(2, 0));
    }
    const impulses = this.range(ports).map((port) => this.number(at.x + port));
    impulses.forEach((impulse, port) => {
      b.store(0, at.before + port, impulse);
      b.store(0, at.step + port, b.constant(0));
    });
    this.push(ports === 1 ? [b.mul(this.number(at.sign), impulses[0])] : impulses);
    return b.finish();
  }

  join(ports: 1 | 3): Program {
    const { b } = this;
    const [zero, one] = [b.constant(0), b.constant(1)];
    const most = this.range(ports).reduce(
      (largest, port) => (port > 0 ? b.max(largest, this.answer(port, port)) : largest),
      zero,
    );
    const least = b.mul(b.constant(leastAnswer), most);
    const own = this.answer(0, 0);
    b.store(0, at.near, b.ifLess(least, own, one, zero));
    for (const port of this.range(ports)) b.store(0, at.x + port, b.ifLess(least, own, this.number(at.x + port), zero));
    return b.finish();
  }

  end(ports: 1 | 3): Program {
    const { b } = this;
    this.rates(ports).forEach((rate, port) => {
      b.store(0, at.rate + port, rate);
    });
    return b.finish();
  }

  visit(ports: 1 | 3): Program {
    const { b } = this;
    const [rate, ...slips] = this.rates(ports);
    const x = this.range(ports).map((port) => this.leap(port));
    const [own, perOwn] = [this.number(at.own), this.number(at.perOwn)];
    const [zero, half] = [0, 0.5].map((value) => b.constant(value));
    // W x² + (rate without x) x = μ
    const alone = b.sub(rate, b.mul(own, x[0]));
    const root = b.sqrt(b.add(b.mul(alone, alone), this.number(at.softness)));
    const normal = b.mul(b.mul(half, b.sub(root, alone)), perOwn);
    const change = b.sub(normal, x[0]);
    b.store(0, at.x, normal);
    this.count(0, [change], b.mul(own, this.number(at.perUnit)));
    if (ports === 1) {
      this.push([b.mul(this.number(at.sign), change)]);
      return b.finish();
    }
    // friction at the rates that the new normal impulse leaves
    const pull = this.number(at.perOwn + 1);
    const wanted = slips.map((slip, k) => {
      const left = b.add(slip, b.mul(this.number(at.cross + k), change));
      return b.sub(x[1 + k], b.mul(pull, left));
    });
    const length = b.sqrt(b.max(b.constant(tiny), b.add(b.mul(wanted[0], wanted[0]), b.mul(wanted[1], wanted[1]))));
    const bound = b.mul(this.number(at.coefficient), normal);
    const least = b.min(length, bound);
    const share = b.div(least, b.max(b.constant(tiny), b.add(bound, least)));
    const over = b.sub(length, bound);
    const softened = b.sqrt(b.add(b.mul(over, over), b.mul(this.number(at.softness + 1), share)));
    const kept = b.max(zero, b.mul(half, b.sub(b.add(length, bound), softened)));
    const part = b.div(kept, length);
    const next = wanted.map((value) => b.mul(part, value));
    const changes = next.map((value, k) => b.sub(value, x[1 + k]));
    next.forEach((value, k) => {
      b.store(0, at.x + 1 + k, value);
    });
    this.push([change, ...changes]);
    this.count(1, changes, b.mul(this.number(at.own + 1), this.number(at.perUnit + 1)));
    return b.finish();
  }

  private range(ports: number): number[] {
    return Array.from({ length: ports }, (_, port) => port);
  }

  private number(index: number): Value {
    return this.b.load(0, index);
  }

  private pairs(): number[] {
    return Array.from({ length: this.size / 2 }, (_, p) => 2 * p);
  }

  private sum(terms: readonly Value[]): Value {
    const { b } = this;
    const total = terms.reduce((sum, term) => b.add(sum, term));
    return b.add(b.lane(total, 0), b.lane(total, 1));
  }

  /** What port i answers to the impulse of port j. */
  private answer(i: number, j: number): Value {
    const { b, size } = this;
    return this.sum(this.pairs().map((p) => b.mul(b.loadAdjacent(1, size * i + p), b.loadAdjacent(2, size * j + p))));
  }

  private rates(ports: 1 | 3): Value[] {
    const { b, size } = this;
    const w = this.pairs().map((p) => b.loadAdjacent(3, p));
    return this.range(ports).map((port) => {
      const answered = this.sum(this.pairs().map((p, k) => b.mul(b.loadAdjacent(1, size * port + p), w[k])));
      return b.add(this.number(at.free + port), ports === 1 ? b.mul(this.number(at.sign), answered) : answered);
    });
  }

  private push(impulses: readonly Value[]): void {
    const { b, size } = this;
    const wide = impulses.map((impulse) => b.splat(impulse));
    for (const p of this.pairs()) {
      const moved = wide.map((impulse, port) => b.mul(impulse, b.loadAdjacent(2, size * port + p)));
      b.storeAdjacent(
        3,
        p,
        moved.reduce((sum, term) => b.add(sum, term)),
        true,
      );
    }
  }

  /** Where the sweep starts from: g + θ (g' − g). */
  private leap(port: number): Value {
    const { b } = this;
    const x = this.number(at.x + port);
    const way = b.sub(this.number(at.before + port), x);
    b.store(0, at.before + port, x);
    return b.add(x, b.mul(b.load(4, sweepNumbers.leap), way));
  }

  /** Steps of ports from this one on, with the square of their unit. */
  private count(first: number, steps: readonly Value[], unit: Value): void {
    const { b } = this;
    const before = steps.map((_, k) => this.number(at.step + first + k));
    const total = (others: readonly Value[]): Value =>
      b.mul(
        steps.map((step, k) => b.mul(step, others[k])).reduce((sum, term) => b.add(sum, term)),
        unit,
      );
    b.store(4, sweepNumbers.square, total(steps), true);
    b.store(4, sweepNumbers.product, total(before), true);
    steps.forEach((step, k) => {
      b.store(0, at.step + first + k, step);
    });
  }
}
