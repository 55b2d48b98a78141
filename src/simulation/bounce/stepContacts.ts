/**
 * The contacts of a system by number: those of the mechanism, then the slots that are bound at run time, in their order
 * (kernels/elimination/boundSlots.ts). Slots come and go, so the lists follow `touch.version`.
 */

import { type ContactSpecies, contactNames, gapParameter } from "../../equations/index.ts";
import { contactSpecies, type NodePlace, poolSpecies, type System } from "../../kernels/index.ts";
import { cached } from "../../math/index.ts";
import type { TouchPool } from "../../mechanism/index.ts";

/** What contacts of one kind have in common, with places among their parameters. */
export interface ContactKind {
  readonly species: ContactSpecies;
  /** The coefficient; −1 where there is none. */
  readonly restitution: number;
  /** What moves the gap, and has no other effect. */
  readonly gap: number;
  /** The place after the last one of a step. */
  readonly end: number;
}

export class StepContacts {
  /** As many as there can be. */
  readonly capacity: number;
  private readonly system: System;
  private readonly own: number;
  private readonly allNodes: NodePlace[];
  private readonly allKinds: ContactKind[];
  private readonly ofPools = new Map<TouchPool, ContactKind>();
  private version = 0;

  constructor(system: System) {
    const { mechanism, nodes, touch } = system;
    this.system = system;
    this.own = mechanism.contacts.length;
    this.allNodes = mechanism.contacts.map(
      ({ index }) => nodes.find((node) => node.kind === "contact" && node.index === index) as NodePlace,
    );
    this.allKinds = mechanism.contacts.map((contact) => kindOf(contactSpecies(contact)));
    this.capacity = this.own + (touch?.nodes.length ?? 0);
  }

  get nodes(): readonly NodePlace[] {
    this.follow();
    return this.allNodes;
  }

  get kinds(): readonly ContactKind[] {
    this.follow();
    return this.allKinds;
  }

  private follow(): void {
    const { system, own, allNodes, allKinds, ofPools } = this;
    const { touch } = system;
    if (!touch || touch.version === this.version) return;
    this.version = touch.version;
    allNodes.length = allKinds.length = own;
    for (let k = 0; k < touch.bound.length; k++) {
      const { pool } = touch.slot(touch.bound[k]);
      allNodes.push(touch.boundNodes[k]);
      allKinds.push(cached(ofPools, pool, () => kindOf(poolSpecies(pool))));
    }
  }
}

/** Whether anything in a step may bounce. */
export function mayBounce({ mechanism, pools }: Pick<System, "mechanism" | "pools">): boolean {
  return mechanism.contacts.some(({ restitution }) => restitution !== null) || pools.some(({ bounces }) => bounces);
}

function kindOf(species: ContactSpecies): ContactKind {
  const names = contactNames(species);
  const [restitution, gap] = [names.indexOf("restitution"), names.indexOf(gapParameter(species.feature))];
  return { species, restitution, gap, end: names.length };
}
