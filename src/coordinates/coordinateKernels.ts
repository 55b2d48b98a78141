/**
 * Joint coordinates ⇄ body states by the sections of mapKernels.ts, which are compiled once that pays: no allocation then, and two joints
 * at once.
 */
import type { Target } from "../codegen/index.ts";
import { cached, poseSize, stateOffsets } from "../math/index.ts";
import type { Mechanism, MechanismBody, MechanismJoint } from "../mechanism/index.ts";
import { type AnglesNear, addTurnsInto, type RepeatingCoordinate, repeatingCoordinates } from "./angles.ts";
import { frameNumbers } from "./geometry.ts";
import { Section } from "./mapKernels.ts";
import { frameSize, type InputPlaces, inputPlaces } from "./sectionLayout.ts";

/** A section, and the joints whose frames are in its memory. */
interface Way {
  readonly section: Section;
  placed: readonly MechanismJoint[] | undefined;
}

export class CoordinateKernels {
  private readonly mechanism: Mechanism;
  private readonly target: Target | undefined;
  private readonly places: InputPlaces;
  private readonly repeating: readonly RepeatingCoordinate[];
  private toMinimal: Way | undefined;
  private toMaximal: Way | undefined;

  constructor(mechanism: Mechanism, target?: Target) {
    this.mechanism = mechanism;
    this.target = target;
    this.places = inputPlaces(mechanism);
    this.repeating = repeatingCoordinates(mechanism);
  }

  /** Joint values, then rates, of a state whose velocities are means over an interval h. `x` and `known` may be one array. */
  minimalInto(
    x: Float64Array,
    joints: readonly MechanismJoint[],
    state: Float64Array,
    h: number,
    known?: AnglesNear,
  ): void {
    this.toMinimal ??= this.wayOf("values");
    const section = this.place(this.toMinimal, joints, h);
    section.inputs.set(state, this.places.states);
    section.run();
    const { outputs } = section;
    addTurnsInto(outputs, this.repeating, joints, known);
    for (let i = 0; i < x.length; i++) x[i] = outputs[i];
  }

  /**
   * The state of joint values and rates. Returns a body that would turn more than half a turn per interval, and so has no state; undefined
   * where there is none.
   */
  maximalInto(
    state: Float64Array,
    joints: readonly MechanismJoint[],
    x: Float64Array,
    h: number,
  ): MechanismBody | undefined {
    this.toMaximal ??= this.wayOf("bodies");
    const section = this.place(this.toMaximal, joints, h);
    section.inputs.set(x, this.places.minimal);
    section.run();
    const { outputs } = section;
    for (let i = 0; i < state.length; i++) state[i] = outputs[i];
    for (let body = 0; body < this.mechanism.bodies.length; body++) {
      const earlier = state.length + poseSize * body;
      for (let i = stateOffsets.orientation; i < poseSize; i++)
        if (!Number.isFinite(outputs[earlier + i])) return this.mechanism.bodies[body];
    }
    return undefined;
  }

  private wayOf(name: "values" | "bodies"): Way {
    return { section: new Section(this.mechanism, name, this.target), placed: undefined };
  }

  /** Writes the time step, and the joints' frames where they are others than the last time. */
  private place(way: Way, joints: readonly MechanismJoint[], h: number): Section {
    const { inputs } = way.section;
    inputs[0] = h;
    if (joints === way.placed) return way.section;
    joints.forEach((joint, j) => {
      inputs.set(frameNumbers(joint.frames), this.places.frames + frameSize * j);
    });
    way.placed = joints;
    return way.section;
  }
}

const known = new WeakMap<object, CoordinateKernels>();

/** The kernels of a mechanism and of all copies of it whose frames or masses differ. */
export function coordinateKernels(mechanism: Mechanism): CoordinateKernels {
  return cached(known, mechanism.tree, () => new CoordinateKernels(mechanism));
}
