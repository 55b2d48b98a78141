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
  poseSize,
  prepareShape,
  signedDistance,
} from "../geometry/index.ts";
import { type Mechanism, type TouchShape, touchFilter, worldIndex } from "../mechanism/index.ts";
import { composePoses, identityPose, type Pose } from "./pose.ts";

/** Shapes nearer than this, in sizes of the smaller one, touch as drawn. */
const GRAZING = 1e-6;

/** Names of bodies that overlap, each pair once. `poseOf` gives the pose of a body. */
export function overlappingLinks(mechanism: Mechanism, poseOf: (body: string) => Pose | undefined): [string, string][] {
  const { touch, bodies } = mechanism;
  if (!touch) return [];
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
  const found = new Map<string, [string, string]>();
  const placement = new Float64Array(placementSize);
  for (let i = 0; i < broad.count; i++) {
    const [a, b] = [broad.first[i], broad.second[i]];
    placementBetween(placement, poses, poseSize * a, poses, poseSize * b);
    const distance = signedDistance(shapes[a], shapes[b], placement);
    if (distance > GRAZING * Math.min(sizes[a], sizes[b])) continue;
    const [one, two] = [solids[a].body, solids[b].body];
    found.set(`${one} ${two}`, [nameOf(one), nameOf(two)]);
  }
  return [...found.values()];
}

/** Pairs as a warning lists them. */
export function overlapMessage(pairs: readonly (readonly [string, string])[]): string {
  const shown = pairs.slice(0, 8).map(([a, b]) => `${a} and ${b}`);
  const more = pairs.length > 8 ? `, and ${pairs.length - 8} more` : "";
  return `links that overlap as the file draws them do not touch each other: ${shown.join(", ")}${more}`;
}

/** A number for all bodies that joints hold together, the world among them; floating joints hold nothing. */
function robots({ bodies, joints }: Mechanism): (body: number) => number {
  const above = Array.from({ length: bodies.length + 1 }, (_, i) => i);
  const top = (i: number): number => {
    let at = i;
    while (above[at] !== at) at = above[at];
    return at;
  };
  for (const { parent, child, shape } of joints) {
    if (6 - shape.translation - shape.rotation < 6) above[top(child + 1)] = top(parent + 1);
  }
  return (body) => top(body + 1);
}
