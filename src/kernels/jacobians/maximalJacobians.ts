/** The lists of stepJacobians.ts in maximal coordinates: cotangents of states and inputs, −μᵀ D̃. */
import { type Mechanism, worldIndex } from "../../mechanism/index.ts";
import type { BoundSlots } from "../elimination/boundSlots.ts";
import { by, type Rule } from "../elimination/slotKernels.ts";
import { registerNothing } from "../memory/holes.ts";
import { address, CallList } from "../memory/memory.ts";
import { type KernelCall, pairedCalls } from "../memory/pairedCalls.ts";
import { dataPanels, type PanelSizes, velocityPanels } from "./cotangentPanels.ts";
import { type JacobianContext, panelAt, type RowPlace, withPlaces } from "./jacobianPanels.ts";
import { callOverPanels, panelSize, registerPanels } from "./panelBuilder.ts";
import { dataKernelOf, kernelsOfBodySensitivity } from "./sensitivityLibrary.ts";

export interface MaximalPlaces {
  /** Panels of the cotangents of poses and velocities [6 rows per body each], and of the inputs. */
  readonly pose: number;
  readonly velocity: number;
  readonly input: number;
  /** dφ₊/dδθ and dφ₊/dω₊, 9 (of 10) a body each. */
  readonly errorByAttitude: number;
  readonly errorBySpin: number;
}

export function maximalRows({ bodies }: Mechanism): RowPlace[] {
  return Array.from({ length: 6 * bodies.length }, (_, index) => ({ index, bodies: [Math.floor(index / 6)] }));
}

/** The same for contacts that are bound at run time. */
function addSlots(
  { plan, register, panels, step }: JacobianContext,
  bound: BoundSlots,
  places: MaximalPlaces,
  sizes: PanelSizes,
  blocks: CallList,
  data: CallList,
): void {
  const rule = (how: number, at: number, stride: number): Rule => ({ by: how, base: at, stride: address(stride) });
  const starts = bound.pools.map(({ kernels, count }): [number, number] => {
    const { size } = dataKernelOf(kernels.name, kernels.equations);
    const even = size + (size & 1);
    return [address(plan.memory.reserve(count * even)), even];
  });
  const ofBlocks = bound.addStage(
    "blocks",
    ({ kernels }) => dataKernelOf(kernels.name, kernels.equations).kernel,
    (_, i) => [
      ["data", rule(by.slot, ...starts[i])],
      ["errorByAttitude.0", rule(by.other, address(places.errorByAttitude), 10)],
      ["errorByAttitude.1", rule(by.body, address(places.errorByAttitude), 10)],
    ],
  );
  const ofData = bound.addPanelStage("data", panels, ({ kernels, otherMoves }, i) => {
    const { entries } = dataKernelOf(kernels.name, kernels.equations);
    // what is fixed in the world has no entries
    const both = [otherMoves ? by.other : by.body, by.body];
    const ofBodies = (start: number): Rule[] => both.map((how) => rule(how, panelAt(start, 0), 2 * 6));
    const nowhere = rule(by.slot, panelAt(step, 0), 0);
    return {
      program: registerPanels(register, dataPanels(kernels.name, entries, sizes)),
      rules: [
        rule(by.slot, ...starts[i]),
        ...ofBodies(step),
        nowhere,
        ...ofBodies(places.pose),
        ...ofBodies(places.velocity),
        nowhere,
      ],
    };
  });
  blocks.hole(ofBlocks, registerNothing(register));
  data.hole(ofData, registerNothing(register));
}

/** The blocks of bodies and nodes, and what they do to cotangents. */
export function maximalJacobians(context: JacobianContext): {
  places: MaximalPlaces;
  clearedEnd: number;
  lists: Map<string, CallList>;
} {
  const { plan, register, panels, step, all } = context;
  const { memory, mechanism, unknowns } = plan;
  const count = mechanism.bodies.length;
  const reserve = (rows: number): number => memory.reserve(panels * panelSize(rows));
  const [pose, input] = [reserve(6 * count), reserve(mechanism.inputSize)];
  const clearedEnd = memory.length;
  const places: MaximalPlaces = {
    pose,
    input,
    velocity: reserve(6 * count),
    errorByAttitude: memory.reserve(10 * count),
    errorBySpin: memory.reserve(10 * count),
  };
  const sizes: PanelSizes = { unknowns, bodies: count, inputs: mechanism.inputSize };
  const data = new CallList();
  const ofBody = kernelsOfBodySensitivity("step");
  const bodyCalls = plan.bodies.map(({ addresses }, i): KernelCall => {
    const byVelocity = memory.reserve(ofBody.byVelocity.length);
    const own = {
      byVelocity,
      errorByAttitude: places.errorByAttitude + 10 * i,
      errorBySpin: places.errorBySpin + 10 * i,
    };
    const at = [address(byVelocity), panelAt(step, 6 * i), panelAt(places.velocity, 6 * i)];
    callOverPanels(data, register, velocityPanels(ofBody.byVelocity, sizes), at, all);
    return { kernel: ofBody.blocks, addresses: withPlaces(own, addresses) };
  });
  const nodeCalls = plan.nodes.map((node): KernelCall => {
    const { name, equations } = node.spec.species;
    const { kernel, entries, size } = dataKernelOf(name, equations);
    if (entries.length === 0) return { kernel: undefined, addresses: node.addresses };
    const start = memory.reserve(size);
    const addresses = withPlaces({ data: start }, node.addresses);
    node.bodies.forEach((body, k) => {
      if (body !== worldIndex) addresses.set(`errorByAttitude.${k}`, address(places.errorByAttitude + 10 * body));
    });
    const [first, second] = [0, 1].map((k) => Math.max(0, node.bodies[k] ?? 0));
    const at = [
      ...[6 * first, 6 * second, node.multiplier].map((row) => panelAt(step, row)),
      ...[first, second].map((body) => panelAt(places.pose, 6 * body)),
      ...[first, second].map((body) => panelAt(places.velocity, 6 * body)),
      panelAt(places.input, node.spec.input),
    ];
    callOverPanels(data, register, dataPanels(name, entries, sizes), [address(start), ...at], all);
    return { kernel, addresses };
  });
  const blocks = pairedCalls(bodyCalls, register, plan.sink);
  blocks.append(pairedCalls(nodeCalls, register, plan.sink));
  if (plan.bound) addSlots(context, plan.bound, places, sizes, blocks, data);
  return {
    places,
    clearedEnd,
    lists: new Map([
      ["blocks", blocks],
      ["data", data],
    ]),
  };
}
