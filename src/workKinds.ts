/** The kinds of work that come with the package: its workers, threads and machines, know all of them. */
import { fitKind, scoreKind } from "./identification/index.ts";
import { episodeKind } from "./learning/index.ts";
import { rolloutKind } from "./rollouts/index.ts";
import type { AnyWorkKind } from "./work/index.ts";

export const workKinds: readonly AnyWorkKind[] = [rolloutKind, episodeKind, fitKind, scoreKind];
