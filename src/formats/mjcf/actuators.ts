/**
 * Actuators → inputs. All kinds are one formula in MuJoCo, with the transmission's length L = g q:
 *   force = gain·ctrl + b₀ + b₁ L + b₂ L̇,      torque on the joint = g·force.
 * It becomes, by its signs,
 *   b₁ = b₂ = 0     a motor            u = g·gain·ctrl + g b₀
 *   b₁ = 0, b₂ < 0  a motor            u as above, and a damper −b₂ g² on the joint
 *   b₁ < 0          a position servo   stiffness −b₁ g², damping −b₂ g², u = (gain·ctrl + b₀)/(−b₁ g)
 * and on a site the wrench (force, torque) = R gear·gain a thruster, u = ctrl.
 *
 * On a fixed tendon ℓ = Σ c q the torque on each joint is c g·force. Where equalities tie the joints to one, that one has the
 * actuator; otherwise each has a motor, u = c g (gain·ctrl + b₀), and a spring gear on ℓ has stiffness −b₁ g² and damping −b₂ g².
 */
import { quaternion, vector } from "../../math/index.ts";
import type { GearDescription, ThrusterDescription, Vector3 } from "../../mechanism/index.ts";
import { elementError, readName, readNumbers, type XmlElement } from "../xml.ts";
import { actuatorTags } from "./defaults.ts";
import { boundEffort, sortedRange } from "./effortBounds.ts";
import type { ImportContext } from "./importContext.ts";
import type { AxisForces } from "./jointBuilder.ts";
import type { CoordinateOf } from "./joints.ts";
import type { MjBody } from "./model.ts";
import { type Actuator, type Range, readActuator } from "./readActuator.ts";
import type { InputEntry } from "./stateMap.ts";
import { gearTerms, type Tendon, tendonNamed, tiedTendon } from "./tendons.ts";

/** What the inputs of the mechanism are, in the order of the file. */
export interface ImportedInput extends InputEntry {
  /** The actuator's name. */
  readonly name: string;
  readonly ctrlRange: Range | null;
  /** What a servo on a tendon needs to hold a pose, Σ weight·qpos; it is not told from a motor otherwise. */
  readonly hold?: readonly { readonly qpos: number; readonly weight: number }[];
}

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
  const ofAxis = new Map<AxisForces, ImportedInput>();
  const ofThruster = new Map<string, ImportedInput>();
  const thrusters: [string, ThrusterDescription][] = [];
  const gears: [string, GearDescription][] = [];
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
  // of several on a coordinate, a servo has the input: what it does at rest cannot be left to the joint
  const isServo = ({ actuator: { biasType, bias } }: (typeof wanted)[number]): boolean =>
    biasType === "affine" && bias[1] < 0;
  for (const { actuator, name, ctrl } of [...wanted.filter(isServo), ...wanted.filter((one) => !isServo(one))]) {
    connect(actuator, freeName(name), ctrl);
  }
  return { ofAxis, thrusters: Object.fromEntries(thrusters), ofThruster, gears, count: elements.length };

  function freeName(name: string): string {
    let free = name;
    const taken = (one: string): boolean =>
      thrusters.some(([other]) => other === one) || [...ofAxis.values()].some((input) => input.name === one);
    while (taken(free)) free += "_";
    return free;
  }

  function connect(actuator: Actuator, name: string, ctrl: number): void {
    const { element } = actuator;
    const given = targets.filter((target) => element.attributes.has(target));
    const rest = ["slidersite", "cranksite", "body", "refsite"].filter((target) => element.attributes.has(target));
    if (rest.length > 0 || given.length !== 1) {
      if (given.length + rest.length !== 1 && !rest.includes("refsite")) {
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
        const tied = tiedTendon(context, tendon);
        if (!tied) {
          onTendon(actuator, name, ctrl, tendon);
          return;
        }
        // L = ratio·θ + length at θ = 0
        onAxis(actuator, name, ctrl, tied.coordinate, actuator.gear[0] * tied.ratio, actuator.gear[0] * tied.offset);
        return;
      }
      default: {
        const joint = tree.jointNames.named(element, given[0]);
        const coordinate = context.coordinates.get(joint) as CoordinateOf;
        if (joint.type === "hinge" || joint.type === "slide") {
          inheritRange(actuator, joint.range);
          onAxis(actuator, name, ctrl, coordinate, actuator.gear[0] * coordinate.sign, 0);
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
    const ends = axes.map(({ coordinate: { builder, axis }, gear }) => ({ axis: builder.axes[axis], gear }));
    if (isTaken(element, ends) || gain === 0 || ends.length === 0) {
      if (gain === 0 || ends.length === 0) ledger.add("ignored", element, "its gear or gain is 0");
      return;
    }
    for (const { axis, gear } of ends) {
      const scale = gear * gain;
      axis.actuated = true;
      boundEffort(element, axis, [
        ...(forceRange ? [sortedRange(forceRange.map((end) => gear * end))] : []),
        ...(ctrlRange ? [sortedRange(ctrlRange.map((end) => scale * end))] : []),
      ]);
      ofAxis.set(axis, { name, ctrl, scale, offset: 0, ctrlRange: ctrlRange ?? null });
    }
  }

  /** Whether one of the axes has an input already, with a word on it. */
  function isTaken(element: XmlElement, ends: readonly { readonly axis: AxisForces }[]): boolean {
    const taken = ends.find(({ axis }) => axis.actuated || axis.servo);
    if (!taken) return false;
    const first = ofAxis.get(taken.axis)?.name;
    ledger.add("not-expressible", element, `a coordinate has one actuator here, and "${first}" is it; left out`);
    return true;
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
      const [joint, { builder, axis, sign }] = found;
      return { joint, axis: builder.axes[axis], sign, ratio: term.ratio };
    });
    if (isTaken(element, joints)) return;
    const gear = actuator.gear[0];
    if (terms.length === 0 || gear === 0 || gain === 0) {
      ledger.add("ignored", element, "its gear, gain or tendon is 0");
      return;
    }
    const affine = actuator.biasType === "affine";
    let [b0, b1, b2] = affine ? actuator.bias : [0, 0, 0];
    if (affine && actuator.dampingRatio !== undefined) {
      const compliance = joints.reduce((sum, { joint, ratio }) => sum + ratio ** 2 / context.movedInertia(joint), 0);
      b2 = -actuator.dampingRatio * 2 * Math.sqrt(-b1 / (compliance * gear * gear));
      ledger.add("adjusted", element, "dampratio on a tendon takes each joint's inertia by itself");
    }
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
    for (const { joint, axis, sign, ratio } of joints) {
      const scale = gear * ratio * gain;
      const offset = gear * ratio * b0 || 0;
      axis.actuated = true;
      if (!passive) {
        boundEffort(element, axis, [
          ...(forceRange ? [sortedRange(forceRange.map((end) => gear * ratio * end))] : []),
          ...(joint.actuatorForce ? [sortedRange(joint.actuatorForce.map((end) => sign * end))] : []),
          ...(ctrlRange ? [sortedRange(ctrlRange.map((end) => scale * end + offset))] : []),
        ]);
      }
      const hold = joints.map((other) => ({
        qpos: other.joint.qpos,
        weight: stiffness * ratio * other.ratio * other.sign,
      }));
      ofAxis.set(axis, { name, ctrl, scale, offset, ctrlRange: ctrlRange ?? null, ...(stiffness > 0 && { hold }) });
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
    { builder, axis: index, sign }: CoordinateOf,
    gear: number,
    length: number,
  ): void {
    const { element, gain, ctrlRange, forceRange } = actuator;
    const axis = builder.axes[index];
    axis.armature += actuator.armature * gear * gear;
    axis.damping += actuator.damping * gear * gear;
    if (gear === 0) {
      ledger.add("ignored", element, "its gear is 0");
      return;
    }
    if (axis.actuated || axis.servo || gain === 0) {
      const why =
        gain === 0 ? "its gain is 0" : `a coordinate has one actuator here, and "${ofAxis.get(axis)?.name}" is it`;
      const [b0, b1, b2] = actuator.biasType === "affine" ? actuator.bias : [0, 0, 0];
      const isDamper = b0 === 0 && b1 === 0 && b2 <= 0;
      if (isDamper) axis.damping += -b2 * gear * gear || 0;
      const left = isDamper
        ? b2 < 0
          ? "its damping stays, its control has no effect"
          : "its control has no effect"
        : "left out";
      ledger.add(gain === 0 && isDamper ? "ignored" : "not-expressible", element, `${why}; ${left}`);
      return;
    }
    const [b0, b1, b2] = actuator.biasType === "affine" ? dampedBias(actuator, builder, index, gear) : [0, 0, 0];
    if (b1 > 0 || b2 > 0) {
      ledger.add("not-expressible", element, "a bias that pushes away from rest is not simulated; left out");
      return;
    }
    const joint = [...context.coordinates].find(([, at]) => at.builder === builder && at.axis === index)?.[0];
    const constant = b0 + b1 * length;
    const servo = b1 < 0;
    const scale = servo ? gain / (-b1 * gear) : gear * gain;
    const offset = (servo ? constant / (-b1 * gear) : gear * constant) || 0;
    if (servo) axis.servo = { stiffness: -b1 * gear * gear, damping: -b2 * gear * gear || 0 };
    else {
      axis.actuated = true;
      axis.damping += -b2 * gear * gear;
      const bound = forceRange ? "forcerange" : joint?.actuatorForce && "actuatorfrcrange of its joint";
      if (b2 < 0 && bound) ledger.add("adjusted", element, `${bound} holds for the input, not for its damping`);
    }

    // what all bounds on the torque leave
    const ranges: Range[] = [];
    if (forceRange) ranges.push(sortedRange(forceRange.map((end) => gear * end)));
    if (joint?.actuatorForce) ranges.push(sortedRange(joint.actuatorForce.map((end) => sign * end)));
    if (ctrlRange && !servo) ranges.push(sortedRange(ctrlRange.map((end) => scale * end + offset)));
    boundEffort(element, axis, ranges);
    ofAxis.set(axis, { name, ctrl, scale, offset, ctrlRange: ctrlRange ?? null });
  }

  /** A damping ratio asks for the inertia that the joint moves at the start. */
  function dampedBias({ bias, dampingRatio }: Actuator, builder: CoordinateOf["builder"], index: number, gear: number) {
    if (dampingRatio === undefined) return bias;
    const joint = [...context.coordinates].find(([, at]) => at.builder === builder && at.axis === index)?.[0];
    const inertia = joint ? context.movedInertia(joint) : 0;
    return [bias[0], bias[1], -dampingRatio * 2 * Math.sqrt((-bias[1] * inertia) / (gear * gear))];
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

function onFreeRotation(type: "ball" | "free"): string {
  return `on a ${type} joint only a motor is simulated, with axes that turn with the body ("joint", not "jointinparent")`;
}
