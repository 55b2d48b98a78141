/** What a run carries of its slots may come from a file: what is none is refused, and the message says where. */
import { describe, expect, test } from "vitest";
import { startState } from "../../coordinates/index.ts";
import { scenes } from "../../models/index.ts";
import { Simulation } from "../simulation.ts";
import { compile } from "../states/compileMechanism.ts";

describe("what is no memory of shapes that touch is refused by its place", () => {
  const mechanism = compile(scenes.stack({ count: 2 }));
  const { final, continuation } = new Simulation(mechanism).rollout(startState(mechanism), { steps: 20 });

  test.each<[what: string, change: (touch: Record<"pools" | "slots", unknown[]>) => void, message: RegExp]>([
    [
      "a pool that is nothing",
      ({ pools }) => pools.splice(1, 1, null),
      /continuation\.touch\.pools\[1\]: give what a run/,
    ],
    ["a pool without slots", ({ pools }) => Object.assign(pools[0] as object, { count: 0 }), /touch\.pools\[0\]: give/],
    [
      "a pool of many",
      ({ pools }) => Object.assign(pools[0] as object, { count: 1e9 }),
      /touch\.slots: has \d+, the pools 1\d+;/,
    ],
    [
      "a side that is no flag",
      ({ pools }) => Object.assign(pools[0] as object, { otherMoves: -1 }),
      /touch\.pools\[0\]: give/,
    ],
    ["a slot that is a text", ({ slots }) => slots.splice(3, 1, "x"), /touch\.slots\[3\]: give/],
    [
      "a slot of a shape that is not there",
      ({ slots }) => Object.assign(slots[0] as object, { shape: 99 }),
      /touch\.slots\[0\]: give/,
    ],
    ["a slot less", ({ slots }) => slots.pop(), /touch\.slots: has \d+, the pools \d+; give/],
    ["no list", (touch) => Object.assign(touch, { slots: {} }), /touch\.slots: is no list; give/],
  ])("%s", (_, change, message) => {
    const handed = JSON.parse(JSON.stringify(continuation));
    change(handed.touch);
    expect(() => new Simulation(mechanism).rollout(final, { steps: 1, continuation: handed })).toThrow(message);
  });
});
