/**
 * A hand pushes a crate across the floor to a goal one metre ahead: two motors move the hand along x and y, and all that moves the crate is
 * the contact of two finger tips with its rear face, and friction.
 *   reward     1/(1 + 4 ‖d‖²) − 2 y_h² − 0.01 ‖a‖², d of the crate from the goal on the floor, y_h of the hand across the crate
 *   observed   crate from the goal and its heading, hand from the crate in its frame, velocities of both
 *   over       the hand is more than half an edge off the middle of the face: it would slip past
 */
import {
  box,
  boxCorners,
  type ContactDescription,
  capsule,
  floating,
  frictionContact,
  halfSpace,
  type MechanismDescription,
  prismatic,
  sphere,
  type Vector3,
} from "../../mechanism/index.ts";
import type { Quantities } from "../../quantities/index.ts";
import {
  abs,
  add,
  atan2,
  div,
  dot,
  mul,
  rotateInverse,
  type Scalar,
  square,
  sub,
  sum,
  vsub,
} from "../../symbolic/index.ts";
import type { EnvironmentDescription } from "../description.ts";
import { requireOptions, stepsPerAction, type TimestepOptions } from "./options.ts";

const interval = 0.05;
const [edge, radius, halfSpan] = [0.4, 0.05, 0.1];
const goal = [1, 0];

export function boxPushEnvironment(options: TimestepOptions = {}): EnvironmentDescription {
  requireOptions("box-push", options, interval);
  const { timestep = interval } = options;
  return {
    name: "box-push",
    summary: "a hand pushes a crate to a goal a metre ahead, 100 steps of 0.05 s",
    mechanism: handAndCrate(timestep),
    stepsPerAction: stepsPerAction(interval, timestep),
    horizon: 100,
    actionScale: 10,
    actionLimit: 1,
    observation: (q) => {
      const crate = q.body("crate");
      const heading = atan2(crate.axes[0][1], crate.axes[0][0]);
      const turning = crate.angularVelocity[2];
      return [
        ...away(q),
        heading,
        ...inCrate(q),
        ...planar(crate.velocity),
        turning,
        ...planar(q.body("hand").velocity),
      ];
    },
    reward: ({ after, action }) => {
      const nearness = div(1, add(1, mul(4, dot(away(after), away(after)))));
      const costs = add(mul(2, square(inCrate(after)[1])), mul(0.01, sum(action.map(square))));
      return sub(nearness, costs);
    },
    goal: () => [...goal, edge / 2],
    alive: (q) => [sub(edge / 2, abs(inCrate(q)[1]))],
    // above 0.3 the smoothed floor lets the crate turn, and gradients over 100 steps grow to thousands
    relativeKappa: 0.1,
    start: {
      crate: { position: [0, 0, edge / 2, 0, 0, 0] },
      across: { position: [-edge / 2 - radius - 0.02] },
    },
    startNoise: startNoise(),
  };
}

const planar = (vector: readonly Scalar[]): readonly Scalar[] => vector.slice(0, 2);
const away = (q: Quantities): Scalar[] => vsub(planar(q.body("crate").position), goal);
/** The hand's place in the crate's frame. */
const inCrate = (q: Quantities): readonly Scalar[] => {
  const { position, orientation } = q.body("crate");
  return planar(rotateInverse(orientation, vsub(q.body("hand").position, position)));
};

function startNoise(): number[] {
  // crate: place across and heading; hand: place along the face
  const coordinates = [0, 0.1, 0, 0, 0, 0.1, 0, 0.03];
  return [...coordinates, ...coordinates.map(() => 0)];
}

/** A quarter turn about x. */
const alongY = [Math.SQRT1_2, Math.SQRT1_2, 0, 0] as const;

/** The crate's rear face is a half-space that rides on it; the hand slides along x, then y, at half its height. */
function handAndCrate(timestep: number): MechanismDescription {
  const crate = box({ size: [edge, edge, edge], mass: 1, color: "#c9803a" });
  const hand = capsule({ radius, length: 2 * halfSpan, mass: 0.3, color: "#2a6f97", orientation: alongY });
  const floor = boxCorners(crate)
    .filter((point) => point[2] < 0)
    .map(
      (point: Vector3, i): ContactDescription =>
        frictionContact({ name: `corner${i}`, body: "crate", point, frictionCoefficient: 0.4 }),
    );
  const face = halfSpace({ body: "crate", normal: [-1, 0, 0], offset: edge / 2 });
  return {
    name: "boxPush",
    timestep,
    damperCentering: 0,
    bodies: { crate, carriage: sphere({ radius: 0.01, mass: 0.1 }), hand },
    joints: {
      crate: floating({ parent: "world", child: "crate" }),
      across: prismatic({
        parent: "world",
        child: "carriage",
        axis: [1, 0, 0],
        parentAnchor: [0, 0, edge / 2],
        actuated: true,
        damping: 20,
      }),
      along: prismatic({ parent: "carriage", child: "hand", axis: [0, 1, 0], actuated: true, damping: 20 }),
    },
    contacts: [
      ...floor,
      ...[-halfSpan, halfSpan].map((y, i) =>
        frictionContact({
          name: `finger${i}`,
          body: "hand",
          point: [0, y, 0],
          radius,
          frictionCoefficient: 0.5,
          halfSpace: face,
        }),
      ),
    ],
  };
}
