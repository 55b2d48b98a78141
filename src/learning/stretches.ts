/**
 * What the policies of successive updates are worth together. A policy's only episode tells little of it: one that falls from every fourth start
 * mostly returns as much as one that never does. Between updates a policy changes little, so a stretch of them has the episodes that one lacks.
 *   good       the stretch of a few updates with the highest mean return
 *   lost       the last returns are nearer to the first one than to the good stretch, which is above the first by more than chance
 *   chosen     the mean of the policies in the best of the long stretches: it stands in their middle, away from what they fall off
 */
import { type FilterState, savedFilter } from "./observationFilter.ts";
import { savedAmount, savedFields, savedList, savedNumber, savedNumbers } from "./savedState.ts";

/** A policy's numbers, and the filter that it saw through. */
export interface Place {
  readonly parameters: readonly number[];
  readonly filter: FilterState;
}

interface Tried extends Place {
  readonly return: number;
}

interface GoodStretch extends Place {
  readonly mean: number;
  /** Standard deviation of its returns. */
  readonly scatter: number;
}

interface LongStretch extends Place {
  readonly mean: number;
}

export interface StretchesState {
  readonly first: number | null;
  readonly tried: readonly Tried[];
  readonly good: GoodStretch | null;
  readonly long: LongStretch | null;
}

const few = 4;
/** Last returns that tell whether a search is lost. */
const lately = 3;
/** A good stretch is above the first return by this many of its standard deviations. */
const beyondChance = 3;

export class Stretches {
  /** Updates of a long stretch. */
  private readonly many: number;
  private first: number | undefined;
  /** The last ones, in their order, since the search went back or an episode was not solved. */
  private tried: Tried[] = [];
  private good: GoodStretch | undefined;
  private long: LongStretch | undefined;

  constructor(updates: number) {
    this.many = Math.max(few, Math.ceil(updates / 3));
  }

  /** Takes in the return of a policy; undefined where its episodes were not solved. */
  add(reached: number | undefined, parameters: ArrayLike<number>, filter: FilterState): void {
    if (reached === undefined) {
      this.tried = [];
      return;
    }
    this.first ??= reached;
    this.tried.push({ return: reached, parameters: Array.from(parameters), filter });
    if (this.tried.length > this.many) this.tried.shift();
    const { mean, scatter } = spreadOf(this.tried.slice(-few));
    const own = this.tried[this.tried.length - 1];
    if (this.tried.length >= few && mean >= (this.good?.mean ?? Number.NEGATIVE_INFINITY)) {
      this.good = { parameters: own.parameters, filter, mean, scatter };
    }
    if (this.tried.length < this.many) return;
    const long = spreadOf(this.tried).mean;
    if (long >= (this.long?.mean ?? Number.NEGATIVE_INFINITY)) {
      this.long = { parameters: middleOf(this.tried), filter, mean: long };
    }
  }

  private get isLost(): boolean {
    const { first, good, tried } = this;
    if (first === undefined || !good || tried.length < lately) return false;
    if (good.mean - first <= beyondChance * good.scatter) return false;
    return spreadOf(tried.slice(-lately)).mean < (first + good.mean) / 2;
  }

  /** Where a search that is lost goes on; undefined where it is not. */
  goBack(): Place | undefined {
    if (!this.isLost) return undefined;
    this.tried = [];
    return this.good;
  }

  /** The policy to end with; undefined before the first long stretch. */
  get chosen(): Place | undefined {
    return this.long;
  }

  get state(): StretchesState {
    const { first = null, tried, good = null, long = null } = this;
    return { first, tried: [...tried], good, long };
  }

  /** Goes on from a state. Throws with the path of a field that cannot be of one. */
  restore(path: string, value: unknown, parameters: number, observations: number): void {
    const { first, tried, good, long } = savedFields(path, value);
    const placeOf = (at: string, fields: Readonly<Record<string, unknown>>): Place => ({
      parameters: savedNumbers(`${at}.parameters`, fields.parameters, parameters),
      filter: savedFilter(`${at}.filter`, fields.filter, observations),
    });
    const length = Array.isArray(tried) ? Math.min(tried.length, this.many) : 0;
    this.first = first === null ? undefined : savedNumber(`${path}.first`, first);
    this.tried = savedList(`${path}.tried`, tried, length, (at, entry) => {
      const fields = savedFields(at, entry);
      return { ...placeOf(at, fields), return: savedNumber(`${at}.return`, fields.return) };
    });
    const stretchOf = (name: string, entry: unknown) => {
      const at = `${path}.${name}`;
      const fields = savedFields(at, entry);
      return { ...placeOf(at, fields), mean: savedNumber(`${at}.mean`, fields.mean), fields, at };
    };
    if (good === null) this.good = undefined;
    else {
      const { fields, at, ...stretch } = stretchOf("good", good);
      this.good = { ...stretch, scatter: savedAmount(`${at}.scatter`, fields.scatter) };
    }
    if (long === null) this.long = undefined;
    else {
      const { fields: _, at: __, ...stretch } = stretchOf("long", long);
      this.long = stretch;
    }
  }
}

function spreadOf(tried: readonly Tried[]): { readonly mean: number; readonly scatter: number } {
  const mean = tried.reduce((sum, each) => sum + each.return, 0) / tried.length;
  const square = tried.reduce((sum, each) => sum + (each.return - mean) ** 2, 0);
  return { mean, scatter: Math.sqrt(square / Math.max(1, tried.length - 1)) };
}

function middleOf(tried: readonly Tried[]): number[] {
  return tried[0].parameters.map(
    (_, i) => tried.reduce((sum, { parameters }) => sum + parameters[i], 0) / tried.length,
  );
}
