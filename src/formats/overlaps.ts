/**
 * Links of one robot that overlap where the file puts them. Collision geometry is often drawn with overlaps between links that are not
 * neighbours (a thigh inside the trunk, two hinges apart), which never come apart; contacts are hard, so such pairs are kept from
 * touching, as setup programs of robots do ("in collision by default"). What is not of one robot is left to collide.
 */
import {
  BroadPhase,
  boundingBoxInto,
  boundingBoxSize,
  canTouch,
  placementBetween,
  placementSize,
  prepareShape,
  signedDistance,
} from "../geometry/index.ts";
import { poseSize } from "../math/index.ts";
import {
  compile,
  type Mechanism,
  type MechanismDescription,
  type Shape,
  type TouchShape,
  touchFilter,
  worldIndex,
} from "../mechanism/index.ts";
import { keepApart, touchingShapesOf } from "./keepApart.ts";
import { composePoses, identityPose, type Pose } from "./pose.ts";

/** Shapes nearer than this, in sizes of the smaller one, touch as drawn. */
const GRAZING = 1e-6;

export interface Overlaps {
  /** Names of bodies that overlap, each pair once. */
  readonly links: readonly (readonly [string, string])[];
  /** Shapes of links that overlap something that is fixed in the world, by their numbers. */
  readonly inWorld: readonly (readonly [number, number])[];
}

/** `poseOf` gives the pose of a body. */
function findOverlaps(mechanism: Mechanism, poseOf: (body: string) => Pose | undefined): Overlaps {
  const { touch, bodies } = mechanism;
  if (!touch) return { links: [], inWorld: [] };
  const nameOf = (body: number): string => (body === worldIndex ? "world" : bodies[body].name);
  const robotOf = robots(mechanism);
  const { mayTouch } = touchFilter(touch);
  const solids = touch.shapes.filter(({ form }) => form.kind !== "halfSpace" && form.kind !== "heightField");
  const shapes = solids.map(({ form }) => prepareShape(form));
  const isPair = (a: TouchShape, b: TouchShape): boolean =>
    robotOf(a.body) === robotOf(b.body) && canTouch(a.form.kind, b.form.kind) && mayTouch(a, b);
  const broad = new BroadPhase(shapes.length, { mayTouch: (a, b) => isPair(solids[a], solids[b]) });

  const poses = Float64Array.from(
    solids.flatMap(({ body, position, orientation }) => {
      const outer = body === worldIndex ? identityPose : (poseOf(nameOf(body)) ?? identityPose);
      const pose = composePoses(outer, { position, orientation });
      return [...pose.position, ...pose.orientation];
    }),
  );
  const sizes = shapes.map((shape, i) => {
    const at = boundingBoxSize * i;
    boundingBoxInto(broad.bounds, at, shape, poses, poseSize * i, 0);
    return Math.min(...[0, 1, 2].map((k) => broad.bounds[at + 3 + k] - broad.bounds[at + k]));
  });
  broad.update();
  const links = new Map<string, [string, string]>();
  const inWorld: [number, number][] = [];
  const placement = new Float64Array(placementSize);
  for (let i = 0; i < broad.count; i++) {
    const [a, b] = [broad.first[i], broad.second[i]];
    placementBetween(placement, poses, poseSize * a, poses, poseSize * b);
    const distance = signedDistance(shapes[a], shapes[b], placement);
    if (distance > GRAZING * Math.min(sizes[a], sizes[b])) continue;
    const [one, two] = [solids[a].body, solids[b].body];
    if (one === worldIndex) inWorld.push([solids[a].index, solids[b].index]);
    else links.set(`${one} ${two}`, [nameOf(one), nameOf(two)]);
  }
  return { links: [...links.values()], inWorld };
}

/** Links that overlap exclude each other; shapes that overlap what is fixed in the world, or are named in `apart`, have bits of their own. */
export function withoutOverlaps(
  description: MechanismDescription,
  poseOf: (body: string) => Pose | undefined,
  apart: readonly (readonly [Shape, Shape])[],
): SeparatedShapes {
  const { touch, bodies } = compile(description);
  if (!touch) return { description, message: undefined, left: 0 };
  const numberOf = new Map(touchingShapesOf(description).map((shape, i) => [shape, i]));
  const named = apart.map(([a, b]): [number, number] => [numberOf.get(a) as number, numberOf.get(b) as number]);
  const separated = keepApart(description, touch, named);
  // what is apart already does not overlap
  const mechanism = compile(separated.description);
  const { links, inWorld } = findOverlaps(mechanism, poseOf);
  const complete = mechanism.touch ? keepApart(separated.description, mechanism.touch, inWorld) : separated;
  const { collisions } = complete.description;
  const exclude = [...(collisions?.exclude ?? []), ...links];
  const told = [
    ...links,
    ...inWorld.map(([a, b]): [string, string] => [
      `${touch.shapes[a].name} of the world`,
      bodies[touch.shapes[b].body].name,
    ]),
  ];
  return {
    description: { ...complete.description, ...(exclude.length > 0 && { collisions: { ...collisions, exclude } }) },
    message: told.length > 0 ? overlapMessage(told) : undefined,
    left: separated.left.length,
  };
}

export interface SeparatedShapes {
  readonly description: MechanismDescription;
  /** What overlapped, for a warning. */
  readonly message: string | undefined;
  /** How many pairs of `apart` may touch all the same. */
  readonly left: number;
}

/** Pairs as a warning lists them. */
function overlapMessage(pairs: readonly (readonly [string, string])[]): string {
  const shown = pairs.slice(0, 8).map(([a, b]) => `${a} and ${b}`);
  const more = pairs.length > 8 ? `, and ${pairs.length - 8} more` : "";
  return `links that overlap as the file draws them do not touch each other: ${shown.join(", ")}${more}`;
}

/**
 * A number for all bodies that joints hold together; floating joints hold nothing. The world is one with what is bolted to it, by joints
 * that do not slide: what slides may stand on what is fixed there.
 */
function robots({ bodies, joints }: Mechanism): (body: number) => number {
  const above = Array.from({ length: bodies.length + 1 }, (_, i) => i);
  const top = (i: number): number => {
    let at = i;
    while (above[at] !== at) at = above[at];
    return at;
  };
  for (const { parent, child, shape } of joints) {
    const inWorld = parent === worldIndex || child === worldIndex;
    if (inWorld ? shape.translation === 3 : shape.translation + shape.rotation > 0)
      above[top(child + 1)] = top(parent + 1);
  }
  return (body) => top(body + 1);
}
