/** Keyframes → named states, and the inputs that go with them: without controls, those that hold the pose. */
import { quaternion } from "../../math/index.ts";
import type { JointStateDescription, Mechanism, MechanismDescription } from "../../mechanism/index.ts";
import { elementError, readName, readNumberList, type XmlElement } from "../xml.ts";
import { idOfAttached } from "./attachedKeys.ts";
import type { ImportedInput } from "./drives.ts";
import type { ImportContext } from "./importContext.ts";
import { readKeyLists } from "./keyLists.ts";
import { inputOf, type MujocoMap, minimalFromMujoco } from "./stateMap.ts";

export interface ImportedStates {
  readonly states: NonNullable<MechanismDescription["states"]>;
  /** Their names, in their order. */
  readonly stateNames: readonly string[];
  /** Inputs of the keyframes that have controls, and of others where holding the pose asks for some. */
  readonly stateInputs: NonNullable<MechanismDescription["stateInputs"]>;
}

/** How the file draws the mechanism, unless a keyframe has the name. */
export const initialState = "initial";

export function importKeyframes(
  context: ImportContext,
  mechanism: Mechanism,
  map: MujocoMap,
  inputs: readonly ImportedInput[],
): ImportedStates {
  const { document, ledger, tree } = context;
  const start = startPositions(context);
  const rest = new Float64Array(tree.velocityCount);
  const joints = byId(tree.joints, ({ element }) => element);
  const actuators = byId([...document.section("actuator").entries()], ([, element]) => element);
  const servos = new Set(
    mechanism.joints.flatMap(({ coordinates }) => coordinates.flatMap(({ servo, input }) => (servo ? [input] : []))),
  );
  const states = new Map<string, Record<string, JointStateDescription>>();
  const stateInputs = new Map<string, Readonly<Record<string, number>>>();
  addState(initialState, start, rest, undefined);
  const named = new Set<string>();
  const lengths = { qpos: tree.positionCount, qvel: tree.velocityCount, ctrl: map.ctrlCount } as const;
  const keys = document.section("keyframe").filter((element) => {
    if (element.name !== "key") ledger.add("unknown", element, "unknown element; it has no effect");
    const name = element.attributes.get("name");
    if (name !== undefined && named.has(name)) throw elementError(element, `a second key "${name}"; rename one`);
    if (name !== undefined) named.add(name);
    return element.name === "key";
  });
  keys.forEach((element, i) => {
    ledger.addAttributes(element, ["qpos", "qvel", "ctrl"]);
    const lists = readKeyLists(element, lengths, ledger);
    if (!lists) return;
    const qpos = Float64Array.from(lists.qpos ?? start);
    const qvel = Float64Array.from(lists.qvel ?? rest);
    let { ctrl } = lists;
    // of an attached model: numbers for what there is of it, and else as it starts, with controls of 0
    for (const part of element.children) {
      const id = part.attributes.get(idOfAttached) ?? "";
      const [joint, actuator] = [joints.get(id), actuators.get(id)];
      if (joint) qpos.set(readNumberList(part, "qpos") ?? [], joint.qpos);
      if (joint) qvel.set(readNumberList(part, "qvel") ?? [], joint.dof);
      if (part.attributes.has("ctrl")) ctrl ??= Array<number>(map.ctrlCount).fill(0);
      if (ctrl && actuator) ctrl[actuator[0]] = readNumberList(part, "ctrl")?.[0] ?? 0;
    }
    // as in MuJoCo, a quaternion of zeros is no turn
    for (const entry of map.entries) {
      if (entry.kind !== "rotation") continue;
      const size = Math.hypot(...qpos.subarray(entry.qpos, entry.qpos + 4));
      if (!(size > 1e-9)) qpos.set(quaternion.identity, entry.qpos);
    }
    let name = readName(element, "name") ?? "__proto__";
    if (name === "__proto__") for (name = `key${i}`; named.has(name); ) name += "_";
    addState(name, qpos, qvel, ctrl);
  });
  return {
    states: Object.fromEntries(states),
    stateNames: [...states.keys()],
    stateInputs: Object.fromEntries(stateInputs),
  };

  function addState(
    name: string,
    qpos: ArrayLike<number>,
    qvel: ArrayLike<number>,
    ctrl: readonly number[] | undefined,
  ): void {
    states.set(name, stateOf(qpos, qvel));
    const own = inputs.flatMap((input, i): [string, number][] => {
      if (ctrl) return [[mechanism.inputNames[i], inputOf(input, clamped(ctrl, input))]];
      const value = heldInput(input, i, qpos);
      return value === undefined ? [] : [[mechanism.inputNames[i], value]];
    });
    if (own.length > 0) stateInputs.set(name, Object.fromEntries(own));
    else stateInputs.delete(name);
  }

  /** The input without controls: what `stateInput` does not find out, a servo on a tendon, or a motor that pulls at control 0. */
  function heldInput({ hold, offset }: ImportedInput, index: number, qpos: ArrayLike<number>): number | undefined {
    if (hold) return hold.reduce((sum, { qpos: at, weight }) => sum + weight * qpos[at], 0);
    return offset === 0 || servos.has(index) ? undefined : offset;
  }

  function stateOf(qpos: ArrayLike<number>, qvel: ArrayLike<number>): Record<string, JointStateDescription> {
    const minimal = minimalFromMujoco(map, { qpos, qvel });
    const entries: [string, JointStateDescription][] = [];
    for (const { name, coordinateOffset: at, coordinates } of mechanism.joints) {
      const part = (from: number): number[] => Array.from(minimal.subarray(from, from + coordinates.length));
      const [position, velocity] = [part(at), part(mechanism.coordinateCount + at)];
      const moves = velocity.some((value) => value !== 0);
      if (!moves && position.every((value) => value === 0)) continue;
      entries.push([name, { position, ...(moves && { velocity }) }]);
    }
    return Object.fromEntries(entries);
  }
}

/** Parts of attached models, each the first of its copies. */
function byId<T>(all: readonly T[], elementOf: (one: T) => XmlElement): ReadonlyMap<string | undefined, T> {
  return new Map([...all].reverse().map((one) => [elementOf(one).attributes.get(idOfAttached), one]));
}

/** Controls of an input beyond their range act as its end. */
function clamped(ctrl: readonly number[], input: ImportedInput): number[] {
  const out = [...ctrl];
  for (const { ctrl: at, ctrlRange } of [input, ...(input.others ?? [])]) {
    if (ctrlRange) out[at] = Math.min(Math.max(out[at], ctrlRange[0]), ctrlRange[1]);
  }
  return out;
}

/** qpos0: refs, and where free bodies are drawn. */
function startPositions({ tree }: Pick<ImportContext, "tree">): Float64Array {
  const qpos = new Float64Array(tree.positionCount);
  for (const joint of tree.joints) {
    if (joint.type === "free") {
      qpos.set([...joint.body.world.position, ...joint.body.world.orientation], joint.qpos);
    } else if (joint.type === "ball") qpos.set(quaternion.identity, joint.qpos);
    else qpos[joint.qpos] = joint.ref;
  }
  return qpos;
}
