/**
 * What bodies get back from each other after a bounce (equations/momentumLoss.ts), as impulses of what is between them, for readers: along trees of
 * contacts and joints, so that those of every body add up to what it got. All that ties the same two bodies has an equal share.
 */
import { type Vector3, vector } from "../../math/index.ts";

/** Something between two bodies that pushes the second of them, and the first the other way. */
export interface Tie {
  readonly bodies: readonly number[];
  push(impulse: Vector3): void;
}

/** `momenta`: what each body got, which is nothing in all. */
export function returnMomenta(ties: readonly Tie[], momenta: readonly Vector3[]): void {
  const near: Tie[][] = momenta.map(() => []);
  for (const tie of ties) for (const body of tie.bodies) near[body].push(tie);
  const otherOf = ({ bodies: [one, two] }: Tie, body: number): number => (one === body ? two : one);
  // every body after the one that it hangs on, −1 of the first of a tree
  const above = new Map<number, number>();
  for (let root = 0; root < momenta.length; root++) {
    if (above.has(root)) continue;
    above.set(root, -1);
    for (const reached = [root]; reached.length > 0; ) {
      const body = reached.pop() as number;
      for (const next of near[body].map((tie) => otherOf(tie, body))) {
        if (above.has(next)) continue;
        above.set(next, body);
        reached.push(next);
      }
    }
  }
  // from the leaves on: what a body passes on it has to get
  const passed = [...momenta];
  for (const [body, from] of [...above].reverse()) {
    if (from < 0) continue;
    const between = near[body].filter((tie) => otherOf(tie, body) === from);
    const share = vector.scale(passed[body], 1 / between.length);
    for (const tie of between) tie.push(vector.scale(share, tie.bodies[1] === body ? 1 : -1));
    passed[from] = vector.add(passed[from], passed[body]);
  }
}
