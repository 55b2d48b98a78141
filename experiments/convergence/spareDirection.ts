/** The one direction of a step problem that its own solver leaves free. */
import type { Problem } from "./solve.ts";

type Direction = ReturnType<Problem["newDirection"]>;
const directions = new WeakMap<Problem, Direction>();

export function spareDirection(problem: Problem): Direction {
  const direction = directions.get(problem) ?? problem.newDirection();
  directions.set(problem, direction);
  return direction;
}
