/**
 * The lists of stepJacobians.ts in minimal coordinates, with the next poses held (equations/heldNext.ts). There Y' s is all that a
 * coordinate's velocity takes from the solved step, and at held next poses
 *   dθ̇₊/d(θ, θ̇, u) = C − μᵀ D̃' S,      C = dθ̇₊/dθ at held θ₊ = −1/h,      dθ₊/d(θ, θ̇, u) = −(dθ₊/dθ̇₊) μᵀ D̃' S = −h μᵀ D̃' S
 * S takes joint coordinates to poses now and one step earlier. The panels of μ start from −Y', so that the signs go. Rotation vectors
 * have other C and dθ₊/dθ̇₊.
 *   blocks     rows −Y', S of the joints, D̃' of bodies and nodes
 *   data       μᵀ D̃' S as rows of a matrix, from the leaves of the tree to its root; then the rows of both Jacobians but for C
 */
import { worldIndex } from "../../mechanism/index.ts";
import { address, CallList } from "../memory/memory.ts";
import type { PlannedNode } from "../memory/plan.ts";
import { finishRowProgram, mixRowsProgram } from "./finishRows.ts";
import { type Filled, gearPanels, type HeldSizes, inputPanels, jointPanels, pairPanels } from "./heldPanels.ts";
import { type JacobianContext, panelAt, type RowPlace } from "./jacobianPanels.ts";
import { isPair, type MinimalBlocks, minimalBlocks, type PlacedJoint, type TurningPlace } from "./minimalBlocks.ts";
import { callOverPanels, type PanelProgram, panelSize } from "./panelBuilder.ts";

export interface MinimalPlaces {
  /** Both Jacobians but for C, row-major. */
  readonly byState: number;
  readonly byInput: number;
  /** Two numbers that become infinite or NaN with any entry; they start from zero. */
  readonly check: number;
  readonly turning: readonly TurningPlace[];
}

/** Places of what is handed on within a list. */
interface Passing {
  /** Panels of the cotangents of poses now and one step earlier, 6 rows per body each. */
  readonly pose: number;
  readonly before: number;
  /** μᵀ D̃' S, a row for each row of the panels: by joint positions, joint velocities, inputs. */
  readonly out: number;
  readonly width: number;
}

export function minimalJacobians(
  context: JacobianContext,
  rows: readonly RowPlace[],
): { places: MinimalPlaces; clearedEnd: number; lists: Map<string, CallList> } {
  const { mechanism, memory } = context.plan;
  const { coordinateCount, inputSize } = mechanism;
  const { panels } = context;
  const states = panels * panelSize(6 * mechanism.bodies.length);
  const width = 2 * coordinateCount + inputSize;
  const check = memory.reserve(2);
  const clearedEnd = memory.length;
  const [pose, before, out] = [states, states, 2 * panels * width].map((size) => memory.reserve(size));
  const vectorOf = new Map(rows.map(({ index }, vector) => [index, vector]));
  const blocks = minimalBlocks(context, vectorOf);
  const places: MinimalPlaces = {
    byState: memory.reserve((2 * coordinateCount) ** 2),
    byInput: memory.reserve(2 * coordinateCount * inputSize),
    check,
    turning: blocks.turning,
  };
  const data = new DataList(context, blocks, { pose, before, out, width });
  data.addRows();
  data.finishRows(places, vectorOf);
  return {
    places,
    clearedEnd,
    lists: new Map([
      ["blocks", blocks.list],
      ["data", data.list],
    ]),
  };
}

class DataList {
  readonly list = new CallList();
  private readonly context: JacobianContext;
  private readonly blocks: MinimalBlocks;
  private readonly passing: Passing;
  private readonly sizes: HeldSizes;
  /** Bodies whose cotangents of pose, now and earlier, have been written to. */
  private readonly filled = { pose: new Set<number>(), before: new Set<number>() };

  constructor(context: JacobianContext, blocks: MinimalBlocks, passing: Passing) {
    const { mechanism, unknowns } = context.plan;
    this.context = context;
    this.blocks = blocks;
    this.passing = passing;
    this.sizes = { unknowns, bodies: mechanism.bodies.length, width: passing.width };
  }

  addRows(): void {
    this.addForces();
    for (const joint of this.blocks.joints) {
      this.addJoint(joint);
      this.fill(joint.near);
    }
  }

  private addForces(): void {
    for (const { node, kernel, answers } of this.blocks.forces) {
      const { name, inputs } = node.spec.species;
      if (isPair(node)) {
        const has = node.bodies.map((body) => this.filledOf(body).pose);
        const at = [this.context.step, this.passing.pose].flatMap((place) =>
          node.bodies.map((body) => panelAt(place, 6 * body)),
        );
        this.call(pairPanels(name, kernel, has, this.sizes), [address(answers), ...at]);
        for (const body of node.bodies) this.filled.pose.add(body);
      }
      if (inputs === 0) continue;
      const at = [
        address(answers),
        panelAt(this.context.step, 6 * node.bodies[1]),
        ...this.rowsAt(this.inputColumn(node)),
      ];
      this.call(inputPanels(name, kernel, inputs, this.sizes), at);
    }
  }

  private addJoint({ node, kernel: joint, answers, reversed, near, far, terms }: PlacedJoint): void {
    const parentMoves = node.bodies[0] !== worldIndex;
    const body = this.blocks.bodies[far];
    const has = { farHas: this.filledOf(far), nearHas: this.filledOf(near) };
    const kernels = { far: body.kernel, joint, parentMoves, reversed, ...has };
    const nearOrAny = Math.max(0, near);
    const at = [
      ...[body.answers, answers].map(address),
      ...this.weightsAt(node),
      ...[far, nearOrAny].flatMap((index) => this.cotangentsAt(index)),
      ...this.columnsOf(node).flatMap((column) => this.rowsAt(column)),
    ];
    this.call(jointPanels(kernels, this.sizes), at);
    for (const term of terms) {
      const program = gearPanels(term.kernel, joint.coordinates, parentMoves, this.sizes);
      const [positions, velocities] = this.columnsOf(node).map((column) => this.rowsAt(column));
      const [pose] = this.cotangentsAt(nearOrAny);
      this.call(program, [address(term.answers), ...this.weightsAt(term.node), pose, ...positions, ...velocities]);
    }
  }

  /** Makes the rows of the Jacobians out of those of the panels. */
  finishRows({ byState, byInput, check, turning }: MinimalPlaces, vectorOf: ReadonlyMap<number, number>): void {
    const { plan, register } = this.context;
    const { coordinateCount, inputSize } = plan.mechanism;
    const { out, width } = this.passing;
    const sizes = { columns: 2 * coordinateCount, inputs: inputSize };
    const rowAt = (row: number): number[] => [byState + sizes.columns * row, byInput + inputSize * row];
    const from = (coordinate: number): number => out + width * (vectorOf.get(coordinate) as number);
    const mixed = new Set(turning.flatMap(({ coordinates }) => coordinates));
    for (const coordinate of vectorOf.keys()) {
      const follows = !mixed.has(coordinate);
      const rows = [...rowAt(coordinateCount + coordinate), ...rowAt(coordinate)];
      const at = [from(coordinate), plan.places.globals, ...rows, check];
      const key = `finishRow.${sizes.columns}.${sizes.inputs}.${follows}`;
      this.list.call(
        register(key, () => finishRowProgram(key, sizes, follows)),
        at.map(address),
      );
    }
    for (const { coordinates, valueByRate } of turning) {
      const rows = coordinates.map(rowAt);
      const at = [valueByRate, ...coordinates.map(from), ...[0, 1].flatMap((part) => rows.map((parts) => parts[part]))];
      const key = `mixRows.${sizes.columns}.${sizes.inputs}.${coordinates.length}`;
      this.list.call(
        register(key, () => mixRowsProgram(key, sizes, coordinates.length)),
        at.map(address),
      );
    }
  }

  private call(program: PanelProgram, addresses: readonly number[]): void {
    callOverPanels(this.list, this.context.register, program, addresses, this.context.all);
  }

  private filledOf(body: number): Filled {
    return { pose: this.filled.pose.has(body), before: this.filled.before.has(body) };
  }

  private fill(body: number): void {
    this.filled.pose.add(body);
    this.filled.before.add(body);
  }

  /** Panels of μ of a node's two bodies and of its own rows. */
  private weightsAt(node: PlannedNode): number[] {
    return [...node.bodies.map((body) => 6 * Math.max(0, body)), node.multiplier].map((row) =>
      panelAt(this.context.step, row),
    );
  }

  private cotangentsAt(body: number): number[] {
    return [this.passing.pose, this.passing.before].map((place) => panelAt(place, 6 * body));
  }

  /** First columns of a joint's positions, velocities and inputs. */
  private columnsOf(node: PlannedNode): [number, number, number] {
    const { joints, coordinateCount } = this.context.plan.mechanism;
    const { coordinateOffset } = joints[node.index];
    return [coordinateOffset, coordinateCount + coordinateOffset, this.inputColumn(node)];
  }

  private inputColumn(node: PlannedNode): number {
    return 2 * this.context.plan.mechanism.coordinateCount + node.spec.input;
  }

  /** A column in the first two rows. */
  private rowsAt(column: number): [number, number] {
    const { out, width } = this.passing;
    return [address(out + column), address(out + width + column)];
  }
}
