/** A square peg that drops into a square hole with a millimetre of play. */
import { quaternion } from "../../math/index.ts";
import { box, type MechanismDescription } from "../../mechanism/index.ts";
import { colors } from "../colors.ts";
import { header, type ModelOptions } from "../options.ts";
import { freeBodies, ground, type Piece, placed, touching, walls } from "./parts.ts";

export interface PegInHoleOptions extends ModelOptions {
  /** Width and length of the peg. Default [0.04, 0.12] m. */
  readonly peg?: readonly [number, number];
  /** How much wider the hole is. Default 0.001 m. */
  readonly play?: number;
  /** Default 0.3 kg. */
  readonly mass?: number;
  /** Default 0.2. */
  readonly frictionCoefficient?: number;
}

export function pegInHole(options: PegInHoleOptions = {}): MechanismDescription {
  const { peg = [0.04, 0.12], play = 0.001, mass = 0.3, frictionCoefficient = 0.2 } = options;
  const [width, length] = peg;
  const surface = { frictionCoefficient };
  const body = touching(box({ size: [width, width, length], mass, color: colors.orange }), surface);
  const depth = 0.75 * length;
  const hole = width + play;
  // a little off the middle, a little tilted, its lower end above the hole
  const start: Piece = {
    name: "peg",
    body,
    position: [0.2 * play, -0.1 * play, depth + 0.55 * length],
    orientation: quaternion.fromAxisAngle([0.6, 0.8, 0], (0.3 * play) / length),
  };
  const inside: Piece = { name: "peg", body, position: [0, 0, length / 2] };
  return {
    ...header("pegInHole", options),
    ...freeBodies([start]),
    shapes: [ground(surface), ...walls([hole, depth, width], surface, 0.4)],
    states: { above: placed([start]), rest: placed([inside]) },
  };
}
