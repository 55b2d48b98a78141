/** What bodies lose of their angular momentum where the last stage of a bounce pushes them apart, and how they get it back (equations/momentumLoss.ts). */
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

/** What takes cotangents of the inputs of a body, by their names in equations/momentumLoss.ts. */
type Sinks = Readonly<Record<string, (body: number, values: Float64Array) => void>>;

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

  /** Takes cotangents of the velocities that `giveBack` leaves to those of `after`, which it was given, in place. */
  pull(pushes: Pushes, after: Float64Array, bars: Float64Array, sinks: Sinks): void {
    const { groups, next } = pushes;
    const { maps } = this;
    for (const group of groupsOf(groups)) {
      const { turn, sums } = this.turnOf(group, pushes, after);
      const turnBar = new Float64Array(turn.length);
      for (const body of group) {
        const {
          turn: own,
          "after.velocity": velocity,
          ...others
        } = maps.turning(body, next, after, turn).pull({ velocity: bars.subarray(6 * body, 6 * body + 6) });
        bars.set(velocity, 6 * body);
        for (let i = 0; i < own.length; i++) turnBar[i] += own[i];
        for (const [name, values] of Object.entries(others)) sinks[name](body, values);
      }
      const ofSums = maps.commonTurn(sums).pull({ turn: turnBar });
      for (const body of group) {
        const { "after.velocity": velocity, ...others } = this.lossOf(body, pushes, after).pull(ofSums);
        for (let i = 0; i < 6; i++) bars[6 * body + i] += velocity[i];
        for (const [name, values] of Object.entries(others)) sinks[name](body, values);
      }
    }
  }

  private turnOf(group: readonly number[], pushes: Pushes, after: Float64Array) {
    const sums = { loss: new Float64Array(3), moments: new Float64Array(10) };
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
