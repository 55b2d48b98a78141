/**
 * Tangents and cotangents of a solved step as call lists [solution_sensitivity]:
 *   tangent      −D̃θ̇ → R⁻¹ → tangent of the next state          lists tangentStart, tangent, (solve), tangentEnd
 *   cotangent    next state's cotangent → R⁻ᵀ → θ̄                lists cotangentStart, transposedSolve, cotangent, cotangentEnd, all four: pull
 *   impulses     cotangents of contact impulses join in             lists impulseStart, before the solve, and impulseEnd, after it
 *                tangents of contact impulses                       list impulseTangent, after the solve
 * Both start from the lists matrix and factor (treePlan.ts).
 * Tangents and cotangents of globals, parameters, inputs and wrenches lie in a mirror of the data memory: that of the number at
 * index i is at mirror + i.
 */

import { bodyTangentSize, poseSize, tangentAt } from "../../math/index.ts";
import { worldIndex } from "../../mechanism/index.ts";
import { by, type Rule } from "../elimination/slotKernels.ts";
import { transposedVectorSolve } from "../elimination/transposedSolve.ts";
import type { LimbPlan } from "../elimination/treePlan.ts";
import { registerNothing } from "../memory/holes.ts";
import { address, type CallList, joined, type Register } from "../memory/memory.ts";
import { pairedCalls } from "../memory/pairedCalls.ts";
import type { PlannedPool } from "../memory/plan.ts";
import type { NodeSpecies } from "../species/nodeSpecies.ts";
import type { Kernel } from "../species/staging.ts";
import {
  cotangentKernelOf,
  impulseKernelsOf,
  impulseTangentKernelOf,
  kernelsOfBodySensitivity,
  motionCotangentKernelOf,
  tangentKernelOf,
} from "./sensitivityLibrary.ts";

export interface VectorPlaces {
  /** 12 per body: tangent or cotangent of the state. */
  readonly state: number;
  /** 7 per body: of the next pose. */
  readonly next: number;
  /** 12 per body: of the next state's error. */
  readonly error: number;
  readonly mirror: number;
  /** 3 per contact by hand, then per slot, in scope "contacts": tangent or cotangent of its impulses. */
  readonly impulse: number;
}

/** Numbers of each contact: normal impulse, and friction along its two tangents. */
export const impulseSize = 3;

/** Cotangents of state and input alone, or all there is, or those of contact impulses as well. */
export type SensitivityScope = "motion" | "all" | "contacts";

export function vectorSensitivities(
  plan: LimbPlan,
  register: Register,
  scope: SensitivityScope,
): { places: VectorPlaces; lists: Map<string, CallList> } {
  const { mechanism, memory } = plan;
  const count = mechanism.bodies.length;
  const slots = plan.pools.reduce((sum, pool) => sum + pool.count, 0);
  const places: VectorPlaces = {
    state: memory.reserve(bodyTangentSize * count),
    next: memory.reserve(poseSize * count),
    error: memory.reserve(bodyTangentSize * count),
    mirror: memory.reserve(plan.dataEnd),
    impulse: memory.reserve(scope === "contacts" ? impulseSize * (mechanism.contacts.length + slots) : 0),
  };
  const mirrored = (at: number): number => at + address(places.mirror);
  const bodies = plan.bodies.map(({ addresses }, i) => {
    const more = new Map(addresses);
    for (const kind of ["dot", "bar"]) {
      more.set(`${kind}.state`, address(places.state + tangentAt(i)));
      more.set(`${kind}.next`, address(places.next + poseSize * i));
      more.set(`${kind}.error`, address(places.error + tangentAt(i)));
      for (const name of ["parameters", "wrench", "globals"])
        more.set(`${kind}.${name}`, mirrored(addresses.get(name) as number));
    }
    return more;
  });
  const nodes = plan.nodes.map((node) => {
    const more = new Map(node.addresses);
    for (const kind of ["dot", "bar"]) {
      node.bodies.forEach((body, k) => {
        if (body === worldIndex) return;
        more.set(`${kind}.state.${k}`, address(places.state + tangentAt(body)));
        more.set(`${kind}.next.${k}`, address(places.next + poseSize * body));
        more.set(`${kind}.error.${k}`, address(places.error + tangentAt(body)));
      });
      for (const name of ["parameters.0", "parameters.1", "parameters.2", "inputs", "globals"]) {
        const at = node.addresses.get(name);
        if (at !== undefined) more.set(`${kind}.${name}`, mirrored(at));
      }
    }
    if (node.kind === "contact")
      for (const kind of ["dot", "bar"])
        more.set(`${kind}.impulse`, address(places.impulse + impulseSize * node.index));
    return { addresses: more, spec: node.spec.species, kind: node.kind };
  });
  /** Where the slots of a pool have them. */
  const slotRules = (pool: PlannedPool): Map<string, Rule> => {
    const rule = (how: number, index: number, stride: number): Rule => ({
      ...{ by: how, base: address(index), stride: address(stride) },
    });
    const rules = new Map<string, Rule>();
    const impulse = places.impulse + impulseSize * (mechanism.contacts.length + pool.first);
    for (const kind of ["dot", "bar"]) {
      for (const [k, how] of [by.other, by.body].entries()) {
        rules.set(`${kind}.state.${k}`, rule(how, places.state, bodyTangentSize));
        rules.set(`${kind}.next.${k}`, rule(how, places.next, poseSize));
        rules.set(`${kind}.error.${k}`, rule(how, places.error, bodyTangentSize));
      }
      rules.set(`${kind}.parameters.0`, rule(by.slot, places.mirror + pool.parameters, pool.parameterSize));
      rules.set(`${kind}.globals`, rule(by.slot, places.mirror + plan.places.globals, 0));
      rules.set(`${kind}.impulse`, rule(by.slot, impulse, impulseSize));
    }
    return rules;
  };
  const ofBodies = kernelsOfBodySensitivity(plan.physics);
  const bodyCalls = (kernel: Kernel): CallList =>
    pairedCalls(
      bodies.map((addresses) => ({ kernel, addresses })),
      register,
      plan.sink,
    );
  const nodeCalls = (stage: string, kernelOf: (spec: NodeSpecies) => Kernel, of = nodes): CallList => {
    const list = pairedCalls(
      of.map(({ addresses, spec }) => ({ kernel: kernelOf(spec), addresses })),
      register,
      plan.sink,
    );
    const segment = plan.bound?.addStage(stage, ({ kernels }) => kernelOf(kernels), slotRules);
    if (segment) list.hole(segment, registerNothing(register));
    return list;
  };
  const transposed = transposedVectorSolve(plan, register);
  const lists = new Map<string, CallList>([
    ["cotangentStart", bodyCalls(ofBodies.cotangentStart)],
    ["transposedEnter", transposed.enter],
    ["transposedTwists", transposed.solve],
    ["transposedLeave", transposed.leave],
    ["transposedSolve", transposed.whole],
  ]);
  if (scope === "motion") {
    lists.set(
      "cotangent",
      nodeCalls("cotangent", ({ name, equations }) => motionCotangentKernelOf(name, equations)),
    );
    lists.set("cotangentEnd", bodyCalls(ofBodies.motionCotangentEnd));
    return { places, lists: withPull(lists) };
  }
  lists.set("tangentStart", bodyCalls(ofBodies.tangentStart));
  lists.set("tangentEnd", bodyCalls(ofBodies.tangentEnd));
  lists.set("cotangentEnd", bodyCalls(ofBodies.cotangentEnd));
  lists.set(
    "tangent",
    nodeCalls("tangent", ({ name, equations }) => tangentKernelOf(name, equations)),
  );
  lists.set(
    "cotangent",
    nodeCalls("cotangent", ({ name, equations }) => cotangentKernelOf(name, equations)),
  );
  if (scope === "contacts") {
    const contacts = nodes.filter(({ kind }) => kind === "contact");
    lists.set(
      "impulseStart",
      nodeCalls("impulseStart", ({ name, equations }) => impulseKernelsOf(name, equations).start, contacts),
    );
    lists.set(
      "impulseEnd",
      nodeCalls("impulseEnd", ({ name, equations }) => impulseKernelsOf(name, equations).end, contacts),
    );
    lists.set(
      "impulseTangent",
      nodeCalls("impulseTangent", ({ name, equations }) => impulseTangentKernelOf(name, equations), contacts),
    );
  }
  return { places, lists: withPull(lists) };
}

/** All that a cotangent goes through, in one go. */
function withPull(lists: Map<string, CallList>): Map<string, CallList> {
  const parts = ["cotangentStart", "transposedSolve", "cotangent", "cotangentEnd"];
  return lists.set("pull", joined(...parts.map((name) => lists.get(name) as CallList)));
}
