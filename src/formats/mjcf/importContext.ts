/** What the parts of an import share. */
import type { Defaults } from "./defaults.ts";
import type { MjcfDocument } from "./document.ts";
import type { CoordinateOf } from "./joints.ts";
import type { Ledger } from "./ledger.ts";
import type { LinkTable } from "./links.ts";
import type { MjJoint, MjTree } from "./model.ts";
import type { DampingRatioMass, MovedInertias } from "./movedInertia.ts";

export interface ImportContext {
  readonly document: MjcfDocument;
  readonly defaults: Defaults;
  readonly ledger: Ledger;
  readonly tree: MjTree;
  readonly links: LinkTable;
  readonly coordinates: ReadonlyMap<MjJoint, CoordinateOf>;
  readonly inertias: MovedInertias;
  readonly dampratio: DampingRatioMass;
}
