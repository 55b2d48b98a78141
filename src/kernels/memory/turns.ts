/**
 * Where the turns lie in memory: of every angle that repeats (equations/jointGeometry.ts), and of every gear with a fixed sum. Steps count
 * them; they belong to what defines a step, like parameters, but nobody sets them by name.
 */
import { coordinates, frameParameters, gearParameterNames, turnsParameter } from "../../equations/index.ts";
import { equalityGears, type Mechanism } from "../../mechanism/index.ts";
import type { NodePlace } from "./plan.ts";

export interface AnglePlace {
  readonly joint: number;
  /** Which coordinate of the joint. */
  readonly coordinate: number;
  /** The number of radians after which its value repeats. */
  readonly period: number;
  /** Memory indices: of its value at z, once that is prepared, and of its turns. */
  readonly value: number;
  readonly turns: number;
}

export interface TurnPlaces {
  readonly angles: readonly AnglePlace[];
  /** Memory indices of the turns of gears with a fixed sum, in their order. */
  readonly gears: readonly number[];
  /** Memory indices of all turns: of angles, then of gears. */
  readonly indices: Int32Array;
}

/** The nodes of a mechanism begin with its joints. */
export function turnPlaces(mechanism: Mechanism, nodes: readonly NodePlace[]): TurnPlaces {
  const angles = mechanism.joints.flatMap(({ index: joint, shape }) => {
    const { observations, parameters } = nodes[joint];
    const repeated = coordinates(shape).flatMap(({ period }, coordinate) =>
      period > 0 ? [{ coordinate, period }] : [],
    );
    return repeated.map(({ coordinate, period }, i): AnglePlace => {
      const places = { value: observations + i, turns: parameters + frameParameters.length + coordinate };
      return { joint, coordinate, period, ...places };
    });
  });
  const ofGear = gearParameterNames.equality.indexOf(turnsParameter);
  const gears = equalityGears(mechanism).map(({ index }) => {
    const { parameters } = nodes.find((node) => node.kind === "gear" && node.index === index) as NodePlace;
    return parameters + ofGear;
  });
  return { angles, gears, indices: Int32Array.from([...angles.map(({ turns }) => turns), ...gears]) };
}

/** Whether a parameter of a node is one of those that steps count. */
export function isTurns(name: string): boolean {
  return name === turnsParameter || name.startsWith(`${turnsParameter}.`);
}
