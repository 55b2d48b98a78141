/**
 * A tippe top: a ball whose centre of mass lies below its centre, with a stem. It rests stem up; spun fast enough on a floor
 * with friction, it turns over and stands on its stem. Sizes are large (a ball of half a metre), so that long time steps serve.
 */
import { floating, type MechanismDescription } from "../mechanism/index.ts";
import { assemble, type Link, type Robot } from "./builder.ts";
import { colors } from "./colors.ts";
import { type FloorOptions, header, type ModelOptions } from "./options.ts";
import { standingState } from "./placement.ts";

export interface TippeTopOptions extends ModelOptions, FloorOptions {
  /** Radius of the ball. Default 0.5 m. */
  readonly radius?: number;
  /** Default 1 kg. */
  readonly mass?: number;
  /** Depth of the centre of mass below the ball's centre, in radii. Default 0.3. */
  readonly offset?: number;
  /** Spin of the state `spinning`, about the vertical. Default 50 rad/s. */
  readonly spin?: number;
}

export function tippeTop(options: TippeTopOptions = {}): MechanismDescription {
  const { radius: r = 0.5, mass = 1, offset = 0.3, spin = 50, frictionCoefficient = 0.3 } = options;
  // the ball turns over if 1 − offset < I_across / I_along < 1 + offset
  const inertia = 0.4 * mass * r * r;
  const top: Link = {
    mass,
    center: [0, 0, -offset * r],
    inertia: [inertia, inertia, inertia],
    shapes: [
      { kind: "sphere", radius: r, color: colors.red },
      { kind: "capsule", radius: 0.2 * r, length: 0.6 * r, position: [0, 0, 0.9 * r], color: colors.sand },
    ],
    spots: [
      { name: "ball", point: [0, 0, 0], radius: r },
      { name: "stem", point: [0, 0, 1.2 * r], radius: 0.2 * r },
    ],
  };
  const robot: Robot = { links: { top }, joints: { base: floating({ parent: "world", child: "top" }) } };
  const rest = standingState(robot, "base", {});
  const lean = 0.1;
  return {
    ...header("tippeTop", options),
    ...assemble(robot, { ...options, frictionCoefficient }),
    states: {
      // leaning a little, and spun about the vertical rather than about its own axis: about that it would go on rolling
      spinning: {
        base: {
          position: [0, 0, r, lean, 0, 0],
          velocity: [0, 0, 0, 0, spin * Math.sin(lean), spin * Math.cos(lean)],
        },
      },
      rest,
    },
  };
}
