/**
 * Scenes: bodies that touch each other, as descriptions. The first of a scene's states is one in which something happens when it is let go.
 *   scenes.stack({ count: 20 })
 */
import { commonNames, type OptionNamesOf, withCheckedOptions } from "../optionNames.ts";
import { cardHouse } from "./cardHouse.ts";
import { cradle } from "./cradle.ts";
import { dominoes } from "./dominoes.ts";
import { gripper } from "./gripper.ts";
import { marbles } from "./marbles.ts";
import { pegInHole } from "./pegInHole.ts";
import { pile } from "./pile.ts";
import { pyramid } from "./pyramid.ts";
import { stack } from "./stack.ts";
import type { SceneName } from "./summaries.ts";

export type { CardHouseOptions } from "./cardHouse.ts";
export type { CradleOptions } from "./cradle.ts";
export type { DominoesOptions } from "./dominoes.ts";
export type { GripperOptions } from "./gripper.ts";
export type { MarblesOptions } from "./marbles.ts";
export type { PegInHoleOptions } from "./pegInHole.ts";
export type { PileOptions } from "./pile.ts";
export type { PyramidOptions } from "./pyramid.ts";
export type { StackOptions } from "./stack.ts";
export { type SceneName, type SceneSummary, sceneNames, sceneSummaries } from "./summaries.ts";

const makers = {
  stack,
  pyramid,
  cardHouse,
  dominoes,
  pile,
  gripper,
  cradle,
  marbles,
  pegInHole,
} as const satisfies Record<SceneName, unknown>;

const names: OptionNamesOf<typeof makers> = {
  stack: { ...commonNames, count: true, edge: true, mass: true, massRatio: true, frictionCoefficient: true },
  pyramid: { ...commonNames, layers: true, edge: true, mass: true, frictionCoefficient: true },
  cardHouse: { ...commonNames, storeys: true, card: true, mass: true, lean: true, frictionCoefficient: true },
  dominoes: { ...commonNames, count: true, size: true, gap: true, mass: true, frictionCoefficient: true },
  pile: {
    ...commonNames,
    count: true,
    radius: true,
    density: true,
    width: true,
    seed: true,
    frictionCoefficient: true,
  },
  gripper: { ...commonNames, object: true, mass: true, width: true, frictionCoefficient: true },
  cradle: {
    ...commonNames,
    count: true,
    radius: true,
    mass: true,
    length: true,
    gap: true,
    lifted: true,
    angle: true,
    restitution: true,
  },
  marbles: { ...commonNames, count: true, radius: true, mass: true, frictionCoefficient: true },
  pegInHole: { ...commonNames, peg: true, play: true, mass: true, frictionCoefficient: true },
};

/** Scene functions by name. */
export const scenes = withCheckedOptions("scenes", makers, names);
