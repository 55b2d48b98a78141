/** Floors, slopes and wedges, and contacts with them of random models and friction. */
import {
  type BodyDescription,
  boxCorners,
  type ContactDescription,
  type ContactModel,
  capsuleEnds,
  type HalfSpace,
  type Vector3,
} from "dojo-sim";
import type { Dice, Parts } from "./parts.ts";

const models: readonly ContactModel[] = ["cone", "cone", "linear", "impact"];

/** A floor, a slope, or a wedge of two or three planes; all through the origin and open upwards. */
export function ground(dice: Dice): HalfSpace[] {
  const style = dice.random.integer(5);
  if (style <= 1) return [{ normal: [0, 0, 1], offset: 0 }];
  const count = style - 1;
  const turn = dice.random.uniform(0, 2 * Math.PI);
  const steepness = dice.random.uniform(0.1, count === 1 ? 0.5 : 0.8);
  return Array.from({ length: count }, (_, k) => {
    const angle = turn + (2 * Math.PI * k) / count;
    const s = Math.sin(steepness);
    return { normal: [s * Math.cos(angle), s * Math.sin(angle), Math.cos(steepness)] as const, offset: 0 };
  });
}

/** A contact model and its friction. */
export function randomSurface(dice: Dice): Pick<ContactDescription, "model" | "frictionCoefficient"> {
  const model = dice.pick(models);
  return model === "impact" ? { model } : { model, frictionCoefficient: coefficient(dice) };
}

/** 0 exactly, ordinary, and up to 10. */
export function coefficient(dice: Dice): number {
  const draw = dice.random.uniform();
  if (draw < 0.1) return 0;
  return draw < 0.7 ? dice.random.uniform(0.05, 1.2) : dice.log(0.01, 10);
}

export function addContacts(dice: Dice, parts: Parts, name: string, planes: readonly HalfSpace[]): void {
  const surface = randomSurface(dice);
  for (const { point, radius } of contactSpheres(parts.bodies[name])) {
    for (const halfSpace of planes) parts.contacts.push({ body: name, point, radius, halfSpace, ...surface });
  }
}

function contactSpheres(body: BodyDescription): { point: Vector3; radius: number }[] {
  const shape = body.shapes?.[0];
  if (shape?.kind === "box") return boxCorners(body).map((point) => ({ point, radius: 0 }));
  if (shape?.kind === "capsule") return capsuleEnds(body);
  if (shape?.kind === "sphere") return [{ point: [0, 0, 0], radius: shape.radius }];
  return [];
}
