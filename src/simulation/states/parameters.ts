/** What can be set between steps: parameters by name, and wrenches on bodies. They lie in the memory of a simulation's system. */
import type { System } from "../../kernels/index.ts";
import { cached, type Vector3 } from "../../math/index.ts";
import {
  ArgumentError,
  type Mechanism,
  type MechanismDescription,
  matchingParameters,
  named,
  nearestName,
} from "../../mechanism/index.ts";
import { currentDescription } from "./currentDescription.ts";
import { currentMechanism } from "./currentMechanism.ts";
import { areStillHeld, heldContactsNote } from "./heldContacts.ts";
import { requireParameter } from "./parameterRules.ts";

/** Whose they are: a simulation. */
interface Owner {
  readonly mechanism: Mechanism;
  readonly system: System;
  readonly parameterPlaces: ReadonlyMap<string, number>;
}

/** Parameters, time step and wrenches of a simulation at some time. */
export interface SimulationSnapshot {
  /** Values in the order of `parameterNames`. */
  readonly parameters: Float64Array;
  /** Force and torque on each body. */
  readonly wrenches: Float64Array;
}

export class Parameters {
  /** How often any were set, wrenches included. */
  changes = 0;
  private readonly owner: Owner;
  /** The mechanism with the values that it was made with, which are unknown until some are set; and whether they may be others by now. */
  private current: { readonly mechanism: Mechanism; values: Float64Array | undefined; isOld: boolean };
  /** Memory indices in the order of `parameterNames`, and whose they are. */
  private ordered:
    | {
        readonly places: ReadonlyMap<string, number>;
        readonly indices: Int32Array;
        readonly paths: Map<string, string[]>;
      }
    | undefined;

  constructor(owner: Owner) {
    this.owner = owner;
    this.current = { mechanism: owner.mechanism, values: undefined, isOld: false };
  }

  /** The mechanism with the values of now; the owner's own until one is set. It is made anew where values differ from its own. */
  get currentMechanism(): Mechanism {
    const { current } = this;
    if (!current.isOld) return current.mechanism;
    if (!this.areNow(current.values as Float64Array)) {
      const values = this.valuesNow();
      this.current = { mechanism: this.described(this.presentMechanism(), values), values, isOld: false };
    }
    this.current.isOld = false;
    return this.current.mechanism;
  }

  /** Is called before values are set. */
  private begin(): void {
    this.changes++;
    this.current.values ??= this.valuesNow();
    this.current.isOld = true;
  }

  private valuesNow(): Float64Array {
    const { f64 } = this.owner.system;
    const { indices } = this;
    const values = new Float64Array(indices.length);
    for (let i = 0; i < indices.length; i++) values[i] = f64[indices[i]];
    return values;
  }

  private areNow(values: Float64Array): boolean {
    const { f64 } = this.owner.system;
    const { indices } = this;
    for (let i = 0; i < indices.length; i++) if (!Object.is(f64[indices[i]], values[i])) return false;
    return true;
  }

  private presentMechanism(): Mechanism {
    const { touch, contacts } = this.owner.mechanism;
    const present = currentMechanism(this.owner.system);
    return touch ? { ...present, touch, contacts: present.contacts.slice(0, contacts.length) } : present;
  }

  /** A mechanism with these values, whose description is made when it is first read. */
  private described(present: Mechanism, values: Float64Array): Mechanism {
    const { mechanism, parameterPlaces } = this.owner;
    const paths = [...parameterPlaces.keys()];
    let description: MechanismDescription | undefined;
    const get = (): MechanismDescription => {
      description ??= currentDescription(mechanism, present, new Map(paths.map((path, i) => [path, values[i]])));
      return description;
    };
    return Object.defineProperty({ ...present }, "description", { get, enumerable: true });
  }

  value(path: string): number {
    return this.owner.system.f64[this.index(path)];
  }

  /** All of them, or none when one is refused. "*" in a path stands for any name. */
  set(values: Readonly<Record<string, number>>): void {
    const { f64 } = this.owner.system;
    this.begin();
    const changes = Object.entries(values).flatMap(([pattern, value]) =>
      this.paths(pattern).map((path) => {
        const index = this.index(path);
        return { path, value, index, before: f64[index] };
      }),
    );
    for (const { index, value } of changes) f64[index] = value;
    try {
      for (const { path, before } of changes) {
        requireParameter(this.owner.mechanism, path, before, (name) => this.value(name));
      }
      this.requireHeld(changes);
    } catch (error) {
      for (const { index, before } of changes) f64[index] = before;
      throw error;
    }
  }

  /** Throws where something that joints held is held no longer: the mechanism is compiled without it. */
  private requireHeld(changes: readonly { readonly path: string }[]): void {
    const { heldContacts, touch } = this.owner.mechanism;
    if (heldContacts.length === 0 && !touch?.held.length) return;
    const moved = changes.find(({ path }) => /^(joints|gears)\./.test(path));
    if (!moved || areStillHeld(this.presentMechanism())) return;
    const message = `moves what joints kept where it touches (${heldContactsNote(this.owner.mechanism)}); compile a description with the new value`;
    throw new ArgumentError("compiled-without", moved.path, message);
  }

  setWrench(body: string, wrench: { readonly force?: Vector3; readonly torque?: Vector3 }): void {
    const { mechanism, system } = this.owner;
    const { index } = named(mechanism.bodies, body, "body");
    const { force = [0, 0, 0], torque = [0, 0, 0] } = wrench;
    requireVector(`wrench.${body}.force`, force);
    requireVector(`wrench.${body}.torque`, torque);
    this.changes++;
    system.f64.set([...force, ...torque], system.places.wrench + 6 * index);
  }

  save(): SimulationSnapshot {
    const { system, mechanism } = this.owner;
    const { f64, places } = system;
    return {
      parameters: this.valuesNow(),
      wrenches: f64.slice(places.wrench, places.wrench + 6 * mechanism.bodies.length),
    };
  }

  restore({ parameters: values, wrenches }: SimulationSnapshot): void {
    const { system, parameterPlaces, mechanism } = this.owner;
    const { f64, places } = system;
    if (values.length !== parameterPlaces.size || wrenches.length !== 6 * mechanism.bodies.length) {
      const message = `it has ${values.length} parameters, ${mechanism.name} has ${parameterPlaces.size}; restore what this mechanism saved`;
      throw new ArgumentError("wrong-size", "snapshot", message);
    }
    this.begin();
    const { indices } = this;
    for (let i = 0; i < indices.length; i++) f64[indices[i]] = values[i];
    f64.set(wrenches, places.wrench);
  }

  private get indices(): Int32Array {
    return this.order().indices;
  }

  private order(): NonNullable<Parameters["ordered"]> {
    const { parameterPlaces: places } = this.owner;
    if (this.ordered?.places !== places)
      this.ordered = { places, indices: Int32Array.from(places.values()), paths: new Map() };
    return this.ordered;
  }

  /** What a pattern means is found once. */
  private paths(pattern: string): readonly string[] {
    if (!pattern.includes("*")) return [pattern];
    const { places, paths } = this.order();
    const found = cached(paths, pattern, () => matchingParameters(pattern, [...places.keys()]));
    if (found.length > 0) return found;
    if (!pattern.includes(".")) {
      const message = 'stands for parameters of different kinds; name one kind, such as "bodies.*.mass"';
      throw new ArgumentError("unknown-parameter", pattern, message);
    }
    // all that it fits may be held
    return pattern.startsWith("contacts.") && this.owner.mechanism.heldContacts.length > 0 ? [] : [pattern];
  }

  private index(path: string): number {
    const { parameterPlaces } = this.owner;
    const index = parameterPlaces.get(path);
    if (index !== undefined) return index;
    const held = this.owner.mechanism.heldContacts.find(({ name }) => path.startsWith(`contacts.${name}.`));
    if (held) {
      const message = `has no effect: joints keep contact "${held.name}" where it touches, so that it takes no part in steps`;
      throw new ArgumentError("compiled-without", path, message);
    }
    const nearest = nearestName(path, [...parameterPlaces.keys()]);
    const hint =
      nearest === undefined
        ? "parameterNames lists all, and so does dojo inspect --names"
        : `did you mean "${nearest}"? parameterNames lists all, and so does dojo inspect --names`;
    throw new ArgumentError("unknown-parameter", path, `no such parameter; ${hint}`);
  }
}

function requireVector(path: string, value: readonly number[]): void {
  if (value.length === 3 && value.every(Number.isFinite)) return;
  throw new ArgumentError(
    "not-finite",
    path,
    `[${value.join(", ")}]; give three finite numbers, or leave it out for none`,
  );
}
