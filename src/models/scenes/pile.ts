/** Bodies of all shapes, poured into a bin. */
import { quaternion, Random } from "../../math/index.ts";
import {
  type BodyDescription,
  box,
  capsule,
  cylinder,
  ellipsoid,
  type MechanismDescription,
  sphere,
} from "../../mechanism/index.ts";
import { colors } from "../colors.ts";
import { header, type ModelOptions } from "../options.ts";
import { freeBodies, ground, type Piece, placed, touching, walls } from "./parts.ts";

export interface PileOptions extends ModelOptions {
  /** Seconds. Default 0.005. */
  readonly timestep?: number;
  /** Default 40. */
  readonly count?: number;
  /** About half a body's size. Default 0.05 m. */
  readonly radius?: number;
  /** kg/m³. Default 500. */
  readonly density?: number;
  /** Inner width of the bin. Default four bodies side by side. */
  readonly width?: number;
  /** Seed of sizes and orientations. Default 1. */
  readonly seed?: number;
  /** Default 0.5. */
  readonly frictionCoefficient?: number;
}

export function pile(options: PileOptions = {}): MechanismDescription {
  const { count = 40, radius = 0.05, seed = 1, frictionCoefficient = 0.5 } = options;
  const pitch = 3 * radius;
  const { width = 4 * pitch } = options;
  const side = Math.max(1, Math.floor(width / pitch));
  const draw = new Random(seed);
  const surface = { frictionCoefficient };
  const pieces = Array.from({ length: count }, (_, i): Piece => {
    const layer = Math.floor(i / side ** 2);
    const [row, column] = [Math.floor(i / side) % side, i % side];
    const place = (k: number): number => pitch * (k - (side - 1) / 2);
    return {
      name: `body${i}`,
      body: touching(pouredBody(i, radius * draw.uniform(0.7, 1), options), surface),
      position: [place(row), place(column), pitch * (layer + 1)],
      orientation: quaternion.normalize([draw.normal(), draw.normal(), draw.normal(), draw.normal()]),
    };
  });
  return {
    // small bodies that are hit off their middle spin fast
    ...header("pile", { timestep: 0.005, ...options }),
    ...freeBodies(pieces),
    shapes: [ground(surface), ...walls([width, pitch * (Math.ceil(count / side ** 2) + 1), width / 10], surface, 0.25)],
    states: { poured: placed(pieces) },
  };
}

/** Kinds take turns. */
function pouredBody(i: number, r: number, { density = 500 }: PileOptions): BodyDescription {
  const shades = [colors.orange, colors.blue, colors.green, colors.red];
  const color = shades[i % shades.length];
  const solid = (volume: number) => ({ mass: density * volume, color });
  switch (i % 5) {
    case 0:
      return box({ size: [1.6 * r, 1.2 * r, r], ...solid(1.92 * r ** 3) });
    case 1:
      return sphere({ radius: 0.8 * r, ...solid((4 / 3) * Math.PI * (0.8 * r) ** 3) });
    case 2:
      return capsule({ radius: r / 2, length: r, ...solid(Math.PI * r ** 3 * (1 / 4 + 1 / 6)) });
    case 3:
      return cylinder({ radius: 0.6 * r, length: 1.2 * r, ...solid(Math.PI * 0.432 * r ** 3) });
    default:
      return ellipsoid({ radii: [r, 0.8 * r, 0.6 * r], ...solid((4 / 3) * Math.PI * 0.48 * r ** 3) });
  }
}
