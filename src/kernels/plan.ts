/**
 * Where everything of a mechanism lies in memory: states, unknowns, residuals, cone variables, matrix blocks, and for every
 * node the addresses that its kernels ask for by name.
 */
import { globalNames } from "../equations/index.ts";
import { type Mechanism, worldIndex } from "../mechanism/index.ts";
import { type Cone, type Elimination, eliminationOrder } from "../solver/index.ts";
import { bodyParameterNames, nextLayout } from "./bodyKernels.ts";
import { type EliminationPlan, planElimination } from "./elimination.ts";
import { kernelsOfBody } from "./library.ts";
import { address, MemoryPlan } from "./memory.ts";
import { stride } from "./nodeKernels.ts";
import { type NodeKind, type NodeSpec, nodeSpecs } from "./nodeSpecs.ts";
import { reserveSolver, type SolverPlaces } from "./solverLists.ts";
import type { ConeRole } from "./species.ts";
import type { StagedKernels } from "./staging.ts";

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
  /** In f64. */
  readonly observations: number;
  /** Of a joint: its impulse on the child. */
  readonly wrench: number;
  readonly parameters: number;
}

export interface PlannedNode extends NodePlace {
  readonly spec: NodeSpec;
  /** Number in the block matrix, −1 without multipliers. */
  readonly block: number;
  readonly addresses: Map<string, number>;
}

export interface PlannedBody {
  readonly kernels: StagedKernels;
  readonly addresses: Map<string, number>;
}

export interface SystemPlan {
  readonly mechanism: Mechanism;
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
  readonly elimination: Elimination;
  readonly factorisation: EliminationPlan;
  /** Points, directions and numbers of the solver. */
  readonly solver: SolverPlaces;
  /** Distances that must come out positive: row of the residual that says slack = distance, and the slack. */
  readonly gaps: readonly (readonly [number, number])[];
  /** Index in memory of a block of the matrix, which the factorisation leaves as it is; undefined where there is none. */
  readonly block: (row: number, column: number) => number | undefined;
  /** Blocks that are added to, and so must be zero before an evaluation: [start, end). */
  readonly zeroed: readonly [number, number];
  /** Everything that defines a solved step (parameters, state, input, unknowns, cone variables) lies before this index. */
  readonly dataEnd: number;
  /** Address where results nobody wants may go. */
  readonly sink: number;
}

/** More than any kernel writes to one operand. */
const sinkSize = 4096;

export function planSystem(mechanism: Mechanism): SystemPlan {
  const memory = new MemoryPlan();
  const specs = nodeSpecs(mechanism);
  const { sizes, own } = matrixNodes(mechanism, specs);
  const starts = prefixSums(sizes);
  const unknowns = starts[sizes.length];
  const coneStarts = prefixSums(specs.map((spec) => spec.kernels.coneSize));
  const equalityStarts = prefixSums(specs.map((spec) => spec.kernels.equalities));
  const coneSize = coneStarts[specs.length];
  const equalities = equalityStarts[specs.length];
  const places = reservePlaces(memory, mechanism, unknowns, coneSize, equalities);
  const parameterStarts = specs.map((spec) => memory.reserve(spec.parameterValues.length));
  const dataEnd = memory.length;
  const { block, elimination, factorisation, zeroed } = reserveBlocks(
    memory,
    mechanism.bodies.length,
    specs,
    sizes,
    own,
  );

  const nodes = specs.map((spec, i): PlannedNode => {
    const parameters = parameterStarts[i];
    const observations = memory.reserve(spec.kernels.observations);
    const addresses = new Map<string, number>();
    const set = (name: string, index: number): void => {
      addresses.set(name, address(index));
    };
    set("globals", places.globals);
    set("parameters.0", parameters);
    set("inputs", places.input + spec.input);
    set("observations", observations);
    const wrench = memory.reserve(spec.kind === "joint" ? 6 : 0);
    set("wrench", wrench);
    set("scratch", memory.reserve(spec.kernels.scratchSize));
    set("coneB", places.coneB + coneStarts[i]);
    set("coneC", places.coneC + coneStarts[i]);
    set("coneRhs", places.coneRhs + coneStarts[i]);
    set("stepB", places.stepB + coneStarts[i]);
    set("stepC", places.stepC + coneStarts[i]);
    set("coneResidual", places.residual + unknowns + equalityStarts[i]);
    spec.bodies.forEach((body, k) => {
      if (body === worldIndex) return;
      const other = spec.bodies[1 - k];
      set(`state.${k}`, places.state + 13 * body);
      set(`next.${k}`, places.next + nextLayout.size * body);
      set(`unknown.${k}`, places.unknown + 6 * body);
      set(`residual.${k}`, places.residual + 6 * body);
      set(`step.${k}`, places.step + 6 * body);
      set(`diagonal.${k}`, block(body, body));
      if (own[i] >= 0) {
        set(`block.${k}.own`, block(body, own[i]));
        set(`block.own.${k}`, block(own[i], body));
      } else if (couplesBodies(spec)) set(`block.${k}.${1 - k}`, block(body, other));
    });
    if (own[i] >= 0) {
      set("unknown.own", places.unknown + starts[own[i]]);
      set("residual.own", places.residual + starts[own[i]]);
      set("step.own", places.step + starts[own[i]]);
      set("diagonal.own", block(own[i], own[i]));
    }
    return {
      spec,
      kind: spec.kind,
      index: spec.index,
      bodies: spec.bodies,
      block: own[i],
      addresses,
      multiplier: own[i] >= 0 ? starts[own[i]] : 0,
      multipliers: spec.kernels.multipliers,
      cone: coneStarts[i],
      roles: spec.roles,
      equality: equalityStarts[i],
      equalities: spec.kernels.equalities,
      observations,
      wrench,
      parameters,
    };
  });
  // a gear's terms read the frames of their joint, and the constants of their gear
  for (const { spec, addresses } of nodes) {
    if (spec.joint === undefined || !spec.sharesBlockOf) continue;
    addresses.set("parameters.1", address(nodes[spec.joint].parameters));
    addresses.set("parameters.2", address(nodes[specs.indexOf(spec.sharesBlockOf)].parameters));
  }
  const solver = reserveSolver(memory, unknowns, coneSize, unknowns + equalities);
  const bodies = mechanism.bodies.map((_, i): PlannedBody => {
    const kernels = kernelsOfBody(specs.some((spec) => addsToBody(spec, i)));
    return { kernels, addresses: bodyAddresses(memory, places, i, block(i, i), kernels.scratchSize) };
  });
  return {
    mechanism,
    memory,
    places,
    bodies,
    nodes,
    cones: nodes.flatMap(conesOf),
    sizes,
    starts,
    unknowns,
    coneSize,
    equalities,
    elimination,
    factorisation,
    solver,
    gaps: nodes.flatMap((node) => gapsOf(node, unknowns)),
    block,
    zeroed,
    dataEnd,
    sink: address(memory.reserve(sinkSize)),
  };
}

/** Whether a node writes into the body's own block of the matrix. */
function addsToBody(spec: NodeSpec, body: number): boolean {
  return spec.bodies.some(
    (other, k) => other === body && (spec.kernels.kernels.evaluate?.written.has(`diagonal.${k}`) ?? false),
  );
}

function bodyAddresses(
  memory: MemoryPlan,
  places: Places,
  i: number,
  diagonal: number,
  scratchSize: number,
): Map<string, number> {
  return new Map<string, number>(
    Object.entries({
      globals: places.globals,
      parameters: places.bodyParameters + bodyParameterNames.length * i,
      state: places.state + 13 * i,
      wrench: places.wrench + 6 * i,
      unknown: places.unknown + 6 * i,
      next: places.next + nextLayout.size * i,
      residual: places.residual + 6 * i,
      step: places.step + 6 * i,
      diagonal,
      scratch: memory.reserve(scratchSize),
    }).map(([name, index]) => [name, address(index)]),
  );
}

/** Bodies first, then whatever has multipliers of its own; the terms of a gear share its node. */
function matrixNodes(mechanism: Mechanism, specs: readonly NodeSpec[]): { sizes: number[]; own: number[] } {
  const sizes: number[] = mechanism.bodies.map(() => 6);
  const own: number[] = [];
  specs.forEach((spec) => {
    if (spec.sharesBlockOf) own.push(own[specs.indexOf(spec.sharesBlockOf)]);
    else own.push(spec.kernels.multipliers > 0 ? sizes.push(spec.kernels.multipliers) - 1 : -1);
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
    globals: memory.reserve(globalNames.length),
    bodyParameters: memory.reserve(bodyParameterNames.length * bodyCount),
    state: memory.reserve(13 * bodyCount),
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

/** Whether a node without multipliers ties two moving bodies together: a contact between them. */
function couplesBodies(spec: NodeSpec): boolean {
  return (
    spec.kernels.multipliers === 0 && spec.kernels.coneSize > 0 && spec.bodies.every((body) => body !== worldIndex)
  );
}

interface BlockPlan {
  /** Index of a block of the matrix in memory. */
  readonly block: (row: number, column: number) => number;
  readonly elimination: Elimination;
  readonly factorisation: EliminationPlan;
  readonly zeroed: readonly [number, number];
}

/** Matrix blocks: those that several nodes add to lie together, to be zeroed in one go. */
function reserveBlocks(
  memory: MemoryPlan,
  bodyCount: number,
  specs: readonly NodeSpec[],
  sizes: readonly number[],
  own: readonly number[],
): BlockPlan {
  const edges = new Map<string, { readonly ends: [number, number]; readonly shared: boolean }>();
  const connect = (i: number, j: number, shared: boolean): void => {
    const ends: [number, number] = i < j ? [i, j] : [j, i];
    edges.set(ends.join(), { ends, shared: shared || (edges.get(ends.join())?.shared ?? false) });
  };
  specs.forEach((spec, i) => {
    for (const body of spec.bodies)
      if (body !== worldIndex && own[i] >= 0) connect(body, own[i], spec.kind !== "joint");
    if (couplesBodies(spec)) connect(spec.bodies[0], spec.bodies[1], true);
  });
  const elimination = eliminationOrder(
    sizes,
    [...edges.values()].map(({ ends }) => ends),
    { zeroDiagonal: sizes.map((_, i) => i >= bodyCount) },
  );
  const blocks = new Map<string, number>();
  const reserve = (i: number, j: number): void => {
    if (!blocks.has(`${i},${j}`)) blocks.set(`${i},${j}`, memory.reserve(sizes[i] * stride(sizes[j])));
  };
  const reserveBoth = (i: number, j: number): void => {
    reserve(i, j);
    reserve(j, i);
  };
  for (let i = 0; i < sizes.length; i++) reserve(i, i);
  for (const { ends, shared } of edges.values()) if (!shared) reserveBoth(...ends);
  const zeroStart = memory.length;
  for (const { ends, shared } of edges.values()) if (shared) reserveBoth(...ends);
  const zeroed: [number, number] = [zeroStart, memory.length];
  const factorisation = planElimination(sizes, elimination, (i, j) => blocks.get(`${i},${j}`), memory);
  return { block: (i, j) => blocks.get(`${i},${j}`) as number, elimination, factorisation, zeroed };
}

function conesOf(node: NodePlace): Cone[] {
  let offset = node.cone;
  return node.roles.map((role): Cone => {
    const size = role === "contactFriction" ? 3 : 1;
    offset += size;
    return { kind: size === 3 ? "secondOrder" : "orthant", offset: offset - size, size };
  });
}

/** Of contacts and limits. A pair of friction or effort cones has two equalities. */
function gapsOf({ kind, roles, equality, cone }: NodePlace, unknowns: number): [number, number][] {
  if (kind === "contact") return [[unknowns + equality, cone]];
  return roles.flatMap((role, i): [number, number][] =>
    role === "limit" || role === "tilt" ? [[unknowns + equality + i, cone + i]] : [],
  );
}

function prefixSums(sizes: readonly number[]): number[] {
  const sums = [0];
  for (const size of sizes) sums.push(sums[sums.length - 1] + size);
  return sums;
}
