/**
 * Scenes: bodies that touch each other, as descriptions. The first of a scene's states is one in which something happens when it is let go.
 *   scenes.stack({ count: 20 })
 */
import { common, withCheckedOptions } from "../optionNames.ts";
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

/** Scene functions by name. */
export const scenes = withCheckedOptions("scenes", makers, {
  stack: `${common} count edge mass massRatio frictionCoefficient`,
  pyramid: `${common} layers edge mass frictionCoefficient`,
  cardHouse: `${common} storeys card mass lean frictionCoefficient`,
  dominoes: `${common} count size gap mass frictionCoefficient`,
  pile: `${common} count radius density width seed frictionCoefficient`,
  gripper: `${common} object mass width frictionCoefficient`,
  cradle: `${common} count radius mass length gap lifted angle restitution`,
  marbles: `${common} count radius mass frictionCoefficient`,
  pegInHole: `${common} peg play mass frictionCoefficient`,
});
