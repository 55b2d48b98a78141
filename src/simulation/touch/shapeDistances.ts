/** Distances of the true shapes of a mechanism, apart from any step: of states of other engines as well. */
import { ArgumentError, type Mechanism, requireStateSize, worldIndex } from "../../mechanism/index.ts";
import { TouchSearch } from "./touchSearch.ts";

/** How far two shapes are from each other. */
export interface ShapeDistance {
  /** Bodies by name, "world" for shapes fixed there. */
  readonly bodies: readonly [string, string];
  /** Shapes by name within their bodies. */
  readonly shapes: readonly [string, string];
  /** Metres; negative is how deep they are in each other. */
  readonly distance: number;
}

/** Pairs of shapes that may touch and are nearer to each other than `within` at a state, the nearest first. */
export class ShapeDistances {
  private readonly mechanism: Mechanism;
  private readonly search: TouchSearch | undefined;

  constructor(mechanism: Mechanism) {
    this.mechanism = mechanism;
    this.search = mechanism.touch && new TouchSearch(mechanism.touch);
  }

  /** `within`: metres, 0 for those that overlap alone. */
  at(state: Float64Array, within = 0): ShapeDistance[] {
    const { mechanism, search } = this;
    requireStateSize(mechanism, state);
    if (!(within >= 0 && within < Number.POSITIVE_INFINITY))
      throw new ArgumentError("out-of-range", "within", `${within}: give a distance in metres, 0 or more`);
    const shapes = mechanism.touch?.shapes ?? [];
    const bodyOf = (shape: number): string => {
      const { body } = shapes[shape];
      return body === worldIndex ? "world" : mechanism.bodies[body].name;
    };
    const found: ShapeDistance[] = [];
    search?.visitNear(state, within, (a, b, distance) => {
      found.push({ bodies: [bodyOf(a), bodyOf(b)], shapes: [shapes[a].name, shapes[b].name], distance });
    });
    return found.sort((one, other) => one.distance - other.distance);
  }
}
