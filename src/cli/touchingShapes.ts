/** Options that change how shapes touch: friction and restitution of every surface, and none with the world. */
import type { MechanismDescription, Shape, SurfaceDescription } from "../index.ts";

/** `withWorld` false: what is fixed in the world is for show. */
export function changedSurfaces(
  description: MechanismDescription,
  change: SurfaceDescription,
  withWorld: boolean,
): MechanismDescription {
  if (withWorld && Object.keys(change).length === 0) return description;
  const changed = (shape: Shape): Shape => {
    const { contact } = shape;
    if (contact === undefined || contact === false) return shape;
    return { ...shape, contact: { ...(contact === true ? {} : contact), ...change } };
  };
  const bodies = Object.entries(description.bodies).map(
    ([name, body]) => [name, body.shapes ? { ...body, shapes: body.shapes.map(changed) } : body] as const,
  );
  const still = ({ contact: _, ...shape }: Shape): Shape => shape;
  return {
    ...description,
    bodies: Object.fromEntries(bodies),
    ...(description.shapes && { shapes: description.shapes.map(withWorld ? changed : still) }),
  };
}
