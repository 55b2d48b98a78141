/**
 * What a run carries beyond its state, as data: whoever hands it on with the state goes on to the bit, in this simulation, in another, or
 * on another machine. It goes by names, and survives JSON.
 *   angles     how far joints have turned; a state knows that only up to two turns
 *   gears      what turns before the run add to a gear's relation
 *   interval   over which the state's velocities are means
 *   pace       what a step that was divided by a tolerance leaves for the next one to start with
 *   warm       where the last solve ended, from which the next one starts; for its own state alone
 *   touch      which features of shapes are in which slots
 * Every part may be missing. Without angles those of the state count, without the warm part the next step starts cold.
 */
import { anglesOf, type JointState, jointCoordinates, type KnownAngles } from "../../coordinates/index.ts";
import { conesOf, type NodePlace, type System } from "../../kernels/index.ts";
import { cached } from "../../math/index.ts";
import { ArgumentError, equalityGears, findNamed, type Mechanism } from "../../mechanism/index.ts";
import type { Pace } from "../division/pace.ts";
import { currentMechanism } from "../states/currentMechanism.ts";
import type { TouchMemory } from "../touch/touchMemory.ts";
import { fromJson, fromJsonInto, type JsonNumber, toJson } from "./jsonNumbers.ts";
import { type PaceOfRun, paceMemory, paceOfRun } from "./paceOfRun.ts";

const continuationVersion = 1;

export interface Continuation extends KnownAngles {
  readonly version: typeof continuationVersion;
  readonly gears?: Readonly<Record<string, number>>;
  /** Seconds. */
  readonly interval?: number;
  readonly pace?: PaceOfRun;
  readonly warm?: WarmStart;
  /** Contacts by place and the features in them, where shapes touch. */
  readonly touch?: TouchMemory;
}

/** What reading a state of a run may need: how far joints have turned, and the pace of divided steps. */
export type KnownRun = KnownAngles & Pick<Continuation, "pace">;

export interface WarmStart {
  /** The state to which it belongs: the end of the last step. */
  readonly state: readonly JsonNumber[];
  /** Time step of the last step; another one starts cold. */
  readonly timestep: number;
  /** Contacts that took part in the last step, by name; left out where all always do. */
  readonly near?: readonly string[];
  /** Steps for which Newton's method from a predicted start pauses; left out for none. */
  readonly pause?: number;
  /** Steps for which starts are not predicted, after predictions that have jammed; left out for none. */
  readonly jams?: number;
  /** Cone variables by joint, gear or contact, such as "contacts.foot". */
  readonly cones: Readonly<Record<string, ConeHistory>>;
}

/** Impulses and slacks of one node: at the end of the last solve; slacks at the end before that. */
export type ConeHistory = {
  readonly end?: { readonly b: readonly JsonNumber[]; readonly c: readonly JsonNumber[] };
  readonly before?: readonly JsonNumber[];
};

/** The same as arrays, in the order of memory. */
export interface RunMemory {
  /** Angles not far from those of the state, NaN where unknown; and turns of gears. */
  readonly angles: Float64Array;
  readonly gears: Float64Array;
  readonly interval: number | undefined;
  /** The pace of divided steps; unknown if left out. */
  readonly pace?: Readonly<Pace> | undefined;
  readonly warm: WarmMemory | undefined;
  /** The slots to which the warm part belongs, where shapes touch. */
  readonly touch?: TouchMemory | undefined;
}

export interface ConePoint {
  readonly b: Float64Array;
  readonly c: Float64Array;
}

export interface WarmMemory {
  readonly state: Float64Array;
  readonly timestep: number;
  readonly end: ConePoint | undefined;
  /** Slacks of the step before the last one. */
  readonly before: Float64Array | undefined;
  /** Which contacts took part, 1 or 0; undefined where all do. */
  readonly near: Uint8Array | undefined;
  /** How many more steps go by before Newton's method is tried again from predicted starts. */
  readonly pause: number;
  /** The same for predicted starts themselves. */
  readonly jams: number;
}

export function copyOf({ b, c }: ConePoint): ConePoint {
  return { b: b.slice(), c: c.slice() };
}

/** `state` is the one that the memory belongs to, if that is known. */
export function continuationOf(
  system: System,
  memory: RunMemory,
  state?: Float64Array,
  current = currentMechanism(system),
): Continuation {
  const { mechanism } = system;
  const gears = equalityGears(mechanism).flatMap(({ name }, i) =>
    memory.gears[i] === 0 ? [] : [[name, memory.gears[i]]],
  );
  const { interval, pace, warm } = memory;
  return {
    version: continuationVersion,
    angles: state ? anglesAt(system, memory.angles, state, current) : namedAngles(system, memory.angles),
    ...(gears.length > 0 && { gears: Object.fromEntries(gears) }),
    ...(interval !== undefined && { interval }),
    ...(pace && { pace: paceOfRun(mechanism, pace) }),
    ...(warm && { warm: warmStart(system, warm, memory.touch) }),
    ...(memory.touch && { touch: memory.touch }),
  };
}

/** Angles of the state by joint, the nearest to those known; null where a coordinate does not repeat. */
export function anglesAt(
  system: System,
  known: Float64Array,
  state: Float64Array,
  current: Mechanism,
): Continuation["angles"] {
  const values = jointCoordinates(current, state, { angles: namedAngles(system, known) });
  return namedAngles(
    system,
    system.turns.angles.map(
      ({ joint, coordinate }) => values[system.mechanism.joints[joint].coordinateOffset + coordinate],
    ),
  );
}

/** Angles by joint, for the joints that have any. */
export function namedAngles(
  { mechanism, turns }: System,
  values: ArrayLike<number>,
): Record<string, (number | null)[]> {
  const named: Record<string, (number | null)[]> = {};
  turns.angles.forEach(({ joint, coordinate }, i) => {
    const { name, coordinates } = mechanism.joints[joint];
    // a joint may be called "constructor"
    if (!Object.hasOwn(named, name)) named[name] = coordinates.map(() => null);
    named[name][coordinate] = Number.isNaN(values[i]) ? null : values[i];
  });
  return named;
}

/** `touch`: what was in the slots then, whatever is by now. */
function warmStart(system: System, memory: WarmMemory, touch: TouchMemory | undefined): WarmStart {
  const { state, timestep, end, before, near, pause, jams } = memory;
  const cones: Record<string, ConeHistory> = {};
  for (const { path, from, to, slot } of coneNodes(system)) {
    if (slot !== undefined && !touch?.slots[slot]) continue;
    const history: { -readonly [Name in keyof ConeHistory]: ConeHistory[Name] } = {};
    if (end) history.end = { b: numbersOf(end.b, from, to), c: numbersOf(end.c, from, to) };
    if (before) history.before = numbersOf(before, from, to);
    cones[path] = history;
  }
  return {
    state: numbersOf(state, 0, state.length),
    timestep,
    ...(pause > 0 && { pause }),
    ...(jams > 0 && { jams }),
    ...(near && { near: system.mechanism.contacts.filter((_, i) => near[i] === 1).map(({ name }) => name) }),
    cones,
  };
}

/** A loop: `Array.from` with a function takes several times as long. */
function numbersOf(values: Float64Array, from: number, to: number): JsonNumber[] {
  const numbers: JsonNumber[] = [];
  for (let i = from; i < to; i++) numbers.push(toJson(values[i]));
  return numbers;
}

interface ConePlace {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  /** Number of a slot, which a contact between shapes may be in or not. */
  readonly slot?: number;
}

const conePlaces = new WeakMap<System, readonly ConePlace[]>();

/** Nodes that have cones: their names, and where these lie. */
function coneNodes(system: System): readonly ConePlace[] {
  return cached(conePlaces, system, findConeNodes);
}

function findConeNodes({ mechanism, nodes, touch }: System): ConePlace[] {
  const place = (node: NodePlace, path: string): ConePlace => {
    const to = conesOf(node).reduce((end, { size }) => end + size, node.cone);
    return { path, from: node.cone, to };
  };
  const owners = nodes.filter(({ roles }) => roles.length > 0);
  return [
    ...owners.map((node) => place(node, pathOf(mechanism, node))),
    ...(touch?.nodes ?? []).map((node, slot) => ({ ...place(node, `slots.${slot}`), slot })),
  ];
}

function pathOf({ joints, gears, contacts }: Mechanism, { kind, index }: NodePlace): string {
  if (kind === "joint") return `joints.${joints[index].name}`;
  return kind === "contact" ? `contacts.${contacts[index].name}` : `gears.${gears[index].name}`;
}

/** Throws where the continuation is of another version, or has names or sizes that the mechanism has not. */
export function runMemory(system: System, continuation: Continuation): RunMemory {
  const { mechanism, turns } = system;
  const { version, angles, gears = {}, interval, pace, warm } = continuation;
  if (version !== continuationVersion || !isRecord(angles)) {
    const given =
      version === continuationVersion ? "without angles" : `of version ${JSON.stringify(version)?.slice(0, 50)}`;
    const message = `${given}; give one of version ${continuationVersion}, with angles by joint`;
    throw new ArgumentError("out-of-range", "continuation", message);
  }
  requireParts(continuation);
  const { joints } = mechanism;
  for (const [name, values] of Object.entries(angles)) {
    const joint = findNamed(joints, name);
    if (!joint)
      throw new ArgumentError("unknown-joint", `continuation.angles.${name}`, "the mechanism has no such joint");
    const count = joint.coordinates.length;
    const isKnown = (value: unknown): boolean => value === null || Number.isFinite(value);
    if (Array.isArray(values) && values.length === count && values.every(isKnown)) continue;
    const message = `${JSON.stringify(values)?.slice(0, 50)}; give ${count} finite numbers, null for those that are not known`;
    throw new ArgumentError("wrong-size", `continuation.angles.${name}`, message);
  }
  return {
    angles: Float64Array.from(
      turns.angles,
      ({ joint, coordinate }) => angles[joints[joint].name]?.[coordinate] ?? Number.NaN,
    ),
    gears: Float64Array.from(equalityGears(mechanism), ({ name }) => (Object.hasOwn(gears, name) ? gears[name] : 0)),
    interval,
    pace: pace && paceMemory(mechanism, pace),
    warm: warm && warmMemory(system, warm),
    touch: continuation.touch,
  };
}

const isRecord = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

/** Throws where a part that is there is of another kind. */
function requireParts({ gears, interval, warm, touch }: Continuation): void {
  const parts = { gears, touch, warm, ...(isRecord(warm) && { "warm.cones": warm?.cones ?? null }) };
  for (const [name, part] of Object.entries(parts)) {
    if (part === undefined || isRecord(part)) continue;
    throw new ArgumentError("wrong-type", `continuation.${name}`, "give what a run has left, or leave it out");
  }
  const numbers = { interval, ...Object.fromEntries(Object.entries(gears ?? {}).map(([k, v]) => [`gears.${k}`, v])) };
  for (const [name, value] of Object.entries(numbers)) {
    if (value === undefined || Number.isFinite(value)) continue;
    throw new ArgumentError("wrong-type", `continuation.${name}`, `${JSON.stringify(value)} is no number`);
  }
}

/** Undefined, and so cold, where a cone has no history: contacts and joints may come and go. */
function warmMemory(
  system: System,
  { state, timestep, near, pause = 0, jams = 0, cones }: WarmStart,
): WarmMemory | undefined {
  const places = coneNodes(system);
  const end = (): ConePoint | undefined => {
    const point = { b: new Float64Array(system.coneSize), c: new Float64Array(system.coneSize) };
    for (const { path, from, to, slot } of places) {
      if (slot !== undefined && !cones[path]) continue;
      const pair = cones[path]?.end;
      if (pair?.b?.length !== to - from || pair.c?.length !== to - from) return undefined;
      fromJsonInto(point.b, from, pair.b, () => `continuation.warm.cones.${path}.end.b`);
      fromJsonInto(point.c, from, pair.c, () => `continuation.warm.cones.${path}.end.c`);
    }
    return point;
  };
  const slacksBefore = (): Float64Array | undefined => {
    const slacks = new Float64Array(system.coneSize);
    for (const { path, from, to, slot } of places) {
      if (slot !== undefined && !cones[path]) continue;
      const known = cones[path]?.before;
      if (known?.length !== to - from) return undefined;
      fromJsonInto(slacks, from, known, () => `continuation.warm.cones.${path}.before`);
    }
    return slacks;
  };
  if (!Array.isArray(state) || state.length !== system.mechanism.stateSize) return undefined;
  const took = Array.isArray(near) ? new Set<string>(near) : undefined;
  return {
    state: fromJson(state, "continuation.warm.state"),
    timestep,
    end: end(),
    before: slacksBefore(),
    pause,
    jams,
    near: took && Uint8Array.from(system.mechanism.contacts, ({ name }) => (took.has(name) ? 1 : 0)),
  };
}

/**
 * A run that starts from these joint positions, by name or as a minimal state, though its angles be turns away from those that the state
 * has: `rollout(maximalState(mechanism, joints), { continuation: continuationAt(mechanism, joints) })`.
 */
export function continuationAt(
  mechanism: Mechanism,
  positions: Readonly<Record<string, JointState>> | Float64Array,
): Continuation {
  if (positions instanceof Float64Array)
    return { version: continuationVersion, angles: anglesOf(mechanism, positions) };
  const known = Object.entries(positions).flatMap(([name, { position }]) =>
    position ? [[name, position] as const] : [],
  );
  return { version: continuationVersion, angles: Object.fromEntries(known) };
}
