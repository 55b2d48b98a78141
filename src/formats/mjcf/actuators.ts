/**
 * Actuators → inputs. All kinds are one formula in MuJoCo, with the transmission's length L = g q:
 *   force = gain·ctrl + b₀ + b₁ L + b₂ L̇,      torque on the joint = g·force.
 * It becomes, by its signs,
 *   b₁ = b₂ = 0     a motor            u = g·gain·ctrl + g b₀
 *   b₁ = 0, b₂ < 0  a motor            u as above, and a damper −b₂ g² on the joint
 *   b₁ < 0          a position servo   stiffness −b₁ g², damping −b₂ g², u = (gain·ctrl + b₀)/(−b₁ g)
 * and on a site the wrench (force, torque) = R gear·gain a thruster, u = ctrl.
 */
import { quaternion, vector } from "../../math/index.ts";
import type { ThrusterDescription, Vector3 } from "../../mechanism/index.ts";
import {
  attributeError,
  elementError,
  readChoice,
  readName,
  readNonNegative,
  readNumber,
  readNumberList,
  readNumbers,
  type XmlElement,
} from "../xml.ts";
import { actuatorTags } from "./defaults.ts";
import type { ImportContext } from "./importContext.ts";
import type { AxisForces } from "./jointBuilder.ts";
import type { CoordinateOf } from "./joints.ts";
import type { Ledger } from "./ledger.ts";
import { readAuto, widthOf } from "./ranges.ts";
import type { InputEntry } from "./stateMap.ts";
import { tiedTendon } from "./tendons.ts";

type Range = readonly [number, number];

interface Actuator {
  readonly element: XmlElement;
  readonly gear: number[];
  gain: number;
  bias: number[];
  gainType: string;
  biasType: string;
  dynamics: string;
  /** Of a position servo whose damping is a ratio. */
  dampingRatio: number | undefined;
  ctrlRange: Range | undefined;
  forceRange: Range | undefined;
}

/** What the inputs of the mechanism are, in the order of the file. */
export interface ImportedInput extends InputEntry {
  /** The actuator's name. */
  readonly name: string;
  readonly ctrlRange: Range | null;
}

const readDynamics = readChoice(["none", "integrator", "filter", "filterexact", "muscle", "user", "dcmotor"]);
const readGainType = readChoice(["fixed", "affine", "muscle", "user", "dcmotor"]);
const readBiasType = readChoice(["none", "affine", "muscle", "user", "dcmotor"]);
const kept = ["general", "motor", "position", "velocity"];
const targets = ["joint", "jointinparent", "site", "tendon"];
const actuatorAttributes = [
  ...["gear", "ctrlrange", "ctrllimited", "forcerange", "forcelimited", "kp", "kv", "dampratio", "timeconst"],
  ...["inheritrange", "gaintype", "biastype", "dyntype", "gainprm", "biasprm", "group", ...targets],
];

/** Returns the inputs of joints, by coordinate, and of thrusters. */
export function importActuators(context: ImportContext): {
  readonly ofAxis: ReadonlyMap<AxisForces, ImportedInput>;
  readonly thrusters: Record<string, ThrusterDescription>;
  readonly ofThruster: ReadonlyMap<string, ImportedInput>;
  readonly count: number;
} {
  const { document, ledger, tree, links } = context;
  const ofAxis = new Map<AxisForces, ImportedInput>();
  const ofThruster = new Map<string, ImportedInput>();
  const thrusters: [string, ThrusterDescription][] = [];
  const elements = document.section("actuator");
  elements.forEach((element, ctrl) => {
    if (!actuatorTags.includes(element.name)) {
      ledger.add("unknown", element, "unknown actuator; it has no effect");
      return;
    }
    if (!kept.includes(element.name)) {
      ledger.add("not-expressible", element, "actuators of this kind are not simulated; their control has no effect");
      return;
    }
    ledger.addAttributes(element, actuatorAttributes);
    const actuator = readActuator(element);
    if (document.option.disabled.has("actuation")) {
      ledger.add("ignored", element, "actuation is disabled in <flag>");
      return;
    }
    const name = freeName(readName(element, "name") ?? `actuator${ctrl}`);
    if (actuator.gainType !== "fixed" || !["none", "affine"].includes(actuator.biasType)) {
      ledger.add("not-expressible", element, "only fixed gains and affine biases are simulated; it has no effect");
      return;
    }
    if (actuator.dynamics !== "none") ledger.add("adjusted", element, "acts at once, without its activation dynamics");
    connect(actuator, name, ctrl);
  });
  return { ofAxis, thrusters: Object.fromEntries(thrusters), ofThruster, count: elements.length };

  function freeName(name: string): string {
    let free = name;
    const taken = (one: string): boolean =>
      thrusters.some(([other]) => other === one) || [...ofAxis.values()].some((input) => input.name === one);
    while (taken(free)) free += "_";
    return free;
  }

  function readActuator(element: XmlElement): Actuator {
    const actuator: Actuator = {
      element,
      gear: [1, 0, 0, 0, 0, 0],
      gain: 1,
      bias: [0, 0, 0],
      gainType: "fixed",
      biasType: "none",
      dynamics: "none",
      dampingRatio: undefined,
      ctrlRange: undefined,
      forceRange: undefined,
    };
    for (const one of [...context.defaults.chain(element, undefined, actuatorTags), element])
      applyInto(actuator, one, ledger);
    return actuator;
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
        const tied = tiedTendon(context, element);
        if (!tied) {
          const reason = "a tendon acts on several joints at once; it is simulated where equalities tie them to one";
          ledger.add("not-expressible", element, reason);
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
          onAxis(actuator, name, ctrl, coordinate, actuator.gear[0] * coordinate.sign, 0);
          return;
        }
        const axis = freeAxisOf(actuator, joint.type, coordinate, given[0] === "jointinparent");
        if (!axis || actuator.biasType === "affine") {
          ledger.add("not-expressible", element, `on a ${joint.type} joint only a motor along one axis is simulated`);
          return;
        }
        onAxis(actuator, name, ctrl, axis.coordinate, axis.gear, 0);
      }
    }
  }

  /** The one axis of a free or ball joint that a gear acts along. */
  function freeAxisOf(
    { gear }: Actuator,
    type: "ball" | "free",
    coordinate: CoordinateOf,
    inParent: boolean,
  ): { readonly coordinate: CoordinateOf; readonly gear: number } | undefined {
    const entries = gear.slice(0, type === "ball" ? 3 : 6);
    if (inParent || entries.filter((entry) => entry !== 0).length !== 1) return undefined;
    if (type === "ball") {
      // rates are in the joint's frame, which the body's orientation at zero turns
      const turn = coordinate.builder.frame.orientation ?? quaternion.identity;
      const turned = quaternion.rotate(turn, entries as unknown as Vector3);
      const size = vector.norm(turned);
      const index = turned.findIndex((entry) => Math.abs(Math.abs(entry) - size) < 1e-9 * size);
      if (index < 0 || coordinate.axis !== 0) return undefined;
      return { coordinate: { ...coordinate, axis: index }, gear: turned[index] };
    }
    const index = entries.findIndex((entry) => entry !== 0);
    return { coordinate: { ...coordinate, axis: index }, gear: entries[index] };
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
    if (axis.actuated || axis.servo) {
      const first = ofAxis.get(axis)?.name;
      ledger.add("not-expressible", element, `a coordinate has one actuator here, and "${first}" is it; left out`);
      return;
    }
    if (gear === 0 || gain === 0) {
      ledger.add("ignored", element, "its gear or gain is 0");
      return;
    }
    const [b0, b1, b2] = actuator.biasType === "affine" ? dampedBias(actuator, builder, index, gear) : [0, 0, 0];
    if (b1 > 0 || b2 > 0) {
      ledger.add("not-expressible", element, "a bias that pushes away from rest is not simulated; left out");
      return;
    }
    const constant = b0 + b1 * length;
    const servo = b1 < 0;
    const scale = servo ? gain / (-b1 * gear) : gear * gain;
    const offset = (servo ? constant / (-b1 * gear) : gear * constant) || 0;
    if (servo) axis.servo = { stiffness: -b1 * gear * gear, damping: -b2 * gear * gear || 0 };
    else {
      axis.actuated = true;
      axis.damping += -b2 * gear * gear;
      if (b2 < 0 && forceRange) ledger.add("adjusted", element, "forcerange holds for the input, not for its damping");
    }

    // what all bounds on the torque leave
    const ranges: Range[] = [];
    const joint = [...context.coordinates].find(([, at]) => at.builder === builder && at.axis === index)?.[0];
    const sorted = (ends: readonly number[]): Range => [Math.min(...ends), Math.max(...ends)];
    if (forceRange) ranges.push(sorted(forceRange.map((end) => gear * end)));
    if (joint?.actuatorForce) {
      const [low, high] = joint.actuatorForce;
      ranges.push(sign > 0 ? [low, high] : [-high, -low]);
    }
    if (ctrlRange && !servo) ranges.push(sorted(ctrlRange.map((end) => scale * end + offset)));
    const wide = ranges.filter(([low, high]) => low < high);
    if (wide.length < ranges.length) ledger.add("adjusted", element, "a range without width is taken for no limit");
    if (wide.length > 0) {
      const [low, high] = [Math.max(...wide.map(([end]) => end)), Math.min(...wide.map(([, end]) => end))];
      if (!(low < high)) throw elementError(element, "its ranges of control and force leave no value; widen one");
      axis.effortLimit = (high - low) / 2;
      axis.effortCenter = Math.abs(low + high) > 1e-9 * (high - low) ? (low + high) / 2 : 0;
      if (axis.effortCenter === 0) axis.effortLimit = Math.max(-low, high);
    }
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
    const { element, gear, gain, ctrlRange, forceRange } = actuator;
    const site = tree.siteNames.named(element, "site");
    const { link, pose } = links.place(site.body);
    const fixed = link.name === "world";
    if (fixed || (actuator.biasType === "affine" && actuator.bias.some((entry) => entry !== 0))) {
      ledger.add("not-expressible", element, fixed ? "its site does not move" : "on a site only a motor is simulated");
      return;
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

/** One element's attributes over what the actuator has so far: defaults of any actuator tag share one record. */
function applyInto(actuator: Actuator, element: XmlElement, ledger: Ledger): void {
  (readNumberList(element, "gear") ?? []).slice(0, 6).forEach((entry, i) => {
    actuator.gear[i] = entry;
  });
  actuator.ctrlRange = readRange(element, "ctrlrange", "ctrllimited", ledger) ?? actuator.ctrlRange;
  actuator.forceRange = readRange(element, "forcerange", "forcelimited", ledger) ?? actuator.forceRange;
  if (readAuto(element, "ctrllimited") === "false") actuator.ctrlRange = undefined;
  if (readAuto(element, "forcelimited") === "false") actuator.forceRange = undefined;
  switch (element.name) {
    case "motor":
      Object.assign(actuator, { gain: 1, bias: [0, 0, 0], gainType: "fixed", biasType: "none", dynamics: "none" });
      break;
    case "position": {
      const kp = readNonNegative(element, "kp") ?? actuator.gain;
      const kv = readNonNegative(element, "kv");
      const ratio = readNonNegative(element, "dampratio");
      if (kv && ratio) throw attributeError(element, "dampratio", "goes without kv; leave one out");
      if (kv !== undefined) actuator.dampingRatio = undefined;
      if (ratio !== undefined) actuator.dampingRatio = ratio;
      actuator.gain = kp;
      actuator.bias = [actuator.bias[0], -kp, kv === undefined ? actuator.bias[2] : -kv];
      const delay = readNonNegative(element, "timeconst");
      Object.assign(actuator, { gainType: "fixed", biasType: "affine", dynamics: delay ? "filterexact" : "none" });
      break;
    }
    case "velocity": {
      const kv = readNonNegative(element, "kv") ?? actuator.gain;
      Object.assign(actuator, { gain: kv, bias: [0, 0, -kv], dampingRatio: undefined });
      Object.assign(actuator, { gainType: "fixed", biasType: "affine", dynamics: "none" });
      break;
    }
    case "general": {
      actuator.gain = readNumberList(element, "gainprm")?.[0] ?? actuator.gain;
      (readNumberList(element, "biasprm") ?? []).slice(0, 3).forEach((entry, i) => {
        actuator.bias[i] = entry;
      });
      actuator.gainType = readGainType(element, "gaintype") ?? actuator.gainType;
      actuator.biasType = readBiasType(element, "biastype") ?? actuator.biasType;
      actuator.dynamics = readDynamics(element, "dyntype") ?? actuator.dynamics;
    }
  }
  // a number where MuJoCo wants one
  readNumber(element, "inheritrange");
}

function readRange(element: XmlElement, name: string, flag: string, ledger: Ledger): Range | undefined {
  const range = readNumbers(element, name, 2);
  const limited = readAuto(element, flag) ?? "auto";
  return range && widthOf(element, name, range, limited, ledger);
}
