/** Raibert's hopper: a round body, a leg that slides, and a round foot. */
import { floating, frictionContact, type MechanismDescription, prismatic, sphere } from "../mechanism/index.ts";
import { colors } from "./colors.ts";
import {
  bouncing,
  type DriveOptions,
  drive,
  type FloorOptions,
  header,
  type LimitOptions,
  limited,
  type ModelOptions,
} from "./options.ts";

export interface RaibertHopperOptions extends ModelOptions, FloorOptions, DriveOptions, LimitOptions {
  /** Length from the body's centre to the foot's. Default 0.5 m. */
  readonly legLength?: number;
  /** Torques that turn the body, as a stand-in for the hip of the original. Default true. */
  readonly bodyTorques?: boolean;
}

const body = { mass: 4.18, radius: 0.1 };
const foot = { mass: 0.52, radius: 0.05 };

/** The leg's coordinate is 0 at `legLength` and grows as it shortens. */
export function raibertHopper(options: RaibertHopperOptions = {}): MechanismDescription {
  const { legLength = 0.5, floor = true, frictionCoefficient = 0.5, actuated = true, bodyTorques = true } = options;
  const turned = actuated && bodyTorques;
  const contact = (name: "body" | "foot", radius: number) =>
    frictionContact({ name, body: name, point: [0, 0, 0], radius, frictionCoefficient, ...bouncing(options) });
  const standing = foot.radius + legLength;
  return {
    ...header("raibertHopper", options),
    bodies: {
      body: sphere({ ...body, color: colors.orange }),
      foot: {
        ...sphere({ ...foot, color: colors.dark }),
        shapes: [
          { kind: "sphere", radius: foot.radius, color: colors.dark },
          { kind: "cylinder", radius: 0.02, length: legLength, position: [0, 0, legLength / 2], color: colors.steel },
        ],
      },
    },
    joints: {
      base: floating({
        parent: "world",
        child: "body",
        actuated: [false, false, false, turned, turned, turned],
      }),
      leg: prismatic({
        parent: "body",
        child: "foot",
        parentAnchor: [0, 0, -legLength],
        // the two balls never meet
        ...limited(options, [-0.5 * legLength, legLength - body.radius - foot.radius]),
        ...drive(options),
      }),
    },
    contacts: floor ? [contact("foot", foot.radius), contact("body", body.radius)] : [],
    states: {
      raised: { base: { position: [0, 0, standing + 0.5, 0, 0, 0] } },
      rest: { base: { position: [0, 0, standing, 0, 0, 0] } },
    },
  };
}
