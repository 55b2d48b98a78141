/** Boxes in square layers, each a box smaller than the one below: five layers are 55 boxes. */
import { box, type MechanismDescription } from "../../mechanism/index.ts";
import { colors } from "../colors.ts";
import { header, type ModelOptions } from "../options.ts";
import { freeBodies, ground, lifted, type Piece, placed, touching } from "./parts.ts";

export interface PyramidOptions extends ModelOptions {
  /** Default 5. */
  readonly layers?: number;
  /** Edge of a box. Default 0.2 m. */
  readonly edge?: number;
  /** Default 1 kg. */
  readonly mass?: number;
  /** Default 0.8. */
  readonly frictionCoefficient?: number;
}

export function pyramid(options: PyramidOptions = {}): MechanismDescription {
  const { layers = 5, edge = 0.2, mass = 1, frictionCoefficient = 0.8 } = options;
  // neighbours stand a twentieth of an edge apart
  const pitch = 1.05 * edge;
  const shades = [colors.orange, colors.blue, colors.green, colors.red];
  const pieces: Piece[] = [];
  for (let layer = 0; layer < layers; layer++) {
    const side = layers - layer;
    const body = box({ size: [edge, edge, edge], mass, color: shades[layer % shades.length] });
    const at = (k: number): number => pitch * (k - (side - 1) / 2);
    for (let i = 0; i < side; i++) {
      for (let j = 0; j < side; j++) {
        pieces.push({
          name: `box${layer}_${i}_${j}`,
          body: touching(body, { frictionCoefficient }),
          position: [at(i), at(j), edge * (layer + 0.5)],
        });
      }
    }
  }
  return {
    ...header("pyramid", options),
    ...freeBodies(pieces),
    shapes: [ground({ frictionCoefficient })],
    states: { dropped: lifted(pieces, 0.05), rest: placed(pieces) },
  };
}
