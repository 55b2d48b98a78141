/** Boxes on top of each other. */
import { box, type MechanismDescription } from "../../mechanism/index.ts";
import { colors } from "../colors.ts";
import { header, type ModelOptions } from "../options.ts";
import { freeBodies, ground, lifted, type Piece, placed, touching } from "./parts.ts";

export interface StackOptions extends ModelOptions {
  /** How many boxes. Default 10. */
  readonly count?: number;
  /** Edge of a box. Default 0.2 m. */
  readonly edge?: number;
  /** Mass of the lowest box. Default 1 kg. */
  readonly mass?: number;
  /** How many times heavier the topmost box is than the lowest; those between have masses in proportion. Default 1. */
  readonly massRatio?: number;
  /** Default 0.8. */
  readonly frictionCoefficient?: number;
}

export function stack(options: StackOptions = {}): MechanismDescription {
  const { count = 10, edge = 0.2, mass = 1, massRatio = 1, frictionCoefficient = 0.8 } = options;
  const shades = [colors.orange, colors.blue, colors.green, colors.red];
  const pieces = Array.from({ length: count }, (_, i): Piece => {
    const own = mass * massRatio ** (count > 1 ? i / (count - 1) : 0);
    const body = box({ size: [edge, edge, edge], mass: own, color: shades[i % shades.length] });
    return {
      name: `box${i}`,
      body: touching(body, { frictionCoefficient }),
      position: [0, 0, edge * (i + 0.5)],
    };
  });
  return {
    ...header("stack", options),
    ...freeBodies(pieces),
    shapes: [ground({ frictionCoefficient })],
    states: {
      // a tenth of an edge between any two
      dropped: lifted(pieces, 0.1),
      rest: placed(pieces),
    },
  };
}
