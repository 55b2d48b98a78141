/**
 * A four-bar linkage that hangs: two sides from pivots in the world, and the coupler between their lower ends, which closes a
 * loop. The coupler is wider than the pivots are apart, so both sides lean outwards, by asin((coupler − base) / 2 side).
 */
import { type BodyDescription, box, type MechanismDescription, revolute } from "../mechanism/index.ts";
import { colors } from "./colors.ts";
import { type DriveOptions, drive, header, type ModelOptions } from "./options.ts";

export interface FourBarOptions extends ModelOptions, DriveOptions {
  /** Distance between the pivots in the world. Default 0.4 m. */
  readonly base?: number;
  /** Default 0.6 m. */
  readonly side?: number;
  /** Default 0.8 m. */
  readonly coupler?: number;
  /** Damping of all hinges. Default 0. */
  readonly damping?: number;
}

/** Bars have 1 kg/m. The motor turns the left side; `swung` is away from rest and closed too. */
export function fourBar(options: FourBarOptions = {}): MechanismDescription {
  const { base = 0.4, side = 0.6, coupler = 0.8, damping = 0 } = options;
  const axis = [0, 1, 0] as const;
  const bar = (length: number, color: string): BodyDescription =>
    box({ size: [0.04, 0.04, length], mass: length, color });
  const level = box({ size: [coupler, 0.04, 0.04], mass: coupler, color: colors.orange });
  const lean = Math.asin((coupler - base) / (2 * side));
  return {
    ...header("fourBar", options),
    bodies: { left: bar(side, colors.blue), coupler: level, right: bar(side, colors.blue) },
    joints: {
      leftPivot: revolute({
        parent: "world",
        child: "left",
        axis,
        parentAnchor: [-base / 2, 0, 0],
        childAnchor: [0, 0, side / 2],
        damping,
        ...drive(options),
      }),
      leftElbow: revolute({
        parent: "left",
        child: "coupler",
        axis,
        parentAnchor: [0, 0, -side / 2],
        childAnchor: [-coupler / 2, 0, 0],
        damping,
      }),
      rightPivot: revolute({
        parent: "world",
        child: "right",
        axis,
        parentAnchor: [base / 2, 0, 0],
        childAnchor: [0, 0, side / 2],
        damping,
      }),
      // this one closes the loop
      rightElbow: revolute({
        parent: "coupler",
        child: "right",
        axis,
        parentAnchor: [coupler / 2, 0, 0],
        childAnchor: [0, 0, -side / 2],
        damping,
      }),
    },
    states: {
      swung: swung(base, side, coupler, lean + 0.5),
      rest: { leftPivot: { position: [lean] }, leftElbow: { position: [-lean] }, rightPivot: { position: [-lean] } },
    },
  };
}

/** The state in which the left side is at an angle: the right elbow is where two circles meet. */
function swung(
  base: number,
  side: number,
  coupler: number,
  angle: number,
): NonNullable<MechanismDescription["states"]>[string] {
  const elbow = [-base / 2 - side * Math.sin(angle), -side * Math.cos(angle)];
  const [dx, dz] = [base / 2 - elbow[0], -elbow[1]];
  const d = Math.sqrt(dx * dx + dz * dz);
  // along the line from the left elbow to the right pivot, and below it
  const along = (coupler * coupler - side * side + d * d) / (2 * d);
  const below = Math.sqrt(coupler * coupler - along * along);
  const far = [elbow[0] + (along * dx + below * dz) / d, elbow[1] + (along * dz - below * dx) / d];
  const tilt = Math.atan2(far[1] - elbow[1], far[0] - elbow[0]);
  const right = Math.atan2(-(far[0] - base / 2), -far[1]);
  return {
    leftPivot: { position: [angle] },
    leftElbow: { position: [-tilt - angle] },
    rightPivot: { position: [right] },
  };
}
