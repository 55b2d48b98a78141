/** A block that moves in the x–z plane only and touches the floor with the four corners of its middle section. */
import { box, type MechanismDescription, planarAxis, type Shape, type Vector3 } from "../mechanism/index.ts";
import { type BlockOptions, cornerContact } from "./block.ts";
import { colors } from "./colors.ts";
import { header } from "./options.ts";

/** Coordinates of the base are z, x and the angle about y. */
export function planarBlock(options: BlockOptions = {}): MechanismDescription {
  const { edge = 0.5, mass = 1, floor = true, actuated = false } = options;
  const corners = [-1, 1].flatMap((x) => [-1, 1].map((z): Vector3 => [(x * edge) / 2, 0, (z * edge) / 2]));
  const slab: Shape = { kind: "box", size: [edge, edge / 5, edge], color: colors.orange };
  return {
    ...header("planarBlock", options),
    // drawn as the slab that its contacts in one plane make of it
    bodies: { block: { ...box({ size: [edge, edge, edge], mass }), shapes: [slab] } },
    joints: { base: planarAxis({ parent: "world", child: "block", axis: [0, 1, 0], actuated }) },
    contacts: floor ? corners.map((point, i) => cornerContact(options, point, `corner${i}`)) : [],
    states: {
      raised: { base: { position: [2 * edge, 0, 0.3] } },
      rest: { base: { position: [edge / 2, 0, 0] } },
    },
  };
}
