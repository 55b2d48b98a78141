/**
 * A house of cards: in each storey pairs of cards lean against each other, and a long card lies on their tops. With the angle θ from the
 * vertical, length l and thickness t of a card, its corners are such that
 *   it touches its partner at x = 0:         centre at x = −(l sin θ + t cos θ)/2
 *   it stands on what is below, at z = 0:    centre at z =  (l cos θ + t sin θ)/2, and it reaches twice as high
 */
import { quaternion, vector } from "../../math/index.ts";
import { box, type MechanismDescription } from "../../mechanism/index.ts";
import { colors } from "../colors.ts";
import { header, type ModelOptions } from "../options.ts";
import { freeBodies, ground, lifted, type Piece, placed, touching } from "./parts.ts";

export interface CardHouseOptions extends ModelOptions {
  /** Default 3. */
  readonly storeys?: number;
  /** Length, width and thickness of a card. Default [0.1, 0.07, 0.002] m. */
  readonly card?: readonly [number, number, number];
  /** Mass of a leaning card; lying ones weigh as much per length. Default 0.002 kg. */
  readonly mass?: number;
  /** Lean from the vertical. Default 0.3 rad. */
  readonly lean?: number;
  /** Default 0.8. */
  readonly frictionCoefficient?: number;
}

export function cardHouse(options: CardHouseOptions = {}): MechanismDescription {
  const { storeys = 3, card = [0.1, 0.07, 0.002], mass = 0.002, lean = 0.3, frictionCoefficient = 0.8 } = options;
  const [length, width, thickness] = card;
  const half = (length * Math.sin(lean) + thickness * Math.cos(lean)) / 2;
  const height = length * Math.cos(lean) + thickness * Math.sin(lean);
  const surface = { frictionCoefficient };
  const pieces: Piece[] = [];
  let floor = 0;
  for (let storey = 0; storey < storeys; storey++) {
    const pairs = storeys - storey;
    // feet of neighbouring pairs meet
    const pitch = 4 * half;
    const leaning = touching(box({ size: [thickness, width, length], mass, color: colors.orange }), surface);
    for (let pair = 0; pair < pairs; pair++) {
      const middle = pitch * (pair - (pairs - 1) / 2);
      for (const side of [-1, 1]) {
        pieces.push({
          name: `card${storey}_${pair}${side < 0 ? "left" : "right"}`,
          body: leaning,
          position: [middle + side * half, 0, floor + height / 2],
          orientation: quaternion.fromAxisAngle(vector.unitY, -side * lean),
        });
      }
    }
    if (pairs === 1) break;
    // reaches beyond the feet of the pairs above
    const span = pitch * (pairs - 1) + 4 * thickness;
    const lying = box({ size: [span, width, thickness], mass: (mass * span) / length, color: colors.blue });
    pieces.push({
      name: `floor${storey + 1}`,
      body: touching(lying, surface),
      position: [0, 0, floor + height + thickness / 2],
    });
    floor += height + thickness;
  }
  return {
    ...header("cardHouse", options),
    ...freeBodies(pieces),
    shapes: [ground(surface)],
    states: { dropped: lifted(pieces, 0.002), rest: placed(pieces) },
  };
}
