/** A row of dominoes, the first of which is pushed. */
import { box, type MechanismDescription } from "../../mechanism/index.ts";
import { colors } from "../colors.ts";
import { header, type ModelOptions } from "../options.ts";
import { freeBodies, ground, type Piece, placed, touching } from "./parts.ts";

export interface DominoesOptions extends ModelOptions {
  /** Default 50. */
  readonly count?: number;
  /** Thickness, width and height. Default [0.012, 0.04, 0.08] m. */
  readonly size?: readonly [number, number, number];
  /** Gap from face to face. Default 0.03 m. */
  readonly gap?: number;
  /** Default 0.04 kg. */
  readonly mass?: number;
  /** Default 0.5. */
  readonly frictionCoefficient?: number;
}

export function dominoes(options: DominoesOptions = {}): MechanismDescription {
  const { count = 50, size = [0.012, 0.04, 0.08], gap = 0.03, mass = 0.04, frictionCoefficient = 0.5 } = options;
  const [thickness, , height] = size;
  const pieces = Array.from({ length: count }, (_, i): Piece => {
    const body = box({ size, mass, color: i === 0 ? colors.red : colors.blue });
    return {
      name: `domino${i}`,
      body: touching(body, { frictionCoefficient }),
      position: [(thickness + gap) * i, 0, height / 2],
    };
  });
  // turning about its lower front edge, well beyond what it takes to fall
  const rate = 1.5 * Math.sqrt(9.81 / height);
  const push = [(rate * height) / 2, 0, (-rate * thickness) / 2, 0, rate, 0];
  return {
    ...header("dominoes", options),
    ...freeBodies(pieces),
    shapes: [ground({ frictionCoefficient })],
    states: { pushed: placed(pieces, (_, i) => (i === 0 ? { velocity: push } : {})), rest: placed(pieces) },
  };
}
