/**
 * The mass m by which the impulses of a node are measured, so that m V is what they are about:
 *   contact   the whole connected mechanism; between two bodies no more than its lighter side
 *   joint     the whole, which may stand on it, but no more than a hundred times its lighter side: what weighs less would hover, creep and
 *             be thrown by what the whole can afford
 *   gear      the heaviest of the wholes that its joints belong to
 */
import type { NodePlace, System } from "../../kernels/index.ts";
import { type SpringGear, worldIndex } from "../../mechanism/index.ts";
import { componentsOf } from "./components.ts";
import { ContactMasses } from "./contactMasses.ts";
import { contactSides } from "./contactSides.ts";

const leastShare = 100;

type Sides = ReturnType<typeof contactSides>;

export class NodeMasses {
  /** Of each body. */
  readonly mass: Float64Array;

  private readonly system: System;
  /** What each body is connected to by joints and contacts, by the number of one of these bodies; and the mass of that. */
  private component: Int32Array;
  private readonly componentMass: Float64Array;
  /** Where contacts come and go. */
  private readonly contactMasses: ContactMasses | undefined;
  /** What either side of each contact between two bodies carries along; null for a side that the world holds. */
  private readonly sides: readonly Sides[];
  /** The same of joints, where it matters; and which of them have a coordinate in a gear, through which they may carry more. */
  private readonly jointSides = new Map<number, Sides>();
  private readonly geared: ReadonlySet<number>;

  constructor(system: System) {
    const { mechanism, touch } = system;
    this.system = system;
    this.mass = new Float64Array(mechanism.bodies.length);
    this.componentMass = new Float64Array(mechanism.bodies.length);
    this.component = componentsOf(mechanism);
    this.sides = touch ? [] : mechanism.contacts.map((contact) => contactSides(mechanism, contact));
    this.contactMasses = touch && new ContactMasses(mechanism);
    this.geared = new Set(mechanism.gears.flatMap(({ terms }) => terms.map(({ joint }) => joint)));
  }

  /** Is called when masses have changed, or what touches. */
  update(): void {
    const { mass, componentMass } = this;
    const { nodes, touch, mechanism } = this.system;
    if (touch) this.component = componentsOf(mechanism, touch.boundNodes);
    componentMass.fill(0);
    for (let i = 0; i < mass.length; i++) componentMass[this.component[i]] += mass[i];
    this.contactMasses?.update([...nodes, ...(touch?.boundNodes ?? [])], mass);
  }

  /** Of all that a body is connected to. */
  ofWhole(body: number): number {
    return this.componentMass[this.component[body]];
  }

  of(node: NodePlace): number {
    const { joints, gears } = this.system.mechanism;
    let largest = 0;
    if (node.kind === "gear") {
      for (const { joint } of gears[node.index].terms) largest = Math.max(largest, this.ofWhole(joints[joint].child));
      return largest;
    }
    for (const body of node.bodies) if (body !== worldIndex) largest = Math.max(largest, this.ofWhole(body));
    if (node.bodies[0] === worldIndex) return largest;
    if (node.kind === "contact") return Math.min(largest, this.lighterSide(node, largest));
    if (node.kind !== "joint" || !this.isLight(node, largest)) return largest;
    return Math.min(largest, leastShare * this.lighterSide(node, largest));
  }

  /** Impulse of a spring over several joints for a unit of speed: as along the coordinate of a joint, of the one that it drives hardest. */
  ofSpring({ terms }: SpringGear, gyration: Float64Array): number {
    const { joints } = this.system.mechanism;
    return terms.reduce((least, { joint, ratio }) => {
      const body = joints[joint].child;
      return Math.min(least, (this.ofWhole(body) * Math.min(1, gyration[body])) / Math.abs(ratio));
    }, Number.POSITIVE_INFINITY);
  }

  /** Whether a joint holds a body so light that it would not show in the units of the whole. */
  private isLight({ index, bodies }: NodePlace, whole: number): boolean {
    const lightest = Math.min(this.mass[bodies[0]], this.mass[bodies[1]]);
    return leastShare * lightest < whole && !this.geared.has(index);
  }

  /** A side that the world holds weighs as much as the whole. */
  private lighterSide(node: NodePlace, whole: number): number {
    const { contactMasses, mass } = this;
    if (contactMasses) return contactMasses.lighter(node);
    const sides = this.sidesOf(node);
    if (!sides) return whole;
    return Math.min(...sides.map((side) => (side ? side.reduce((sum, body) => sum + mass[body], 0) : whole)));
  }

  private sidesOf({ kind, index, bodies: [other, body] }: NodePlace): Sides {
    if (kind === "contact") return this.sides[index];
    if (!this.jointSides.has(index)) this.jointSides.set(index, contactSides(this.system.mechanism, { body, other }));
    return this.jointSides.get(index);
  }
}
