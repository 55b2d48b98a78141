/** The licences of what the built pages contain, as one text. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Package, and the file with its licence; MuJoCo's package has none and says Apache-2.0, as do others that come with the text. */
const sources: readonly (readonly [string, string])[] = [
  ["three", "three/LICENSE"],
  ["uplot", "uplot/LICENSE"],
  ["fflate", "fflate/LICENSE"],
  ["@xmldom/xmldom", "@xmldom/xmldom/LICENSE"],
  ["@mujoco/mujoco", "typescript/LICENSE"],
];

export function licences(root: string): string {
  const own = readFileSync(join(root, "LICENSE"), "utf8");
  const others = sources.map(([name, file]) => {
    return `\n${"=".repeat(80)}\n${name}\n\n${readFileSync(join(root, "node_modules", file), "utf8")}`;
  });
  return `dojo-sim\n\n${own}${others.join("")}`;
}
