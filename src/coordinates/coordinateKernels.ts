/**
 * Joint coordinates ⇄ body states by kernels (mapKernels.ts): no allocation, two joints at once. Each way is compiled when it is first
 * gone.
 */
import type { Target } from "../codegen/index.ts";
import type { Mechanism, MechanismJoint } from "../mechanism/index.ts";
import { type AnglesNear, addTurnsInto, type RepeatingCoordinate, repeatingCoordinates } from "./angles.ts";
import { frameNumbers } from "./geometry.ts";
import { frameSize, type InputPlaces, inputPlaces, Section } from "./mapKernels.ts";

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
    const { inputs, outputs } = this.place(this.toMinimal, joints, h);
    inputs.set(state, this.places.states);
    this.toMinimal.section.run();
    addTurnsInto(outputs, this.repeating, joints, known);
    for (let i = 0; i < x.length; i++) x[i] = outputs[i];
  }

  /** The state of joint values and rates. False where a body would turn more than half a turn per interval: it has no state. */
  maximalInto(state: Float64Array, joints: readonly MechanismJoint[], x: Float64Array, h: number): boolean {
    this.toMaximal ??= this.wayOf("bodies");
    const { inputs, outputs } = this.place(this.toMaximal, joints, h);
    inputs.set(x, this.places.minimal);
    this.toMaximal.section.run();
    let sum = 0;
    for (let i = 0; i < state.length; i++) {
      state[i] = outputs[i];
      sum += state[i];
    }
    return Number.isFinite(sum);
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

/** Calls that go by plain numbers before kernels are made: set-up code converts a state or two, and compiling takes milliseconds. */
const callsBefore = 4;
const known = new WeakMap<object, { calls: number; kernels?: CoordinateKernels }>();

/**
 * The kernels of a mechanism and of all copies of it whose frames or masses differ, once they pay: none for the first few calls. Numbers
 * and kernels give the same bits.
 */
export function coordinateKernels(mechanism: Mechanism): CoordinateKernels | undefined {
  const entry = known.get(mechanism.tree) ?? { calls: 0 };
  known.set(mechanism.tree, entry);
  if (entry.calls++ < callsBefore) return undefined;
  entry.kernels ??= new CoordinateKernels(mechanism);
  return entry.kernels;
}
