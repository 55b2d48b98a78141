/** An actuator as the file has it: every kind is one record of gains and biases, on which defaults and the element leave their marks. */
import {
  attributeError,
  readChoice,
  readNonNegative,
  readNumber,
  readNumberList,
  readNumbers,
  type XmlElement,
} from "../xml.ts";
import { actuatorTags, type Defaults } from "./defaults.ts";
import type { Ledger } from "./ledger.ts";
import { readAuto, readLinear, widthOf } from "./ranges.ts";

export type Range = readonly [number, number];

export interface Actuator {
  readonly element: XmlElement;
  readonly gear: number[];
  gain: number;
  bias: number[];
  gainType: string;
  biasType: string;
  dynamics: string;
  /** Damping ratio of a position servo whose damping is one. */
  dampingRatio: number | undefined;
  ctrlRange: Range | undefined;
  forceRange: Range | undefined;
  /** Inertia of its rotor, seen from its own side of the gear. */
  armature: number;
  damping: number;
  group: number;
  /** Share of the joint's range that controls have; 0 for their own. */
  inheritRange: number;
}

const readDynamics = readChoice(["none", "integrator", "filter", "filterexact", "muscle", "user", "dcmotor"]);
const readGainType = readChoice(["fixed", "affine", "muscle", "user", "dcmotor"]);
const readBiasType = readChoice(["none", "affine", "muscle", "user", "dcmotor"]);

export function readActuator(element: XmlElement, defaults: Defaults, ledger: Ledger): Actuator {
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
    armature: 0,
    damping: 0,
    group: 0,
    inheritRange: 0,
  };
  for (const one of [...defaults.chain(element, undefined, actuatorTags), element]) applyInto(actuator, one, ledger);
  return actuator;
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
  actuator.armature = readNonNegative(element, "armature") ?? actuator.armature;
  if (element.attributes.has("damping")) actuator.damping = readLinear(element, "damping", ledger);
  actuator.group = readNumber(element, "group") ?? actuator.group;
  switch (element.name) {
    case "motor":
      Object.assign(actuator, { gain: 1, bias: [0, 0, 0], gainType: "fixed", biasType: "none", dynamics: "none" });
      break;
    case "position":
    case "intvelocity": {
      const kp = readNonNegative(element, "kp") ?? actuator.gain;
      const kv = readNonNegative(element, "kv");
      const ratio = readNonNegative(element, "dampratio");
      if (kv && ratio) throw attributeError(element, "dampratio", "goes without kv; leave one out");
      if (kv !== undefined) actuator.dampingRatio = undefined;
      if (ratio !== undefined) actuator.dampingRatio = ratio;
      actuator.gain = kp;
      actuator.bias = [actuator.bias[0], -kp, kv === undefined ? actuator.bias[2] : -kv];
      const delay = readNonNegative(element, "timeconst");
      const dynamics = element.name === "intvelocity" ? "integrator" : delay ? "filterexact" : "none";
      Object.assign(actuator, { gainType: "fixed", biasType: "affine", dynamics });
      break;
    }
    case "velocity": {
      const kv = readNonNegative(element, "kv") ?? actuator.gain;
      Object.assign(actuator, { gain: kv, bias: [0, 0, -kv], dampingRatio: undefined });
      Object.assign(actuator, { gainType: "fixed", biasType: "affine", dynamics: "none" });
      break;
    }
    case "cylinder": {
      const diameter = readNonNegative(element, "diameter");
      const area = readNonNegative(element, "area") ?? actuator.gain;
      actuator.gain = diameter === undefined ? area : (Math.PI / 4) * diameter ** 2;
      actuator.bias = readNumbers(element, "bias", 3) ?? actuator.bias;
      Object.assign(actuator, { gainType: "fixed", biasType: "affine", dynamics: "filter", dampingRatio: undefined });
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
  actuator.inheritRange = readNonNegative(element, "inheritrange") ?? actuator.inheritRange;
}

function readRange(element: XmlElement, name: string, flag: string, ledger: Ledger): Range | undefined {
  const range = readNumbers(element, name, 2);
  const limited = readAuto(element, flag) ?? "auto";
  return range && widthOf(element, name, range, limited, ledger);
}
