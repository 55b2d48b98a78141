/** The paper's block: a cube of edge 0.5 m and 1 kg whose eight corners touch the floor. */
import {
  box,
  boxCorners,
  type ContactDescription,
  type ContactModel,
  floating,
  frictionContact,
  impactContact,
  linearContact,
  type MechanismDescription,
} from "../mechanism/index.ts";
import { colors } from "./colors.ts";
import { bouncing, type FloorOptions, header, type ModelOptions } from "./options.ts";

export interface BlockOptions extends ModelOptions, FloorOptions {
  /** Default 0.5 m. */
  readonly edge?: number;
  /** Default 1 kg. */
  readonly mass?: number;
  /** Default "cone". */
  readonly model?: ContactModel;
  /** Six inputs, force and torque on the block. Default false. */
  readonly actuated?: boolean;
}

export function block(options: BlockOptions = {}): MechanismDescription {
  const { edge = 0.5, mass = 1, floor = true, actuated = false } = options;
  const body = box({ size: [edge, edge, edge], mass, color: colors.orange });
  return {
    ...header("block", options),
    bodies: { block: body },
    joints: { base: floating({ parent: "world", child: "block", actuated }) },
    contacts: floor ? boxCorners(body).map((point, i) => cornerContact(options, point, `corner${i}`)) : [],
    states: {
      raised: { base: { position: [0, 0, 2 * edge, 0, 0, 0] } },
      rest: { base: { position: [0, 0, edge / 2, 0, 0, 0] } },
    },
  };
}

/** A contact at a corner, with the friction law asked for. */
export function cornerContact(
  options: Pick<BlockOptions, "model" | "frictionCoefficient" | "restitution">,
  point: ContactDescription["point"],
  name: string,
): ContactDescription {
  const { model = "cone", frictionCoefficient = 0.8 } = options;
  const where = { name, body: "block", point, ...bouncing(options) };
  if (model === "impact") return impactContact(where);
  return (model === "linear" ? linearContact : frictionContact)({ ...where, frictionCoefficient });
}
