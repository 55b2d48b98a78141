/**
 * The public `compile`: the mechanism's own, and for closed loops the one fault that only kinematics can see, a loop that no
 * configuration closes. A loop that holds at zero coordinates passes at once; the others are closed by projection, from
 * zero and from a few random configurations. Limits and contacts are left aside: they depend on where the mechanism starts.
 * Contacts that joints keep where they touch, whatever the start, are left out of the mechanism (heldContacts.ts).
 */
import { chooseTarget } from "../../codegen/index.ts";
import { maximalFromMinimal, maximalState } from "../../coordinates/index.ts";
import { Random } from "../../math/index.ts";
import {
  compile as compileOpen,
  DescriptionError,
  type Fault,
  type Mechanism,
  type MechanismDescription,
} from "../../mechanism/index.ts";
import { configurationNow } from "./configuration.ts";
import { withoutHeldContacts } from "./heldContacts.ts";
import { type Projection, Projector } from "./projector.ts";
import { jointViolation, largestViolation, sizeOf } from "./violations.ts";

/** A loop closes if this is left: radians, or metres over the mechanism's size. */
const closed = 1e-7;
/** Random configurations tried after zero, and their seed. Loops that do close did so in the first three. */
const mostStarts = 8;
const seed = 1;

/** Description → mechanism; throws one `DescriptionError` that lists every fault. */
export function compile(description: MechanismDescription): Mechanism {
  const mechanism = compileOpen(description);
  const faults = loopFaults(mechanism);
  if (faults.length > 0) throw new DescriptionError(faults);
  return withoutHeldContacts(mechanism);
}

function loopFaults(mechanism: Mechanism): Fault[] {
  const { loopJoints, joints } = mechanism;
  if (loopJoints.length === 0) return [];
  const whole = closedBest(mechanism);
  if (whole.violation <= closed) return [];
  // which one: loops are closed one after another until one does not fit
  for (let count = 1; count < loopJoints.length; count++) {
    const open = new Set(loopJoints.slice(count));
    const part = withJoints(mechanism, (index) => !open.has(index));
    const { configuration, violation } = closedBest(part);
    if (violation > closed) return [loopFault(part, joints[loopJoints[count - 1]].name, configuration)];
  }
  return [loopFault(mechanism, joints[loopJoints[loopJoints.length - 1]].name, whole.configuration)];
}

/** The best of several projections. */
function closedBest(whole: Mechanism): Projection {
  const mechanism = { ...whole, contacts: [], gears: [] };
  const size = sizeOf(mechanism);
  const start = maximalState(mechanism, {}, 1);
  const violation = largestViolation(mechanism, configurationNow(start), false, size);
  if (violation <= closed) return { configuration: start, violation };

  const projector = new Projector(mechanism, chooseTarget());
  const random = new Random(seed);
  let best: Projection = { configuration: start, violation };
  for (let i = 0; i <= mostStarts && best.violation > closed; i++) {
    const guess = i === 0 ? start : maximalFromMinimal(mechanism, randomMinimal(mechanism, random, size), 1);
    const found = projector.ontoJoints(guess, closed / 10);
    if (found.violation < best.violation) best = found;
  }
  return best;
}

/** Joint values anywhere between the limits, and rates of zero. */
function randomMinimal({ joints, coordinateCount }: Mechanism, random: Random, size: number): Float64Array {
  const spread = { translation: size, rotation: Math.PI / 2 };
  const values = joints.flatMap((joint) =>
    joint.coordinates.map(({ motion, lower, upper }) => {
      const far = spread[motion];
      return random.uniform(lower ?? Math.min(-far, upper ?? 0), upper ?? Math.max(far, lower ?? 0));
    }),
  );
  return Float64Array.from([...values, ...new Array<number>(coordinateCount).fill(0)]);
}

/** The mechanism without some of its loop joints; coordinates keep their places. */
function withJoints(mechanism: Mechanism, keep: (index: number) => boolean): Mechanism {
  const joints = mechanism.joints.filter((joint) => keep(joint.index));
  const newIndex = new Map(joints.map((joint, i) => [joint.index, i]));
  let coordinateCount = 0;
  return {
    ...mechanism,
    gears: [],
    joints: joints.map((joint, index) => {
      const coordinateOffset = coordinateCount;
      coordinateCount += joint.coordinates.length;
      return { ...joint, index, coordinateOffset };
    }),
    tree: mechanism.tree.map((edge) => ({ ...edge, joint: newIndex.get(edge.joint) as number })),
    coordinateCount,
  };
}

function loopFault(mechanism: Mechanism, name: string, configuration: Float64Array): Fault {
  const where = configurationNow(configuration);
  const left = mechanism.joints.map((joint) => jointViolation(joint, where));
  const length = Math.max(...left.map((violation) => violation.length));
  const angle = Math.max(...left.map((violation) => violation.angle));
  const show = (value: number): string => String(Number(value.toPrecision(3)));
  return {
    code: "contradictory-loop",
    path: `joints.${name}`,
    message:
      `closes a loop that no configuration was found to fit: at best ${show(length)} m and ${show(angle)} rad are left; ` +
      "check anchors and axes along the loop, or take a kind that leaves more free, such as spherical or cylindrical",
  };
}
