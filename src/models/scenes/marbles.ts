/** Marbles that roll in a bowl. */
import { type MechanismDescription, type Shape, type SurfaceDescription, sphere } from "../../mechanism/index.ts";
import { colors } from "../colors.ts";
import { header, type ModelOptions } from "../options.ts";
import { freeBodies, type Piece, placed, touching } from "./parts.ts";

export interface MarblesOptions extends ModelOptions {
  /** Default 12. */
  readonly count?: number;
  /** Default 0.04 m. */
  readonly radius?: number;
  /** Default 0.1 kg. */
  readonly mass?: number;
  /** Default 0.3. */
  readonly frictionCoefficient?: number;
}

export function marbles(options: MarblesOptions = {}): MechanismDescription {
  const { count = 12, radius = 0.04, mass = 0.1, frictionCoefficient = 0.3 } = options;
  const surface = { frictionCoefficient };
  const shades = [colors.red, colors.green, colors.blue, colors.orange];
  const pieces = Array.from({ length: count }, (_, i): Piece => {
    // on a spiral, each higher than the last
    const angle = 2.4 * i;
    const out = 0.12 + 0.01 * i;
    const body = sphere({ radius, mass, color: shades[i % shades.length] });
    return {
      name: `marble${i}`,
      body: touching(body, surface),
      position: [out * Math.cos(angle), out * Math.sin(angle), 0.3 + 1.5 * radius * i],
    };
  });
  return {
    ...header("marbles", options),
    ...freeBodies(pieces),
    shapes: [bowl(surface)],
    states: { dropped: placed(pieces) },
  };
}

/** A paraboloid on a square grid. */
function bowl(surface: SurfaceDescription): Shape {
  const [cells, width] = [24, 1.2];
  const at = (k: number): number => width * (k / cells - 0.5);
  const heights = Array.from({ length: cells + 1 }, (_, j) =>
    Array.from({ length: cells + 1 }, (_, i) => 0.4 * (at(i) ** 2 + at(j) ** 2)),
  );
  return { kind: "heightField", size: [width, width], heights, contact: surface, color: "#8c96a0" };
}
