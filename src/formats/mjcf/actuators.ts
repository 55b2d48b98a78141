/**
 * Actuators → inputs. All kinds are one formula in MuJoCo, with the transmission's length L = g q:
 *   force = gain·ctrl + b₀ + b₁ L + b₂ L̇,      torque on the joint = g·force.
 * It becomes, by its signs,
 *   b₁ = b₂ = 0     a motor            u = g·gain·ctrl + g b₀
 *   b₁ = 0, b₂ < 0  a motor            u as above, and a damper −b₂ g² on the joint
 *   b₁ < 0          a position servo   stiffness −b₁ g², damping −b₂ g², u = (gain·ctrl + b₀)/(−b₁ g)
 * and on a site the wrench (force, torque) = R gear·gain a thruster, u = ctrl.
 *
 * Several on one coordinate add up (drives.ts). On a fixed tendon ℓ = Σ c q the torque on each joint is c g·force. Where equalities
 * tie the joints to one, that one has the actuator; otherwise each has a motor, u = c g (gain·ctrl + b₀), and a spring gear on ℓ has
 * stiffness −b₁ g² and damping −b₂ g².
 */
import { quaternion, vector } from "../../math/index.ts";
import type { GearDescription, ThrusterDescription, Vector3 } from "../../mechanism/index.ts";
import { elementError, readName, readNumbers } from "../xml.ts";
import { withDamping } from "./dampingRatio.ts";
import { actuatorTags } from "./defaults.ts";
import { addDrives, type Drive, type DrivenAxis, type ImportedInput } from "./drives.ts";
import { sortedRange } from "./effortBounds.ts";
import type { ImportContext } from "./importContext.ts";
import type { AxisForces } from "./jointBuilder.ts";
import type { CoordinateOf } from "./joints.ts";
import type { MjBody, MjJoint } from "./model.ts";
import { type Actuator, type Range, readActuator } from "./readActuator.ts";
import { gearTerms, type Tendon, tendonNamed, tiedTendon } from "./tendons.ts";

/** A coordinate and how many times its own a force on it is. */
interface GearedAxis {
  readonly coordinate: CoordinateOf;
  readonly gear: number;
}

const kept = ["general", "motor", "position", "velocity", "intvelocity", "cylinder"];
const targets = ["joint", "jointinparent", "site", "tendon"];
const actuatorAttributes = [
  ...["gear", "ctrlrange", "ctrllimited", "forcerange", "forcelimited", "kp", "kv", "dampratio", "timeconst"],
  ...["area", "diameter", "bias", "armature", "damping"],
  ...["inheritrange", "gaintype", "biastype", "dyntype", "gainprm", "biasprm", "group", ...targets],
];

/** Returns the inputs of joints, by coordinate, and of thrusters, and the springs of servos on tendons. */
export function importActuators(
  context: ImportContext,
  freeGearName: (name: string) => string,
): {
  readonly ofAxis: ReadonlyMap<AxisForces, ImportedInput>;
  readonly thrusters: Record<string, ThrusterDescription>;
  readonly ofThruster: ReadonlyMap<string, ImportedInput>;
  readonly gears: readonly (readonly [string, GearDescription])[];
  readonly count: number;
} {
  const { document, ledger, tree, links } = context;
  const driven = new Map<AxisForces, DrivenAxis & { readonly drives: Drive[] }>();
  const names = new Set<string>();
  const ofThruster = new Map<string, ImportedInput>();
  const thrusters: [string, ThrusterDescription][] = [];
  const gears: [string, GearDescription][] = [];
  const jointsOf = new Map<CoordinateOf["builder"], Map<number, MjJoint>>();
  for (const [joint, { builder, axis }] of context.coordinates) {
    if (joint.type !== "hinge" && joint.type !== "slide") continue;
    const own = jointsOf.get(builder) ?? new Map<number, MjJoint>();
    jointsOf.set(builder, own.set(axis, joint));
  }
  const elements = document.section("actuator");
  const wanted: { readonly actuator: Actuator; readonly name: string; readonly ctrl: number }[] = [];
  elements.forEach((element, ctrl) => {
    if (!actuatorTags.includes(element.name)) {
      ledger.add("unknown", element, "unknown actuator; it has no effect");
      return;
    }
    if (!kept.includes(element.name)) {
      const reason = element.name === "damper" ? dampingControl : "actuators of this kind are not simulated";
      ledger.add("not-expressible", element, `${reason}; their control has no effect`);
      return;
    }
    const actuator = readActuator(element, context.defaults, ledger);
    const integrates = actuator.dynamics === "integrator";
    ledger.addAttributes(element, [...actuatorAttributes, ...(integrates ? ["actrange", "actlimited"] : [])]);
    if (document.option.disabled.has("actuation")) {
      ledger.add("ignored", element, "actuation is disabled in <flag>");
      return;
    }
    if (document.option.disabledGroups.has(actuator.group)) {
      ledger.add("ignored", element, "its group is disabled in <option>");
      return;
    }
    const name = readName(element, "name") ?? `actuator${ctrl}`;
    if (actuator.gainType !== "fixed" || !["none", "affine"].includes(actuator.biasType)) {
      ledger.add("not-expressible", element, "only fixed gains and affine biases are simulated; it has no effect");
      return;
    }
    if (integrates) {
      // its range is one of rates
      actuator.ctrlRange = readNumbers(element, "actrange", 2) as Range | undefined;
      ledger.add("adjusted", element, "its control is what MuJoCo makes of it over time: give the integral");
    } else if (actuator.dynamics !== "none")
      ledger.add("adjusted", element, "acts at once, without its activation dynamics");
    wanted.push({ actuator, name, ctrl });
  });
  for (const { actuator, name, ctrl } of wanted) connect(actuator, freeName(name), ctrl);
  const ofAxis = new Map<AxisForces, ImportedInput>();
  for (const { drives, ...at } of driven.values()) {
    const input = addDrives(at, drives, ledger);
    if (input) ofAxis.set(at.axis, input);
  }
  return { ofAxis, thrusters: Object.fromEntries(thrusters), ofThruster, gears, count: elements.length };

  function freeName(name: string): string {
    let free = name;
    while (names.has(free)) free += "_";
    names.add(free);
    return free;
  }

  function drive({ builder, axis: index, sign }: CoordinateOf, one: Drive): void {
    const axis = builder.axes[index];
    let at = driven.get(axis);
    if (!at) {
      const joint = jointAt(builder, index);
      const bound = joint?.actuatorForce?.map((end) => sign * end);
      at = { axis, joint: joint && { qpos: joint.qpos, sign }, jointForces: bound && sortedRange(bound), drives: [] };
      driven.set(axis, at);
    }
    at.drives.push(one);
  }

  /** The hinge or slide of the file that is this coordinate. */
  function jointAt(builder: CoordinateOf["builder"], index: number): MjJoint | undefined {
    return jointsOf.get(builder)?.get(index);
  }

  function connect(actuator: Actuator, name: string, ctrl: number): void {
    const { element } = actuator;
    const given = targets.filter((target) => element.attributes.has(target));
    const rest = ["slidersite", "cranksite", "body", "refsite"].filter((target) => element.attributes.has(target));
    if (rest.length > 0 || given.length !== 1) {
      const isPair = rest.includes("refsite") || rest.includes("cranksite");
      if (given.length + rest.length !== 1 && !isPair) {
        throw elementError(element, "acts on nothing, or on several things; name one joint, tendon or site");
      }
      ledger.add("not-expressible", element, `acting on ${[...rest, ...given].join(" and ")} is not simulated`);
      return;
    }
    switch (given[0]) {
      case "site":
        onSite(actuator, name, ctrl);
        return;
      case "tendon": {
        const tendon = tendonNamed(context, element, "tendon");
        if (!tendon) return;
        const damped = withDamping(context, actuator, weightsOf(tendon, actuator.gear[0]));
        const tied = tiedTendon(context, tendon);
        if (!tied) {
          onTendon(damped, name, ctrl, tendon);
          return;
        }
        // L = ratio·θ + length at θ = 0
        onAxis(damped, name, ctrl, tied.coordinate, actuator.gear[0] * tied.ratio, actuator.gear[0] * tied.offset);
        return;
      }
      default: {
        const joint = tree.jointNames.named(element, given[0]);
        const coordinate = context.coordinates.get(joint) as CoordinateOf;
        if (joint.type === "hinge" || joint.type === "slide") {
          inheritRange(actuator, joint.range);
          const damped = withDamping(context, actuator, new Map([[joint, actuator.gear[0]]]));
          onAxis(damped, name, ctrl, coordinate, actuator.gear[0] * coordinate.sign, 0);
          return;
        }
        const axes = freeAxesOf(actuator, joint.type, coordinate, given[0] === "jointinparent");
        if (!axes || actuator.biasType === "affine") ledger.add("not-expressible", element, onFreeRotation(joint.type));
        else if (axes.length === 1) onAxis(actuator, name, ctrl, axes[0].coordinate, axes[0].gear, 0);
        else onAxes(actuator, name, ctrl, axes);
      }
    }
  }

  /** A rotor that turns with several coordinates, or with none of them, is no armature. */
  function noteRotor({ element, armature, damping }: Actuator): void {
    if (armature + damping === 0) return;
    ledger.add(
      "not-expressible",
      element,
      "armature and damping of an actuator are simulated on hinges and slides only",
    );
  }

  /** Motors of several axes of one joint, with one control. */
  function onAxes(actuator: Actuator, name: string, ctrl: number, axes: readonly GearedAxis[]): void {
    noteRotor(actuator);
    const { element, gain, ctrlRange, forceRange } = actuator;
    if (gain === 0 || axes.length === 0) {
      ledger.add("ignored", element, "its gear or gain is 0");
      return;
    }
    for (const { coordinate, gear } of axes) {
      const scale = gear * gain;
      drive(coordinate, {
        ...{ element, name, ctrl, scale, constant: 0, stiffness: 0, damping: 0, ctrlRange },
        forces: forceRange && sortedRange(forceRange.map((end) => gear * end)),
        controls: ctrlRange && sortedRange(ctrlRange.map((end) => scale * end)),
      });
    }
  }

  /** Motors of all its joints, with one control, and the spring and damper of a servo between them. */
  function onTendon(actuator: Actuator, name: string, ctrl: number, tendon: Tendon): void {
    noteRotor(actuator);
    const { element, gain, ctrlRange, forceRange } = actuator;
    const terms = gearTerms(context, element, tendon.terms);
    const joints = terms.map((term) => {
      const found = [...context.coordinates].find(
        ([, at]) => at.builder.name === term.joint && at.axis === (term.axis ?? 0),
      );
      if (!found) throw new Error(`no joint of the file is ${term.joint}`);
      const [joint, coordinate] = found;
      return { joint, coordinate, sign: coordinate.sign, ratio: term.ratio };
    });
    const gear = actuator.gear[0];
    if (terms.length === 0 || gear === 0 || gain === 0) {
      ledger.add("ignored", element, "its gear, gain or tendon is 0");
      return;
    }
    const affine = actuator.biasType === "affine";
    const [b0, b1, b2] = affine ? actuator.bias : [0, 0, 0];
    if (b1 > 0 || b2 > 0) {
      ledger.add("not-expressible", element, "a bias that pushes away from rest is not simulated; left out");
      return;
    }
    const stiffness = -b1 * gear * gear || 0;
    const damping = -b2 * gear * gear || 0;
    const passive = stiffness > 0 || damping > 0;
    if (passive) {
      gears.push([freeGearName(name), { terms, ...(stiffness > 0 && { stiffness }), ...(damping > 0 && { damping }) }]);
      if (forceRange) ledger.add("adjusted", element, "forcerange does not bound a servo on a tendon here");
      if (joints.some(({ joint }) => joint.actuatorForce))
        ledger.add("adjusted", element, "actuatorfrcrange of its joints does not bound a servo on a tendon here");
    }
    for (const { coordinate, ratio } of joints) {
      const scale = gear * ratio * gain;
      const constant = gear * ratio * b0 || 0;
      const bounds = !passive && {
        forces: forceRange && sortedRange(forceRange.map((end) => gear * ratio * end)),
        controls: ctrlRange && sortedRange(ctrlRange.map((end) => scale * end + constant)),
      };
      const hold = joints.map((other) => ({
        qpos: other.joint.qpos,
        weight: stiffness * ratio * other.ratio * other.sign,
      }));
      drive(coordinate, {
        ...{ element, name, ctrl, scale, constant, stiffness: 0, damping: 0, ctrlRange },
        ...{ forces: undefined, controls: undefined },
        ...bounds,
        ...(stiffness > 0 && { hold }),
      });
    }
  }

  /** Takes a share of the joint's range for controls, where it is asked to. */
  function inheritRange(actuator: Actuator, range: Range | undefined): void {
    if (actuator.inheritRange === 0 || !range) return;
    const [middle, half] = [(range[0] + range[1]) / 2, ((range[1] - range[0]) / 2) * actuator.inheritRange];
    actuator.ctrlRange ??= [middle - half, middle + half];
  }

  /** The axes of a free or ball joint that a gear acts along; undefined where they turn with its motion. */
  function freeAxesOf(
    { gear }: Actuator,
    type: "ball" | "free",
    coordinate: CoordinateOf,
    inParent: boolean,
  ): readonly GearedAxis[] | undefined {
    // beside one or two slides the joint's frame has their direction
    if (type === "ball" && !(coordinate.axis === 0 || coordinate.axis === 3)) return undefined;
    const [force, torque] = type === "ball" ? [[], gear.slice(0, 3)] : [gear.slice(0, 3), gear.slice(3, 6)];
    if (inParent && torque.some((entry) => entry !== 0)) return undefined;
    // rates are in the joint's frame, which the body's orientation at zero turns
    const turn = coordinate.builder.frame.orientation ?? quaternion.identity;
    const turned = quaternion.rotate(turn, torque as unknown as Vector3);
    const rounding = 1e-9 * vector.norm(turned);
    return [...force, ...turned.map((entry) => (Math.abs(entry) > rounding ? entry : 0))].flatMap((entry, i) =>
      entry === 0 ? [] : [{ coordinate: { ...coordinate, axis: coordinate.axis + i }, gear: entry }],
    );
  }

  function onAxis(
    actuator: Actuator,
    name: string,
    ctrl: number,
    coordinate: CoordinateOf,
    gear: number,
    length: number,
  ): void {
    const { element, gain, ctrlRange, forceRange } = actuator;
    const { builder, axis: index } = coordinate;
    const axis = builder.axes[index];
    axis.armature += actuator.armature * gear * gear;
    axis.damping += actuator.damping * gear * gear;
    if (gear === 0) {
      ledger.add("ignored", element, "its gear is 0");
      return;
    }
    const [b0, b1, b2] = actuator.biasType === "affine" ? actuator.bias : [0, 0, 0];
    if (b1 > 0 || b2 > 0) {
      ledger.add("not-expressible", element, "a bias that pushes away from rest is not simulated; left out");
      return;
    }
    if (gain === 0) ledger.add("ignored", element, "its gain is 0: its control has no effect");
    const servo = b1 < 0;
    const scale = gear * gain;
    const constant = gear * (b0 + b1 * length) || 0;
    const bound = forceRange ? "forcerange" : jointAt(builder, index)?.actuatorForce && "actuatorfrcrange of its joint";
    if (!servo && b2 < 0 && bound) ledger.add("adjusted", element, `${bound} holds for the input, not for its damping`);
    drive(coordinate, {
      ...{ element, name, ctrl, scale, constant, ctrlRange },
      stiffness: -b1 * gear * gear || 0,
      damping: -b2 * gear * gear || 0,
      forces: forceRange && sortedRange(forceRange.map((end) => gear * end)),
      controls: ctrlRange && !servo ? sortedRange(ctrlRange.map((end) => scale * end + constant)) : undefined,
    });
  }

  function onSite(actuator: Actuator, name: string, ctrl: number): void {
    noteRotor(actuator);
    const { element, gear, gain, ctrlRange, forceRange } = actuator;
    const site = tree.siteNames.named(element, "site");
    const { link, pose } = links.place(site.body);
    const fixed = link.name === "world";
    if (fixed || (actuator.biasType === "affine" && actuator.bias.some((entry) => entry !== 0))) {
      ledger.add("not-expressible", element, fixed ? "its site does not move" : "on a site only a motor is simulated");
      return;
    }
    for (let body: MjBody | undefined = site.body; body; body = body.parent) {
      const bounded = body.joints.find(({ actuatorForce }) => actuatorForce);
      if (bounded) ledger.add("adjusted", bounded.element, "actuatorfrcrange does not bound what sites below it do");
    }
    const turn = quaternion.multiply(pose.orientation, site.placement.orientation);
    const part = (at: number): Vector3 =>
      quaternion.rotate(turn, vector.scale(gear.slice(at, at + 3) as unknown as Vector3, gain));
    const [force, torque] = [part(0), part(3)];
    const position = vector.add(pose.position, quaternion.rotate(pose.orientation, site.placement.position));
    let limits = ctrlRange;
    if (forceRange) {
      const ends = forceRange.map((end) => end / gain).sort((a, b) => a - b);
      limits = limits ? [Math.max(limits[0], ends[0]), Math.min(limits[1], ends[1])] : [ends[0], ends[1]];
    }
    if (limits && !(limits[0] < limits[1])) throw elementError(element, "its ctrlrange and forcerange leave no value");
    thrusters.push([
      name,
      {
        body: link.name,
        position,
        ...(vector.norm(force) > 0 && { force }),
        ...((vector.norm(torque) > 0 || vector.norm(force) === 0) && { torque }),
        ...(limits && { limits }),
      },
    ]);
    ofThruster.set(name, { name, ctrl, scale: 1, offset: 0, ctrlRange: ctrlRange ?? null });
  }
}

const dampingControl = "controls are no damping here (setParameter sets that of a joint)";

function weightsOf({ terms }: Tendon, gear: number): Map<MjJoint, number> {
  const weights = new Map<MjJoint, number>();
  for (const { joint, ratio } of terms) weights.set(joint, (weights.get(joint) ?? 0) + gear * ratio);
  return weights;
}

function onFreeRotation(type: "ball" | "free"): string {
  return `on a ${type} joint only a motor is simulated, with axes that turn with the body ("joint", not "jointinparent")`;
}
