/**
 * A mechanism made ready to run: its memory, its kernels, and the call lists that evaluate, factor and solve one step.
 * It knows where everything lies; what the numbers mean for the solver is the simulation's business.
 */
import type { Executable, Program, Target } from "../codegen/index.ts";
import { contactParameterNames, gearParameterNames, globalNames, jointParameterNames } from "../equations/index.ts";
import { type Mechanism, worldIndex } from "../mechanism/index.ts";
import { type Cone, eliminationOrder } from "../solver/index.ts";
import { bodyParameterNames, nextLayout } from "./bodyKernels.ts";
import { eliminationLists, type Register } from "./elimination.ts";
import { kernelsOfBody, kernelsOfContact, kernelsOfGear, kernelsOfGearTerm, kernelsOfJoint } from "./library.ts";
import { address, CallList, MemoryPlan } from "./memory.ts";
import { type NodeKernels, stride } from "./nodeKernels.ts";
import {
  type ConeRole,
  contactConeRoles,
  contactParameterValues,
  contactSpecies,
  gearRegularization,
  jointConeRoles,
  jointParameterValues,
  jointSpecies,
} from "./species.ts";
import { type Kernel, type Stage, stages } from "./staging.ts";

const listNames = [...stages, "factor", "solve"] as const;
export type ListName = (typeof listNames)[number];

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

/** One joint, gear, gear term or contact. Indices are relative to the arrays they index. */
export interface NodePlace {
  readonly kind: "joint" | "gear" | "gearTerm" | "contact";
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
  readonly parameters: number;
}

export interface System {
  readonly mechanism: Mechanism;
  readonly f64: Float64Array;
  readonly places: Places;
  readonly nodes: readonly NodePlace[];
  readonly unknowns: number;
  readonly coneSize: number;
  readonly equalities: number;
  readonly cones: readonly Cone[];
  /** Memory index of a parameter, by path: "bodies.rod.mass", "joints.hinge.stiffness.0", "timestep". */
  readonly parameters: ReadonlyMap<string, number>;
  /** Matrix blocks that are added to, and so must be zero before an evaluation: [start, end). */
  readonly zeroed: readonly [number, number];
  readonly programs: readonly Program[];
  run(list: ListName): void;
}

interface PlannedNode extends NodePlace {
  readonly kernels: NodeKernels;
  /** Number in the block matrix, −1 without multipliers. */
  readonly block: number;
  readonly addresses: Map<string, number>;
}

export function buildSystem(mechanism: Mechanism, target: Target): System {
  const plan = new MemoryPlan();
  const bodyCount = mechanism.bodies.length;
  const specs = nodeSpecs(mechanism);

  // matrix nodes: bodies, then whatever has multipliers of its own
  const sizes: number[] = mechanism.bodies.map(() => 6);
  const own = specs.map((spec) =>
    spec.kernels.multipliers > 0 && !spec.sharesBlockOf ? sizes.push(spec.kernels.multipliers) - 1 : -1,
  );
  specs.forEach((spec, i) => {
    if (spec.sharesBlockOf) own[i] = own[specs.indexOf(spec.sharesBlockOf)];
  });
  const starts = prefixSums(sizes);
  const unknowns = starts[sizes.length];
  const coneStarts = prefixSums(specs.map((spec) => spec.kernels.coneSize));
  const equalityStarts = prefixSums(specs.map((spec) => spec.kernels.equalities));
  const coneSize = coneStarts[specs.length];
  const equalities = equalityStarts[specs.length];

  const places: Places = {
    globals: plan.reserve(globalNames.length),
    bodyParameters: plan.reserve(bodyParameterNames.length * bodyCount),
    state: plan.reserve(13 * bodyCount),
    wrench: plan.reserve(6 * bodyCount),
    next: plan.reserve(nextLayout.size * bodyCount),
    input: plan.reserve(mechanism.inputSize),
    unknown: plan.reserve(unknowns),
    residual: plan.reserve(unknowns + equalities),
    step: plan.reserve(unknowns + 1),
    coneB: plan.reserve(coneSize),
    coneC: plan.reserve(coneSize),
    coneRhs: plan.reserve(coneSize),
    stepB: plan.reserve(coneSize),
    stepC: plan.reserve(coneSize),
  };

  // blocks: the shared ones and the fill together, to be zeroed in one go
  const edges = new Map<string, [number, number, boolean]>();
  const connect = (i: number, j: number, shared: boolean): void => {
    const key = i < j ? `${i},${j}` : `${j},${i}`;
    edges.set(key, [Math.min(i, j), Math.max(i, j), shared || (edges.get(key)?.[2] ?? false)]);
  };
  specs.forEach((spec, i) => {
    const moving = spec.bodies.filter((body) => body !== worldIndex);
    for (const body of moving) if (own[i] >= 0) connect(body, own[i], spec.kind !== "joint");
    if (spec.kernels.coneSize > 0 && own[i] < 0 && moving.length === 2) connect(moving[0], moving[1], true);
  });
  const elimination = eliminationOrder(
    sizes,
    [...edges.values()].map(([i, j]): [number, number] => [i, j]),
    { zeroDiagonal: sizes.map((_, i) => i >= bodyCount) },
  );
  const blocks = new Map<string, number>();
  const reserveBlock = (i: number, j: number): void =>
    void blocks.set(`${i},${j}`, plan.reserve(sizes[i] * stride(sizes[j])));
  sizes.forEach((_, i) => reserveBlock(i, i));
  for (const [i, j, shared] of edges.values()) if (!shared) reserveBlock(i, j), reserveBlock(j, i);
  const zeroStart = plan.length;
  elimination.order.forEach((i) => {
    for (const j of elimination.later[i]) if (!blocks.has(`${i},${j}`)) reserveBlock(i, j), reserveBlock(j, i);
  });
  const zeroed: [number, number] = [zeroStart, plan.length];
  const block = (i: number, j: number): number => blocks.get(`${i},${j}`) as number;

  // nodes
  const nodes = specs.map((spec, i): PlannedNode => {
    const parameters = spec.parameterSource ?? plan.reserve(spec.parameterValues.length);
    const observations = plan.reserve(spec.kernels.observations);
    const scratch = plan.reserve(spec.kernels.scratchSize);
    const addresses = new Map<string, number>();
    const set = (name: string, index: number): void => void addresses.set(name, address(index));
    set("globals", places.globals);
    set("parameters.0", parameters);
    set("inputs", places.input + spec.input);
    set("observations", observations);
    set("scratch", scratch);
    set("coneB", places.coneB + coneStarts[i]);
    set("coneC", places.coneC + coneStarts[i]);
    set("coneRhs", places.coneRhs + coneStarts[i]);
    set("stepB", places.stepB + coneStarts[i]);
    set("stepC", places.stepC + coneStarts[i]);
    set("coneResidual", places.residual + unknowns + equalityStarts[i]);
    spec.bodies.forEach((body, k) => {
      if (body === worldIndex) return;
      set(`state.${k}`, places.state + 13 * body);
      set(`next.${k}`, places.next + nextLayout.size * body);
      set(`unknown.${k}`, places.unknown + 6 * body);
      set(`residual.${k}`, places.residual + 6 * body);
      set(`step.${k}`, places.step + 6 * body);
      set(`diagonal.${k}`, block(body, body));
      if (own[i] >= 0) {
        set(`block.${k}.own`, block(body, own[i]));
        set(`block.own.${k}`, block(own[i], body));
      } else if (spec.bodies[1 - k] !== worldIndex && spec.kernels.coneSize > 0)
        set(`block.${k}.${1 - k}`, block(body, spec.bodies[1 - k]));
    });
    if (own[i] >= 0) {
      set("unknown.own", places.unknown + starts[own[i]]);
      set("residual.own", places.residual + starts[own[i]]);
      set("step.own", places.step + starts[own[i]]);
      set("diagonal.own", block(own[i], own[i]));
    }
    return {
      kind: spec.kind,
      index: spec.index,
      bodies: spec.bodies,
      kernels: spec.kernels,
      block: own[i],
      addresses,
      multiplier: own[i] >= 0 ? starts[own[i]] : 0,
      multipliers: spec.kernels.multipliers,
      cone: coneStarts[i],
      roles: spec.roles,
      equality: equalityStarts[i],
      equalities: spec.kernels.equalities,
      observations,
      parameters,
    };
  });
  specs.forEach((spec, i) => {
    // a gear's terms read the frames of their joint
    if (spec.joint !== undefined) nodes[i].addresses.set("parameters.1", address(nodes[spec.joint].parameters));
  });
  const bodyScratch = mechanism.bodies.map(() => plan.reserve(kernelsOfBody().scratchSize));
  const bodies = mechanism.bodies.map((_, i) => {
    const addresses = new Map<string, number>();
    const set = (name: string, index: number): void => void addresses.set(name, address(index));
    set("globals", places.globals);
    set("parameters", places.bodyParameters + bodyParameterNames.length * i);
    set("state", places.state + 13 * i);
    set("wrench", places.wrench + 6 * i);
    set("unknown", places.unknown + 6 * i);
    set("next", places.next + nextLayout.size * i);
    set("residual", places.residual + 6 * i);
    set("diagonal", block(i, i));
    set("scratch", bodyScratch[i]);
    return { kernels: kernelsOfBody(), addresses };
  });
  const sink = plan.reserve(1024);

  // call lists
  const programs: Program[] = [];
  const numbers = new Map<string, number>();
  const register: Register = (key, make) => {
    let number = numbers.get(key);
    if (number === undefined) {
      number = programs.push(make()) - 1;
      numbers.set(key, number);
    }
    return number;
  };
  const lists = new Map<ListName, CallList>();
  for (const stage of stages) lists.set(stage, stageList(stage, [...bodies, ...nodes], register, address(sink)));
  const { factor, solve } = eliminationLists(
    sizes,
    elimination,
    { block, vector: (node) => places.step + starts[node] },
    register,
  );
  lists.set("factor", factor);
  lists.set("solve", solve);

  // load, and write lists and parameters
  const listStarts = new Map<ListName, number>();
  let bytes = address(plan.length);
  for (const name of listNames) {
    listStarts.set(name, bytes);
    bytes += 4 * (lists.get(name) as CallList).words.length;
  }
  const executable: Executable = target.load(programs, bytes);
  const i32 = new Int32Array(executable.memory);
  for (const name of listNames) i32.set((lists.get(name) as CallList).words, (listStarts.get(name) as number) / 4);
  const f64 = new Float64Array(executable.memory, 0, plan.length);
  const parameters = writeParameters(mechanism, specs, nodes, places, f64);

  return {
    mechanism,
    f64,
    places,
    nodes,
    unknowns,
    coneSize,
    equalities,
    parameters,
    zeroed,
    programs,
    cones: nodes.flatMap((node) => conesOf(node)),
    run: (name) => executable.run(listStarts.get(name) as number, (lists.get(name) as CallList).entries),
  };
}

/** Two nodes of a species share a call; the odd one out runs beside itself, writing its second lane into the sink. */
function stageList(
  stage: Stage,
  nodes: readonly {
    readonly kernels: { readonly kernels: Readonly<Partial<Record<Stage, Kernel>>> };
    readonly addresses: Map<string, number>;
  }[],
  register: Register,
  sink: number,
): CallList {
  const list = new CallList();
  const groups = new Map<Kernel, Map<string, number>[]>();
  for (const node of nodes) {
    const kernel = node.kernels.kernels[stage];
    if (kernel) groups.set(kernel, [...(groups.get(kernel) ?? []), node.addresses]);
  }
  for (const [kernel, members] of groups) {
    const number = register(kernel.program.name, () => kernel.program);
    for (let i = 0; i < members.length; i += 2) {
      const addresses = kernel.operands.flatMap((operand) => {
        const first = members[i].get(operand) as number;
        const second =
          i + 1 < members.length ? (members[i + 1].get(operand) as number) : kernel.written.has(operand) ? sink : first;
        return [first, second];
      });
      list.call(number, addresses);
    }
  }
  return list;
}

interface NodeSpec {
  readonly kind: NodePlace["kind"];
  readonly index: number;
  readonly bodies: readonly number[];
  readonly kernels: NodeKernels;
  readonly roles: readonly ConeRole[];
  readonly input: number;
  readonly parameterValues: readonly number[];
  readonly parameterSource?: number;
  /** Gear terms: the gear whose row they share, and the spec of the joint whose frames they read. */
  readonly sharesBlockOf?: NodeSpec;
  readonly joint?: number;
}

function nodeSpecs(mechanism: Mechanism): NodeSpec[] {
  const specs: NodeSpec[] = mechanism.joints.map((joint) => {
    const species = jointSpecies(joint);
    return {
      kind: "joint",
      index: joint.index,
      bodies: [joint.parent, joint.child],
      kernels: kernelsOfJoint(species),
      roles: jointConeRoles(species),
      input: Math.max(
        0,
        ...joint.coordinates
          .filter((c) => c.input >= 0)
          .slice(0, 1)
          .map((c) => c.input),
      ),
      parameterValues: jointParameterValues(mechanism, joint),
    };
  });
  for (const gear of mechanism.gears) {
    const base: NodeSpec = {
      kind: "gear",
      index: gear.index,
      bodies: [],
      kernels: kernelsOfGear(),
      roles: [],
      input: 0,
      parameterValues: [gear.offset, gearRegularization(mechanism)],
    };
    specs.push(base);
    for (const term of gear.terms) {
      const joint = mechanism.joints[term.joint];
      specs.push({
        kind: "gearTerm",
        index: gear.index,
        bodies: [joint.parent, joint.child],
        roles: [],
        input: 0,
        parameterValues: [term.ratio],
        kernels: kernelsOfGearTerm({
          type: joint.shape,
          parentMoves: joint.parent !== worldIndex,
          coordinate: term.coordinate,
        }),
        sharesBlockOf: base,
        joint: term.joint,
      });
    }
  }
  for (const contact of mechanism.contacts) {
    const species = contactSpecies(contact);
    specs.push({
      kind: "contact",
      index: contact.index,
      bodies: [contact.other, contact.body],
      kernels: kernelsOfContact(species),
      roles: contactConeRoles(species),
      input: 0,
      parameterValues: contactParameterValues(contact),
    });
  }
  return specs;
}

function conesOf(node: NodePlace): Cone[] {
  let offset = node.cone;
  return node.roles.map((role): Cone => {
    const size = role === "contactFriction" ? 3 : 1;
    offset += size;
    return { kind: size === 3 ? "secondOrder" : "orthant", offset: offset - size, size };
  });
}

function writeParameters(
  mechanism: Mechanism,
  specs: readonly NodeSpec[],
  nodes: readonly PlannedNode[],
  places: Places,
  f64: Float64Array,
): Map<string, number> {
  const names = new Map<string, number>();
  const write = (path: string, keys: readonly string[], start: number, values: readonly number[]): void =>
    keys.forEach((key, i) => {
      names.set(path === "" ? key : `${path}.${key}`, start + i);
      f64[start + i] = values[i];
    });
  write("", globalNames, places.globals, [mechanism.timestep, ...mechanism.gravity, mechanism.springConservation]);
  for (const body of mechanism.bodies) {
    const [[xx, xy, xz], [, yy, yz], [, , zz]] = body.inertia;
    const start = places.bodyParameters + bodyParameterNames.length * body.index;
    write(`bodies.${body.name}`, bodyParameterNames, start, [body.mass, xx, yy, zz, xy, xz, yz]);
  }
  specs.forEach((spec, i) => {
    const start = nodes[i].parameters;
    if (spec.kind === "joint") {
      const joint = mechanism.joints[spec.index];
      write(`joints.${joint.name}`, jointParameterNames(jointSpecies(joint)), start, spec.parameterValues);
    } else if (spec.kind === "contact")
      write(`contacts.${mechanism.contacts[spec.index].name}`, contactParameterNames, start, spec.parameterValues);
    else if (spec.kind === "gear")
      write(`gears.${mechanism.gears[spec.index].name}`, gearParameterNames, start, spec.parameterValues);
    else f64.set(spec.parameterValues, start);
  });
  return names;
}

function prefixSums(sizes: readonly number[]): number[] {
  const sums = [0];
  for (const size of sizes) sums.push(sums[sums.length - 1] + size);
  return sums;
}
