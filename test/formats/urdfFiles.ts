/** Published URDF files for tests, read from beside the repository; there are none in it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { UrdfOptions } from "../../src/index.ts";

const folder = join(import.meta.dirname, "../../../shared/models");

export interface UrdfFile {
  readonly name: string;
  readonly text: string;
  readonly options: UrdfOptions;
  /** Where to start instead of the importer's initial state, which may be an equilibrium. */
  readonly start: Readonly<Record<string, { readonly position: readonly number[] }>> | undefined;
}

/** Arms and exoskeletons stand on a base with mass, which no rule can see. */
const standing = ["panda.urdf", "exoskeleton.urdf"];

/** The four-bar hangs straight down at zero; this opens it to a rhombus. */
const starts: Readonly<Record<string, UrdfFile["start"]>> = {
  "fourbar.urdf": {
    jointb1: { position: [0.5] },
    joint12: { position: [-1] },
    jointb3: { position: [-0.5] },
    joint34: { position: [1] },
  },
};

export const urdfFiles: readonly UrdfFile[] = existsSync(folder)
  ? readdirSync(folder)
      .filter((name) => name.endsWith(".urdf"))
      .sort()
      .map((name) => ({
        name,
        text: readFileSync(join(folder, name), "utf8"),
        options: { fileName: name, ...(standing.includes(name) && { base: "fixed" as const }) },
        start: starts[name],
      }))
  : [];
