/** What bodies lose of their angular momentum where the last stage of a bounce pushes them apart, and how they get it back (equations/momentumLoss.ts). */
import type { LinearTape } from "../../math/index.ts";
import type { BounceMaps } from "./bounceMaps.ts";

/** A step with a bounce: where it begins, its free velocities, six per body, the poses where it ends, and who pushes whom apart. */
export interface Pushes {
  readonly state: Float64Array;
  readonly free: Float64Array;
  readonly next: Float64Array;
  readonly h: number;
  /** Bodies that get back together what they lose, for each body the number of one of them; −1 of the others. */
  readonly groups: Int32Array;
}

/** Where the numbers of each body have their variations, by the names of equations/momentumLoss.ts; `velocity` is what it is given back. */
export type LossPlaces = (body: number) => Readonly<Record<string, number>>;

/** Sums over a group, and its turn. */
const [lossSize, momentSize, turnSize] = [3, 10, 6];
/** Numbers that a group has on a tape. */
export const groupSize = lossSize + momentSize + turnSize;

export class MomentumLoss {
  private readonly maps: BounceMaps;

  constructor(maps: BounceMaps) {
    this.maps = maps;
  }

  /** Changes velocities of an instant, six per body. */
  giveBack(pushes: Pushes, after: Float64Array): void {
    const { groups, next } = pushes;
    for (const group of groupsOf(groups)) {
      const { turn } = this.turnOf(group, pushes, after);
      for (const body of group) after.set(this.maps.turning(body, next, after, turn).output("velocity"), 6 * body);
    }
  }

  /**
   * Writes `giveBack` on a tape: from `after.velocity`, which it was given, to `velocity`. From `sums` on it has `groupSize` numbers for every
   * body; bodies without a group have their velocities as they are.
   */
  record(tape: LinearTape, pushes: Pushes, after: Float64Array, placesOf: LossPlaces, sums: number): void {
    const { groups, next } = pushes;
    const { maps } = this;
    groups.forEach((group, body) => {
      const places = placesOf(body);
      if (group < 0) tape.copy(places.velocity, places["after.velocity"], turnSize);
    });
    for (const group of groupsOf(groups)) {
      const own = sums + groupSize * group[0];
      const ofSums = { loss: own, moments: own + lossSize };
      const turnAt = ofSums.moments + momentSize;
      const found = this.turnOf(group, pushes, after);
      for (const body of group) this.lossOf(body, pushes, after).record(tape, ofSums, placesOf(body));
      maps.commonTurn(found.sums).record(tape, { turn: turnAt }, ofSums);
      for (const body of group) {
        const places = placesOf(body);
        const turned = maps.turning(body, next, after, found.turn);
        turned.record(tape, { velocity: places.velocity }, { ...places, turn: turnAt });
      }
    }
  }

  private turnOf(group: readonly number[], pushes: Pushes, after: Float64Array) {
    const sums = { loss: new Float64Array(lossSize), moments: new Float64Array(momentSize) };
    for (const body of group) {
      const own = this.lossOf(body, pushes, after);
      for (const name of ["loss", "moments"] as const) {
        const [sum, values] = [sums[name], own.output(name)];
        for (let i = 0; i < sum.length; i++) sum[i] += values[i];
      }
    }
    return { sums, turn: this.maps.commonTurn(sums).output("turn").slice() };
  }

  private lossOf(body: number, { state, free, next, h }: Pushes, after: Float64Array) {
    return this.maps.loss(body, state, free, next, after, h);
  }
}

/** Bodies by group. */
function groupsOf(groups: Int32Array): Iterable<number[]> {
  const found = new Map<number, number[]>();
  groups.forEach((group, body) => {
    if (group >= 0) found.set(group, [...(found.get(group) ?? []), body]);
  });
  return found.values();
}
