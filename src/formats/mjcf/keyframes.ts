/** Keyframes → named states, and the inputs that go with them: without controls, those that hold the pose. */
import { quaternion } from "../../math/index.ts";
import type { JointStateDescription, Mechanism, MechanismDescription } from "../../mechanism/index.ts";
import { attributeError, readName, readNumberList } from "../xml.ts";
import type { ImportContext } from "./importContext.ts";
import { inputsOf, type MujocoMap, minimalFromMujoco } from "./stateMap.ts";

export interface ImportedStates {
  readonly states: NonNullable<MechanismDescription["states"]>;
  /** Inputs of the keyframes that have controls. */
  readonly stateInputs: NonNullable<MechanismDescription["stateInputs"]>;
}

/** How the file draws the mechanism, unless a keyframe has the name. */
const initialState = "initial";

export function importKeyframes(context: ImportContext, mechanism: Mechanism, map: MujocoMap): ImportedStates {
  const { document, ledger, tree } = context;
  const start = startPositions(context);
  const rest = new Float64Array(tree.velocityCount);
  const states = new Map([[initialState, stateOf(start, rest)]]);
  const inputs = new Map<string, Readonly<Record<string, number>>>();
  document.section("keyframe").forEach((element, i) => {
    if (element.name !== "key") {
      ledger.add("unknown", element, "unknown element; it has no effect");
      return;
    }
    ledger.addAttributes(element, ["qpos", "qvel", "ctrl"]);
    const list = (name: string, count: number): number[] | undefined => {
      const numbers = readNumberList(element, name);
      if (!numbers || numbers.length === count) return numbers;
      throw attributeError(element, name, `has ${numbers.length} numbers; this model has ${count}`);
    };
    const qpos = list("qpos", tree.positionCount) ?? start;
    for (const entry of map.entries) {
      if (entry.kind !== "rotation") continue;
      const size = Math.hypot(...[0, 1, 2, 3].map((k) => qpos[entry.qpos + k]));
      if (!(size > 1e-9 && size < 1e9)) throw attributeError(element, "qpos", "has a quaternion without direction");
    }
    let name = readName(element, "name") ?? `key${i}`;
    if (name === "__proto__") name = `key${i}`;
    states.set(name, stateOf(qpos, list("qvel", tree.velocityCount) ?? rest));
    const ctrl = list("ctrl", map.ctrlCount);
    if (ctrl) inputs.set(name, named(inputsOf(map, ctrl)));
  });
  return { states: Object.fromEntries(states), stateInputs: Object.fromEntries(inputs) };

  function named(input: Float64Array): Record<string, number> {
    return Object.fromEntries(mechanism.inputNames.map((name, i) => [name, input[i]]));
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
