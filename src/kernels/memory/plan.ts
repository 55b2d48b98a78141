/**
 * Where everything of a mechanism lies in memory: states, unknowns, residuals, cone variables, and for every node the addresses
 * that its kernels ask for by name. What the elimination needs besides is planned in treePlan.ts.
 */
import { bodyParameterNames, type ConeRole, globalCount, type Physics } from "../../equations/index.ts";
import { bodyAt, bodyStateSize, coneKind } from "../../math/index.ts";
import { type Mechanism, surfaceParameters, type TouchPool, worldIndex } from "../../mechanism/index.ts";
import type { Cone } from "../../solver/index.ts";
import { contactOf } from "../species/library.ts";
import type { NodeSpecies } from "../species/nodeSpecies.ts";
import { type NodeKind, type NodeSpec, nodeSpecs } from "../species/nodeSpecs.ts";
import { poolSpecies } from "../species/species.ts";
import { address, MemoryPlan } from "./memory.ts";
import { nextLayout } from "./placement.ts";
import { reserveSolver, type SolverPlaces } from "./solverPlaces.ts";

/** Where the arrays start, in f64. */
export interface Places {
  readonly globals: number;
  readonly bodyParameters: number;
  readonly state: number;
  readonly wrench: number;
  readonly next: number;
  readonly input: number;
  readonly unknown: number;
  /** Rows of bodies, joints, gears; then the equalities of the cone variables. */
  readonly residual: number;
  readonly step: number;
  readonly coneB: number;
  readonly coneC: number;
  readonly coneRhs: number;
  readonly stepB: number;
  readonly stepC: number;
}

/** One joint, gear, gear term or contact. Offsets count from the start of the arrays they point into. */
export interface NodePlace {
  readonly kind: NodeKind;
  readonly index: number;
  /** Bodies by index, the world as −1. */
  readonly bodies: readonly number[];
  readonly multiplier: number;
  readonly multipliers: number;
  readonly cone: number;
  readonly roles: readonly ConeRole[];
  readonly equality: number;
  readonly equalities: number;
  /** Where its observations lie, in f64. */
  readonly observations: number;
  /** Where the impulse on its child lies, of a joint, or of a gear's term through the joint of its coordinate. */
  readonly wrench: number;
  /** The joint of a gear's term. */
  readonly joint?: number | undefined;
  readonly parameters: number;
}

export interface PlannedNode extends NodePlace {
  readonly spec: NodeSpec;
  /** Number in the block matrix, −1 without multipliers. */
  readonly block: number;
  readonly addresses: Map<string, number>;
}

/** Slots of one kind, contacts that are bound to bodies at run time: where the first has its places, and how far apart they lie. */
export interface PlannedPool extends TouchPool {
  /** Number of its first slot. */
  readonly first: number;
  readonly kernels: NodeSpecies;
  readonly roles: readonly ConeRole[];
  readonly cone: number;
  readonly equality: number;
  readonly parameters: number;
  readonly parameterSize: number;
  readonly observations: number;
  readonly observationSize: number;
}

export interface PlannedBody {
  readonly addresses: Map<string, number>;
}

/** What every solver of the mechanism shares. */
export interface DataPlan {
  readonly mechanism: Mechanism;
  readonly physics: Physics;
  readonly memory: MemoryPlan;
  readonly places: Places;
  readonly bodies: readonly PlannedBody[];
  readonly nodes: readonly PlannedNode[];
  readonly cones: readonly Cone[];
  /** Blocks of the matrix: the bodies, then whatever has multipliers; sizes, and where each starts among the unknowns. */
  readonly sizes: readonly number[];
  readonly starts: readonly number[];
  readonly unknowns: number;
  readonly coneSize: number;
  readonly equalities: number;
  /** Those of all nodes but slots, which come after them. */
  readonly fixedConeSize: number;
  readonly fixedEqualities: number;
  readonly pools: readonly PlannedPool[];
  /** Where the parameters of nodes but slots lie, and of surfaces: [start, end). */
  readonly nodeParameters: readonly [number, number];
  /** Where the parameters of surfaces lie (mechanism/touch.ts). */
  readonly surfaces: number;
  /** Points, directions and numbers of the solver. */
  readonly solver: SolverPlaces;
  /** Distances that must come out positive: row of the residual that says slack = distance, and the slack. */
  readonly gaps: readonly (readonly [number, number])[];
  /** Everything that defines a solved step (parameters, state, input, unknowns, cone variables) lies before this index. */
  readonly dataEnd: number;
  /** Address where results nobody wants may go. */
  readonly sink: number;
}

/** More than any kernel writes to one operand. */
const sinkSize = 4096;

/** A pool has a multiple of so many slots: loops over their entries take several to a trip. */
const poolUnit = 8;

/** `slots`: kinds of contacts that are bound to bodies at run time, and how many of each. */
export function planData(mechanism: Mechanism, physics: Physics, slots: readonly TouchPool[]): DataPlan {
  const memory = new MemoryPlan();
  const specs = nodeSpecs(mechanism, physics);
  const { sizes, own } = matrixNodes(mechanism, specs);
  const starts = prefixSums(sizes);
  const unknowns = starts[sizes.length];
  const coneStarts = prefixSums(specs.map((spec) => spec.species.coneSize));
  const equalityStarts = prefixSums(specs.map((spec) => spec.species.equalities));
  const fixedConeSize = coneStarts[specs.length];
  const fixedEqualities = equalityStarts[specs.length];
  const kinds = poolKinds(slots, physics);
  const poolCones = prefixSums(kinds.map(({ count, kernels }) => count * kernels.coneSize));
  const poolEqualities = prefixSums(kinds.map(({ count, kernels }) => count * kernels.equalities));
  const coneSize = fixedConeSize + (fixedConeSize & 1) + poolCones[kinds.length];
  const equalities = fixedEqualities + poolEqualities[kinds.length];
  const places = reservePlaces(memory, mechanism, unknowns, coneSize, equalities);
  const firstParameter = memory.length;
  const parameterStarts = specs.map((spec) => memory.reserve(spec.parameterValues.length));
  const surfaces = memory.reserve(surfaceParameters.length * (mechanism.touch?.shapes.length ?? 0));
  const nodeParameters = [firstParameter, memory.length] as const;
  const poolParameters = kinds.map(({ count, parameterSize }) => memory.reserve(count * parameterSize));
  const dataEnd = memory.length;
  const pools = kinds.map(
    (kind, i): PlannedPool => ({
      ...kind,
      cone: fixedConeSize + (fixedConeSize & 1) + poolCones[i],
      equality: fixedEqualities + poolEqualities[i],
      parameters: poolParameters[i],
      observations: memory.reserve(kind.count * kind.observationSize),
    }),
  );

  const nodes = specs.map((spec, i): PlannedNode => {
    const parameters = parameterStarts[i];
    const observations = memory.reserve(spec.species.observations);
    const addresses = new Map<string, number>();
    const set = (name: string, index: number): void => {
      addresses.set(name, address(index));
    };
    set("globals", places.globals);
    set("parameters.0", parameters);
    set("inputs", places.input + spec.input);
    set("observations", observations);
    const wrench = memory.reserve(spec.kind === "joint" || spec.joint !== undefined ? 6 : 0);
    set("wrench", wrench);
    set("coneB", places.coneB + coneStarts[i]);
    set("coneC", places.coneC + coneStarts[i]);
    set("coneRhs", places.coneRhs + coneStarts[i]);
    set("stepB", places.stepB + coneStarts[i]);
    set("stepC", places.stepC + coneStarts[i]);
    set("coneResidual", places.residual + unknowns + equalityStarts[i]);
    spec.bodies.forEach((body, k) => {
      if (body === worldIndex) return;
      set(`state.${k}`, places.state + bodyAt(body));
      set(`next.${k}`, places.next + nextLayout.size * body);
      set(`unknown.${k}`, places.unknown + 6 * body);
      set(`residual.${k}`, places.residual + 6 * body);
      set(`step.${k}`, places.step + 6 * body);
    });
    if (own[i] >= 0) {
      set("unknown.own", places.unknown + starts[own[i]]);
      set("residual.own", places.residual + starts[own[i]]);
      set("step.own", places.step + starts[own[i]]);
    }
    return {
      spec,
      kind: spec.kind,
      index: spec.index,
      bodies: spec.bodies,
      block: own[i],
      addresses,
      multiplier: own[i] >= 0 ? starts[own[i]] : 0,
      multipliers: spec.species.multipliers,
      cone: coneStarts[i],
      roles: spec.species.roles,
      equality: equalityStarts[i],
      equalities: spec.species.equalities,
      observations,
      wrench,
      joint: spec.joint,
      parameters,
    };
  });
  // a gear's terms read the frames of their joint, and the constants of their gear
  for (const { spec, addresses } of nodes) {
    if (spec.joint === undefined || !spec.sharesBlockOf) continue;
    addresses.set("parameters.1", address(nodes[spec.joint].parameters));
    addresses.set("parameters.2", address(nodes[specs.indexOf(spec.sharesBlockOf)].parameters));
  }
  const bodyCount = mechanism.bodies.length;
  const solver = reserveSolver(memory, {
    ...{ unknowns, coneSize, rows: unknowns + equalities },
    ...{ bodies: bodyCount, bodyParameters: bodyParameterNames.length * bodyCount },
    contacts: mechanism.contacts.length,
  });
  return {
    mechanism,
    physics,
    memory,
    places,
    bodies: mechanism.bodies.map(({ index }) => ({ addresses: bodyAddresses(places, index) })),
    nodes,
    cones: nodes.flatMap(conesOf),
    sizes,
    starts,
    unknowns,
    coneSize,
    equalities,
    fixedConeSize,
    fixedEqualities,
    pools,
    nodeParameters,
    surfaces,
    solver,
    gaps: nodes.flatMap((node) => gapsOf(node, unknowns)),
    dataEnd,
    sink: address(memory.reserve(sinkSize)),
  };
}

type PoolKind = Omit<PlannedPool, "cone" | "equality" | "parameters" | "observations">;

/** Kinds of slots, with their numbers. */
function poolKinds(slots: readonly TouchPool[], physics: Physics): PoolKind[] {
  let first = 0;
  return slots.map((pool): PoolKind => {
    const kernels = contactOf(poolSpecies(pool), physics);
    const even = (size: number): number => size + (size & 1);
    const kind = {
      ...pool,
      count: poolUnit * Math.ceil(pool.count / poolUnit),
      first,
      kernels,
      roles: kernels.roles,
      parameterSize: even(kernels.node.parameterGroups[0].length),
      observationSize: even(kernels.observations),
    };
    first += kind.count;
    return kind;
  });
}

/** Contacts come and go: a contact's slot is its number. */
export function slotOf({ kind, index }: NodePlace): number | undefined {
  return kind === "contact" ? index : undefined;
}

function bodyAddresses(places: Places, i: number): Map<string, number> {
  return new Map<string, number>(
    Object.entries({
      globals: places.globals,
      parameters: places.bodyParameters + bodyParameterNames.length * i,
      state: places.state + bodyAt(i),
      wrench: places.wrench + 6 * i,
      unknown: places.unknown + 6 * i,
      next: places.next + nextLayout.size * i,
      residual: places.residual + 6 * i,
      step: places.step + 6 * i,
    }).map(([name, index]) => [name, address(index)]),
  );
}

/** Bodies first, then whatever has multipliers of its own; the terms of a gear share its node. */
function matrixNodes(mechanism: Mechanism, specs: readonly NodeSpec[]): { sizes: number[]; own: number[] } {
  const sizes: number[] = mechanism.bodies.map(() => 6);
  const own: number[] = [];
  specs.forEach((spec) => {
    if (spec.sharesBlockOf) own.push(own[specs.indexOf(spec.sharesBlockOf)]);
    else own.push(spec.species.multipliers > 0 ? sizes.push(spec.species.multipliers) - 1 : -1);
  });
  return { sizes, own };
}

function reservePlaces(
  memory: MemoryPlan,
  mechanism: Mechanism,
  unknowns: number,
  coneSize: number,
  equalities: number,
): Places {
  const bodyCount = mechanism.bodies.length;
  return {
    globals: memory.reserve(globalCount),
    bodyParameters: memory.reserve(bodyParameterNames.length * bodyCount),
    state: memory.reserve(bodyStateSize * bodyCount),
    wrench: memory.reserve(6 * bodyCount),
    next: memory.reserve(nextLayout.size * bodyCount),
    input: memory.reserve(mechanism.inputSize),
    unknown: memory.reserve(unknowns),
    residual: memory.reserve(unknowns + equalities),
    step: memory.reserve(unknowns),
    coneB: memory.reserve(coneSize),
    coneC: memory.reserve(coneSize),
    coneRhs: memory.reserve(coneSize),
    stepB: memory.reserve(coneSize),
    stepC: memory.reserve(coneSize),
  };
}

export function conesOf(node: Pick<NodePlace, "cone" | "roles">): Cone[] {
  let offset = node.cone;
  return node.roles.map(({ size }): Cone => {
    offset += size;
    return { kind: coneKind(size), offset: offset - size, size };
  });
}

/** The gaps of contacts and limits. */
function gapsOf(node: NodePlace, unknowns: number): [number, number][] {
  let [row, at] = [unknowns + node.equality, node.cone];
  return node.roles.flatMap(({ size, rows, pairedWith }): [number, number][] => {
    row += rows.length;
    at += size;
    return pairedWith === "length" ? [[row - rows.length, at - size]] : [];
  });
}

function prefixSums(sizes: readonly number[]): number[] {
  const sums = [0];
  for (const size of sizes) sums.push(sums[sums.length - 1] + size);
  return sums;
}
