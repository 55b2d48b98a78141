/**
 * What the cost says at the ends of intervals, and beyond them. An interval is the curvature of the cost at one point; where a crate sticks or a
 * wheel stays in the air, the cost is flat beside that point, and the curvature tells nothing. So each end of an interval is visited: the
 * parameter is put there and far beyond, and the others follow, by the normal equations or by a short fit of their own.
 *   no rise far away that counts                 the data do not determine the parameter to this side, which has no end
 *   ¼ of the promised rise at the end            the end stands
 *   less                                         steps of twice the length look for where the cost has risen by as much as at an end
 * Where one side has no end, the other ends where the cost has risen.
 */
import type { Determination } from "./intervals.ts";

/** A point of a search: parameters, and the numbers of all starts. */
export interface FitPoint {
  readonly theta: Float64Array;
  readonly locals: readonly Float64Array[];
}

/** A fit that has ended, and the cost around it. */
export interface Surroundings {
  readonly found: FitPoint;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** Size of each parameter that would be no surprise. */
  readonly typical: Float64Array;
  /** A rise of the cost below this is rounding. */
  readonly rounding: number;
  /** Change of the numbers of starts that keeps them at their best while θ changes, to first order. */
  localsAlong(direction: Float64Array): readonly Float64Array[];
  /** Costs without gradients; infinite where a point cannot be. */
  costs(points: readonly FitPoint[]): Promise<number[]>;
  /** Moves everything but one parameter to a lower cost; may end as soon as the cost is below `enough`. */
  refit(point: FitPoint, held: number, enough: number): Promise<FitPoint>;
}

/** Ends of an interval, infinite where there is none; undefined where the curvature's own stand. */
export type ProfileEnds = ReadonlyMap<number, readonly [number, number]>;

interface Visit {
  readonly point: FitPoint;
  /** Of the cost, above that of the fit. */
  readonly rise: number;
}

interface Side {
  readonly end: number;
  readonly isOpen: boolean;
  /** Whether `end` is not the curvature's. */
  readonly isMoved: boolean;
}

const enoughOfIt = 0.25;
/** Rises within this factor of the promised one need no fit of the others. */
const close = 2;
/** Rises of more than so many of those at an end, and of rounding, are not fitted away. */
const hopeless = { ends: 1e3, roundings: 1e6 };
/** Sides are looked along for so many typical sizes, or lengths of the interval. */
const far = { sizes: 2, lengths: 4 };
const signs = [-1, 1] as const;
const halvings = 8;

export async function profileEnds(
  around: Surroundings,
  { deviations, factor, covariance }: Determination,
): Promise<ProfileEnds> {
  const ends = new Map<number, readonly [number, number]>();
  const { found } = around;
  const n = found.theta.length;
  const parameters = [...found.theta.keys()].filter((i) => Number.isFinite(deviations[i]));
  if (!covariance || parameters.length === 0) return ends;
  const lines = parameters.map((i) => {
    const variance = covariance[i * n + i];
    const direction = Float64Array.from(found.theta, (_, j) => covariance[j * n + i] / variance);
    return new Line(around, i, direction, factor * deviations[i], variance);
  });
  const [base, ...costs] = await around.costs([
    found,
    ...lines.flatMap((line) => line.places.flatMap(({ points }) => points)),
  ]);
  let at = 0;
  for (const line of lines) {
    const visits = line.places.map(({ points }) => best(points.map((point) => ({ point, rise: costs[at++] - base }))));
    const sides = signs.map((sign, k) => line.side(sign, visits[2 * k], visits[2 * k + 1], base));
    const [below, above] = [await sides[0], await sides[1]];
    if (!below.isMoved && !above.isMoved) continue;
    ends.set(line.parameter, [
      above.isOpen && !below.isMoved ? await line.nearEnd(-1, visits[0], base) : below.end,
      below.isOpen && !above.isMoved ? await line.nearEnd(1, visits[2], base) : above.end,
    ]);
  }
  return ends;
}

/** The profile of the cost along one parameter. */
class Line {
  readonly parameter: number;
  private readonly around: Surroundings;
  private readonly direction: Float64Array;
  private readonly locals: readonly Float64Array[];
  /** Half the interval, and how far away the curvature promises `rise`. */
  private readonly half: number;
  private readonly length: number;
  /** Of the cost, at an end of the interval. */
  private readonly rise: number;

  constructor(around: Surroundings, parameter: number, direction: Float64Array, half: number, variance: number) {
    this.around = around;
    this.parameter = parameter;
    this.direction = direction;
    this.locals = around.localsAlong(direction);
    this.half = half;
    this.rise = Math.max(half ** 2 / variance, around.rounding);
    this.length = Math.sqrt(this.rise * variance);
  }

  /** What is visited at once: on either side the end of the interval, then a place far beyond. */
  get places(): { readonly points: FitPoint[] }[] {
    return signs.flatMap((sign) =>
      [this.first(sign), this.beyond(sign)].map((distance) => ({ points: this.pointsAt(sign, distance) })),
    );
  }

  private first(sign: number): number {
    return Math.min(this.length, this.room(sign));
  }

  private beyond(sign: number): number {
    return Math.min(
      this.room(sign),
      Math.max(far.sizes * this.around.typical[this.parameter], far.lengths * this.length),
    );
  }

  /** The others as they are, and as the normal equations have them follow. */
  private pointsAt(sign: number, distance: number): FitPoint[] {
    const { found } = this.around;
    const followed = found.theta.map((value, j) => this.within(j, value + sign * distance * this.direction[j]));
    const locals = found.locals.map((own, g) => own.map((value, j) => value + sign * distance * this.locals[g][j]));
    return [this.at(found, sign, distance), { theta: followed, locals }];
  }

  async side(sign: -1 | 1, first: Visit, beyond: Visit, base: number): Promise<Side> {
    const { around, rise } = this;
    const open = { end: sign * Number.POSITIVE_INFINITY, isOpen: true, isMoved: true };
    const reach = this.beyond(sign);
    if (beyond.rise < this.hopeless && (await this.refitted(beyond, rise, base)).rise < rise) return open;
    let inside = this.first(sign);
    const promised = this.promised(inside);
    const isAsPromised = first.rise > promised / close && first.rise < promised * close;
    let last =
      isAsPromised || first.rise > this.hopeless ? first : await this.refitted(first, enoughOfIt * promised, base);
    const own = around.found.theta[this.parameter] + sign * this.half;
    if (last.rise >= enoughOfIt * promised && inside > 0) return { end: own, isOpen: false, isMoved: false };
    while (inside < reach) {
      const next = Math.min(2 * inside, reach);
      const there = await this.visited(sign, next, last, base);
      if (there.rise >= rise) return this.between(sign, inside, next, last, there, base);
      [inside, last] = [next, there];
    }
    return open;
  }

  private get hopeless(): number {
    return Math.max(hopeless.ends * this.rise, hopeless.roundings * this.around.rounding);
  }

  /** Rise of the cost by the curvature. */
  private promised(distance: number): number {
    return this.rise * (distance / this.length) ** 2;
  }

  /** Where the cost has risen by as much as at an end, which the first visit is beyond. */
  async nearEnd(sign: -1 | 1, visit: Visit, base: number): Promise<number> {
    const start = { point: this.around.found, rise: 0 };
    if (visit.rise < this.rise) return this.around.found.theta[this.parameter] + sign * this.half;
    return (await this.between(sign, 0, this.first(sign), start, visit, base)).end;
  }

  private async between(sign: -1 | 1, from: number, to: number, near: Visit, past: Visit, base: number): Promise<Side> {
    let [inside, outside, last, beyond] = [from, to, near, past];
    for (let k = 0; k < halvings; k++) {
      const middle = (inside + outside) / 2;
      const there = await this.visited(sign, middle, last, base);
      if (there.rise < this.rise) [inside, last] = [middle, there];
      else [outside, beyond] = [middle, there];
    }
    // where the physics ends, the cost has not risen
    const isOpen = beyond.rise === Number.POSITIVE_INFINITY;
    const end = isOpen ? sign * Number.POSITIVE_INFINITY : this.around.found.theta[this.parameter] + sign * outside;
    return { end, isOpen, isMoved: true };
  }

  /** The least rise that is found there, near to the fit and near to the last visit. */
  private async visited(sign: number, distance: number, last: Visit, base: number): Promise<Visit> {
    const points = [this.at(last.point, sign, distance), ...this.pointsAt(sign, distance)];
    const costs = await this.around.costs(points);
    const visit = best(points.map((point, k) => ({ point, rise: costs[k] - base })));
    return visit.rise < this.rise ? visit : this.refitted(visit, this.rise, base);
  }

  private async refitted(visit: Visit, enough: number, base: number): Promise<Visit> {
    const { found } = this.around;
    const isAlone = found.theta.length === 1 && found.locals.every(({ length }) => length === 0);
    if (isAlone || !Number.isFinite(visit.rise)) return visit;
    const point = await this.around.refit(visit.point, this.parameter, base + enough);
    const [cost] = await this.around.costs([point]);
    return best([visit, { point, rise: cost - base }]);
  }

  private at({ theta, locals }: FitPoint, sign: number, distance: number): FitPoint {
    const own = this.around.found.theta[this.parameter] + sign * distance;
    return { theta: theta.map((value, j) => (j === this.parameter ? this.within(j, own) : value)), locals };
  }

  private within(j: number, value: number): number {
    return Math.min(this.around.upper[j], Math.max(this.around.lower[j], value));
  }

  private room(sign: number): number {
    const { found, lower, upper } = this.around;
    const i = this.parameter;
    return sign > 0 ? upper[i] - found.theta[i] : found.theta[i] - lower[i];
  }
}

function best(visits: readonly Visit[]): Visit {
  return visits.reduce((least, each) => (each.rise < least.rise ? each : least));
}
