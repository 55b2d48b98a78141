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
import { SideMasses } from "./sideMasses.ts";

const leastShare = 100;

export class NodeMasses {
  /** Of each body. */
  readonly mass: Float64Array;

  private readonly system: System;
  /** What each body is connected to by joints and contacts, by the number of one of these bodies; and the mass of that. */
  private component: Int32Array;
  private readonly componentMass: Float64Array;
  /** The lighter sides of contacts and joints between two bodies. */
  private readonly sideMasses: SideMasses;
  /** Joints with a coordinate in a gear, through which they may carry more. */
  private readonly geared: ReadonlySet<number>;

  constructor(system: System) {
    const { mechanism } = system;
    this.system = system;
    this.mass = new Float64Array(mechanism.bodies.length);
    this.componentMass = new Float64Array(mechanism.bodies.length);
    this.component = componentsOf(mechanism);
    this.sideMasses = new SideMasses(mechanism);
    this.geared = new Set(mechanism.gears.flatMap(({ terms }) => terms.map(({ joint }) => joint)));
  }

  /** Is called when masses have changed, or what touches. */
  update(): void {
    const { mass, componentMass } = this;
    const { nodes, touch, mechanism } = this.system;
    if (touch) this.component = componentsOf(mechanism, touch.boundNodes);
    componentMass.fill(0);
    for (let i = 0; i < mass.length; i++) componentMass[this.component[i]] += mass[i];
    this.sideMasses.update([...nodes, ...(touch?.boundNodes ?? [])], mass);
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
    if (node.kind === "contact") return Math.min(largest, this.sideMasses.lighter(node));
    if (node.kind !== "joint" || !this.isLight(node, largest)) return largest;
    return Math.min(largest, leastShare * this.sideMasses.lighter(node));
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
}
