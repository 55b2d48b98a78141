/**
 * The lists of stepJacobians.ts in minimal coordinates, with the next poses held (equations/heldNext.ts). There Y' s is all that a
 * coordinate's velocity takes from the solved step, and at held next poses
 *   dθ̇₊/d(θ, θ̇, u) = C − μᵀ D̃' S,      C = dθ̇₊/dθ at held θ₊ = −1/h,      dθ₊/d(θ, θ̇, u) = −(dθ₊/dθ̇₊) μᵀ D̃' S = −h μᵀ D̃' S
 * S takes joint coordinates to poses now and one step earlier. The panels of μ start from −Y', so that the signs go. Rotation vectors
 * have other C and dθ₊/dθ̇₊.
 *   blocks   rows −Y', S of the joints, D̃' of bodies and nodes
 *   data     μᵀ D̃' S as rows of a matrix, from the leaves of the tree to its root; then the rows of both Jacobians but for C
 */
import { type Mechanism, worldIndex } from "../mechanism/index.ts";
import { finishRowProgram, mixRowsProgram } from "./finishRows.ts";
import type { HeldBodyKernel } from "./heldKernels.ts";
import { gearPanels, type HeldSizes, inputPanels, jointPanels, pairPanels } from "./heldPanels.ts";
import { type JacobianContext, panelAt, type RowPlace, withPlaces } from "./jacobianPanels.ts";
import { address, CallList } from "./memory.ts";
import { callOverPanels, panelIndex, panelSize } from "./panelBuilder.ts";
import type { PlannedNode } from "./plan.ts";
import { gearTermKernelOf, heldBodyKernelOf, heldForceKernelOf, treeJointKernelOf } from "./sensitivityLibrary.ts";
import { jointSpecies } from "./species.ts";
import { type KernelCall, pairedCalls } from "./system.ts";

export interface MinimalPlaces {
  /** Panels of the cotangents of poses now and one step earlier, 6 rows a body each. */
  readonly pose: number;
  readonly before: number;
  /** μᵀ D̃' S, a row for each row of the panels: by joint positions, joint velocities, inputs. */
  readonly out: number;
  readonly width: number;
  /** Both Jacobians but for C, row-major. */
  readonly byState: number;
  readonly byInput: number;
  /** Two numbers that become infinite or NaN with any entry; they start from zero. */
  readonly check: number;
  readonly turning: readonly TurningPlace[];
}

/** Coordinates of a joint that are entries of a rotation vector. */
export interface TurningPlace {
  readonly coordinates: readonly number[];
  /** dθ̇₊/dθ at held θ₊, and dθ₊/dθ̇₊: square. */
  readonly byValue: number;
  readonly valueByRate: number;
}

/** Of velocities: positions follow. */
export function minimalRows({ joints }: Mechanism): RowPlace[] {
  return joints.flatMap(({ parent, child, coordinates, coordinateOffset }) => {
    const bodies = [parent, child].filter((body) => body !== worldIndex);
    return coordinates.map((_, i) => ({ index: coordinateOffset + i, bodies }));
  });
}

export function minimalJacobians(
  context: JacobianContext,
  rows: readonly RowPlace[],
): { places: MinimalPlaces; clearedEnd: number; lists: Map<string, CallList> } {
  const { plan, panels } = context;
  const { mechanism, memory } = plan;
  const { coordinateCount, inputSize } = mechanism;
  const width = 2 * coordinateCount + inputSize;
  const states = panels * panelSize(6 * mechanism.bodies.length);
  const check = memory.reserve(2);
  const clearedEnd = memory.length;
  const builder = new MinimalLists(context, rows, {
    check,
    pose: memory.reserve(states),
    before: memory.reserve(states),
    out: memory.reserve(2 * panels * width),
    width,
    byState: memory.reserve((2 * coordinateCount) ** 2),
    byInput: memory.reserve(2 * coordinateCount * inputSize),
  });
  return { ...builder.build(), clearedEnd };
}

class MinimalLists {
  private readonly context: JacobianContext;
  private readonly places: Omit<MinimalPlaces, "turning">;
  private readonly sizes: HeldSizes;
  private readonly vectorOf: ReadonlyMap<number, number>;
  /** Of each body: whether forces add to its answers, and where these are. */
  private readonly bodies: readonly { readonly kernel: HeldBodyKernel; readonly answers: number }[];
  /** 7 (of 8) a body: the pose one step ago. */
  private readonly before: number;
  private readonly turning: TurningPlace[] = [];
  private readonly data = new CallList();
  /** Bodies whose cotangents of pose, now and earlier, the list has written to. */
  private readonly filled = { pose: new Set<number>(), before: new Set<number>() };

  constructor(context: JacobianContext, rows: readonly RowPlace[], places: Omit<MinimalPlaces, "turning">) {
    const { memory, mechanism, nodes, unknowns } = context.plan;
    this.context = context;
    this.places = places;
    this.sizes = { unknowns, bodies: mechanism.bodies.length, width: places.width };
    this.vectorOf = new Map(rows.map(({ index }, vector) => [index, vector]));
    const pushed = new Set(nodes.filter((node) => isForce(node) && !isPair(node)).flatMap(({ bodies }) => bodies));
    this.bodies = mechanism.bodies.map((_, i) => {
      const kernel = heldBodyKernelOf(pushed.has(i));
      return { kernel, answers: memory.reserve(kernel.size) };
    });
    this.before = memory.reserve(8 * mechanism.bodies.length);
  }

  build(): { places: MinimalPlaces; lists: Map<string, CallList> } {
    const { plan, register } = this.context;
    const { mechanism, nodes } = plan;
    const blocks = new CallList();
    const append = (calls: readonly KernelCall[]): void => blocks.append(pairedCalls(calls, register, plan.sink));
    append(this.bodyCalls());
    append(nodes.filter(isForce).map((node) => this.forceCall(node)));
    append(
      [...mechanism.tree].reverse().flatMap(({ joint, reversed }) => {
        const terms = nodes.filter(({ kind, spec }) => kind === "gearTerm" && spec.joint === joint);
        return [this.jointCall(joint, reversed), ...terms.map((term) => this.gearCall(term, joint, reversed))];
      }),
    );
    this.finishRows();
    return {
      places: { ...this.places, turning: this.turning },
      lists: new Map([
        ["blocks", blocks],
        ["data", this.data],
      ]),
    };
  }

  private bodyCalls(): KernelCall[] {
    return this.context.plan.bodies.map(({ addresses }, i) => {
      const { kernel, answers } = this.bodies[i];
      return { kernel: kernel.kernel, addresses: withPlaces({ answers, before: this.before + 8 * i }, addresses) };
    });
  }

  private forceCall(node: PlannedNode): KernelCall {
    const { plan, register, all, step } = this.context;
    const { name } = node.spec.kernels;
    const held = heldForceKernelOf(node.spec.kernels);
    const start = plan.memory.reserve(held.size);
    const addresses = withPlaces({ held: start }, node.addresses);
    node.bodies.forEach((body, k) => {
      if (body !== worldIndex) addresses.set(`answers.${k}`, address(this.bodies[body].answers));
    });
    if (isPair(node)) {
      const at = [step, this.places.pose].flatMap((place) => node.bodies.map((body) => panelAt(place, 6 * body)));
      const program = pairPanels(
        name,
        held,
        node.bodies.map((body) => this.fill("pose", body)),
        this.sizes,
      );
      callOverPanels(this.data, register, program, [address(start), ...at], all);
    }
    const { inputs } = node.spec.kernels;
    if (inputs > 0) {
      const at = [address(start), panelAt(step, 6 * node.bodies[1]), ...this.rowsAt(this.inputColumn(node))];
      callOverPanels(this.data, register, inputPanels(name, held, inputs, this.sizes), at, all);
    }
    return { kernel: held.kernel, addresses };
  }

  private jointCall(index: number, reversed: boolean): KernelCall {
    const { plan, register, all } = this.context;
    const { mechanism, unknowns, nodes, memory } = plan;
    const { parent, child, coordinates, coordinateOffset } = mechanism.joints[index];
    const node = nodes[index];
    const joint = treeJointKernelOf(node.spec.kernels, jointSpecies(mechanism.joints[index]), reversed);
    const start = memory.reserve(joint.size);
    const turns = this.reserveTurning(joint.turning.map((i) => coordinateOffset + i));
    const addresses = withPlaces({ held: start, ...turns }, this.jointAddresses(node));
    [parent, child].forEach((body, k) => {
      if (body === worldIndex) return;
      coordinates.forEach((_, r) => {
        const vector = this.vectorOf.get(coordinateOffset + r) as number;
        addresses.set(`step.${k}.${r}`, address(panelIndex(this.context.step, unknowns, 6 * body, vector)));
      });
    });
    const [near, far] = reversed ? [child, parent] : [parent, child];
    const program = jointPanels(
      {
        far: this.bodies[far].kernel,
        joint,
        parentMoves: parent !== worldIndex,
        reversed,
        farHas: { pose: this.filled.pose.has(far), before: this.filled.before.has(far) },
        nearHas: { pose: this.fill("pose", near), before: this.fill("before", near) },
      },
      this.sizes,
    );
    const at = [
      ...[this.bodies[far].answers, start].map(address),
      ...this.weightsAt(node),
      ...[far, Math.max(0, near)].flatMap((body) =>
        [this.places.pose, this.places.before].map((place) => panelAt(place, 6 * body)),
      ),
      ...[coordinateOffset, mechanism.coordinateCount + coordinateOffset, this.inputColumn(node)].flatMap((column) =>
        this.rowsAt(column),
      ),
    ];
    callOverPanels(this.data, register, program, at, all);
    return { kernel: joint.kernel, addresses };
  }

  /** Of a joint or a gear's term: with the poses one step ago. */
  private jointAddresses(node: PlannedNode): Map<string, number> {
    const addresses = new Map(node.addresses);
    node.bodies.forEach((body, k) => {
      if (body !== worldIndex) addresses.set(`before.${k}`, address(this.before + 8 * body));
    });
    return addresses;
  }

  private reserveTurning(coordinates: readonly number[]): { byValue: number; valueByRate: number } {
    const { memory } = this.context.plan;
    const size = coordinates.length ** 2;
    const place = { coordinates, byValue: memory.reserve(size), valueByRate: memory.reserve(size) };
    if (size > 0) this.turning.push(place);
    return { byValue: place.byValue, valueByRate: place.valueByRate };
  }

  private gearCall(node: PlannedNode, joint: number, reversed: boolean): KernelCall {
    const { plan, register, all } = this.context;
    const { coordinateCount, joints } = plan.mechanism;
    const { shape, parent, child, coordinateOffset, coordinates } = joints[joint];
    const held = gearTermKernelOf(node.spec.kernels, shape, reversed);
    const start = plan.memory.reserve(held.size);
    const near = reversed ? child : Math.max(0, parent);
    const program = gearPanels(held, coordinates.length, parent !== worldIndex, this.sizes);
    const at = [
      address(start),
      ...this.weightsAt(node),
      panelAt(this.places.pose, 6 * near),
      ...this.rowsAt(coordinateOffset),
      ...this.rowsAt(coordinateCount + coordinateOffset),
    ];
    callOverPanels(this.data, register, program, at, all);
    return { kernel: held.kernel, addresses: withPlaces({ held: start }, this.jointAddresses(node)) };
  }

  /** Whether the body's cotangents have been written to; from now on they have. */
  private fill(when: "pose" | "before", body: number): boolean {
    const had = this.filled[when].has(body);
    this.filled[when].add(body);
    return had;
  }

  private finishRows(): void {
    const { plan, register } = this.context;
    const { coordinateCount, inputSize } = plan.mechanism;
    const { turning } = this;
    const { out, width, byState, byInput, check } = this.places;
    const sizes = { columns: 2 * coordinateCount, inputs: inputSize };
    const rowAt = (row: number): number[] => [byState + sizes.columns * row, byInput + inputSize * row];
    const from = (coordinate: number): number => out + width * (this.vectorOf.get(coordinate) as number);
    const mixed = new Set(turning.flatMap(({ coordinates }) => coordinates));
    for (const coordinate of this.vectorOf.keys()) {
      const program = finishRowProgram(sizes, !mixed.has(coordinate));
      const rows = [...rowAt(coordinateCount + coordinate), ...rowAt(coordinate)];
      const at = [from(coordinate), plan.places.globals, ...rows, check];
      this.data.call(
        register(program.name, () => program),
        at.map(address),
      );
    }
    for (const { coordinates, valueByRate } of turning) {
      const program = mixRowsProgram(sizes, coordinates.length);
      const rows = coordinates.map(rowAt);
      const at = [valueByRate, ...coordinates.map(from), ...[0, 1].flatMap((part) => rows.map((parts) => parts[part]))];
      this.data.call(
        register(program.name, () => program),
        at.map(address),
      );
    }
  }

  /** Panels of μ of a node's two bodies and of its own rows. */
  private weightsAt(node: PlannedNode): number[] {
    return [...node.bodies.map((body) => 6 * Math.max(0, body)), node.multiplier].map((row) =>
      panelAt(this.context.step, row),
    );
  }

  private inputColumn(node: PlannedNode): number {
    return 2 * this.context.plan.mechanism.coordinateCount + node.spec.input;
  }

  /** A column in the first two rows of the matrix. */
  private rowsAt(column: number): number[] {
    return [0, 1].map((row) => address(this.places.out + row * this.places.width + column));
  }
}

/** Contacts, thrusters and drag. */
const isForce = ({ kind }: PlannedNode): boolean => kind === "contact" || kind === "thruster" || kind === "drag";

const isPair = ({ bodies }: PlannedNode): boolean => bodies.every((body) => body !== worldIndex);
