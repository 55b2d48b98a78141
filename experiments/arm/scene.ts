/**
 * The xArm 6 and the box that stands before it [figure:sim-to-real]. The tool points down and goes forward; the sphere at its tip meets
 * the near face of the box, a half-space that rides on the box. Such a face has no edges: `push.ts` watches that the tip stays on it.
 */
import { frictionContact, halfSpace, type MechanismDescription, models, type Vector3 } from "dojo-sim";

export const boxMass = 0.5;
/** Radius of the sphere at the tip. */
export const tipRadius = 0.015;
/** Between tool and box. */
export const toolFriction = 0.3;
/** Gains of the joints' position control, N·m/rad and N·m·s/rad. */
export const gains = { stiffness: 2000, damping: 100 };

export interface SceneOptions {
  readonly timestep: number;
  /** Edges of the box: along the push, across it, upward. */
  readonly boxSize: Vector3;
}

export function scene({ timestep, boxSize }: SceneOptions): MechanismDescription {
  const options = { timestep, boxSize, boxMass, servo: gains, bodyContacts: false };
  const { contacts = [], ...arm } = models.xarm6WithBox(options);
  const tip = contacts.find(({ name }) => name === "tool");
  if (!tip) throw new Error("the arm has no contact at its tool");
  const face = halfSpace({ body: "box", normal: [-1, 0, 0], offset: boxSize[0] / 2 });
  const { body, point, radius } = tip;
  const push = frictionContact({
    name: "push",
    body,
    point,
    radius,
    frictionCoefficient: toolFriction,
    halfSpace: face,
  });
  return { ...arm, damperCentering: 0, contacts: [...contacts.filter((contact) => contact !== tip), push] };
}
