/**
 * Two fingers that hold something up. To hold the weight m g two contacts with friction c_f need a squeeze of m g/(2 c_f); the state
 * `holding` squeezes twice as much. The hand itself is on a vertical rail with a servo.
 */
import {
  type BodyDescription,
  box,
  customBody,
  cylinder,
  floating,
  type MechanismDescription,
  prismatic,
  type Vector3,
} from "../../mechanism/index.ts";
import { colors } from "../colors.ts";
import { header, type ModelOptions } from "../options.ts";
import { ground, touching } from "./parts.ts";

export interface GripperOptions extends ModelOptions {
  /** What is held: a box, a can (a standing cylinder) or a crystal (a convex hull). Default "box". */
  readonly object?: "box" | "can" | "crystal";
  /** Mass of the object. Default 0.5 kg. */
  readonly mass?: number;
  /** Width of the object between the fingers. Default 0.06 m. */
  readonly width?: number;
  /** Default 0.8. */
  readonly frictionCoefficient?: number;
}

const fingerSize = [0.02, 0.05, 0.1] as const;
const palmMass = 1;
const fingerMass = 0.2;

export function gripper(options: GripperOptions = {}): MechanismDescription {
  const { object = "box", mass = 0.5, width = 0.06, frictionCoefficient = 0.8 } = options;
  const { gravity = [0, 0, -9.81] } = options;
  const surface = { frictionCoefficient };
  const finger = touching(box({ size: fingerSize, mass: fingerMass, color: colors.blue }), surface);
  const out = (width + fingerSize[0]) / 2;
  const height = 0.3;
  const lift = height + fingerSize[2] / 2 + 0.02;
  const squeeze = (mass * -gravity[2]) / frictionCoefficient;
  return {
    ...header("gripper", options),
    bodies: {
      palm: box({ size: [0.2, 0.06, 0.04], mass: palmMass, color: colors.orange }),
      left: finger,
      right: finger,
      object: touching(objectOf(object, width, mass), surface),
    },
    joints: {
      lift: prismatic({
        parent: "world",
        child: "palm",
        axis: [0, 0, 1],
        servo: { stiffness: 5000, damping: 200 },
      }),
      leftFinger: fingerJoint("left", -out),
      rightFinger: fingerJoint("right", out),
      object: floating({ parent: "world", child: "object" }),
    },
    shapes: [ground(surface)],
    collisions: { exclude: [["left", "right"]] },
    states: {
      holding: { lift: { position: [lift] }, object: { position: [0, 0, height, 0, 0, 0] } },
      // the object stands on the floor below the open hand
      rest: {
        lift: { position: [lift] },
        leftFinger: { position: [-0.02] },
        rightFinger: { position: [0.02] },
        object: { position: [0, 0, heightOf(object, width) / 2, 0, 0, 0] },
      },
    },
    stateInputs: {
      holding: { "lift.slide": lift, "leftFinger.slide": squeeze, "rightFinger.slide": -squeeze },
      rest: { "lift.slide": lift },
    },
  };

  /** A finger slides along x below the palm; its coordinate is zero where it touches the object. */
  function fingerJoint(child: string, x: number) {
    const parentAnchor: Vector3 = [x, 0, -fingerSize[2] / 2 - 0.02];
    return prismatic({ parent: "palm", child, axis: [1, 0, 0], parentAnchor, actuated: true });
  }
}

/** Height from the lowest to the highest point. */
function heightOf(kind: "box" | "can" | "crystal", width: number): number {
  return kind === "crystal" ? 2 * width : 1.5 * width;
}

function objectOf(kind: "box" | "can" | "crystal", width: number, mass: number): BodyDescription {
  const color = colors.green;
  if (kind === "box") return box({ size: [width, width, 1.5 * width], mass, color });
  if (kind === "can") return cylinder({ radius: width / 2, length: 1.5 * width, mass, color });
  // an octagonal prism whose ends are cut to a point: two faces are parallel to the fingers
  const r = width / 2 / Math.cos(Math.PI / 8);
  const ring = (z: number): Vector3[] =>
    Array.from({ length: 8 }, (_, k) => {
      const angle = (Math.PI / 4) * (k + 0.5);
      return [r * Math.cos(angle), r * Math.sin(angle), z];
    });
  const points = [...ring(-width / 2), ...ring(width / 2), [0, 0, -width], [0, 0, width]] as const;
  // as the cylinder around it
  const across = mass * (r ** 2 / 4 + (1.5 * width) ** 2 / 12);
  return customBody({
    mass,
    inertia: [across, across, (mass * r ** 2) / 2],
    shapes: [{ kind: "hull", points, color }],
  });
}
