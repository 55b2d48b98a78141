import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { testPython } from "./pythonEnvironment.ts";

/**
 * A Python that is a shell script. In an environment that it has made it has NumPy and pytest, unless pip fails; outside it has neither.
 */
function fakePython({ pip }: { pip: "works" | "fails" }): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "python-"));
  mkdirSync(join(folder, "bin"));
  const path = join(folder, "bin/python3");
  writeFileSync(
    path,
    `#!/bin/sh
PATH=/usr/bin:/bin
case "$*" in
*" venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
*" pip "*) echo pip >> ${folder}/calls; ${pip === "works" ? 'touch "$(dirname "$0")/packages"' : "exit 1"} ;;
*numpy*) [ -e "$(dirname "$0")/packages" ] && echo "torch jax" ;;
esac
`,
  );
  chmodSync(path, 0o755);
  return {
    PATH: join(folder, "bin"),
    XDG_CACHE_HOME: join(folder, "cache"),
    FOLDER: folder,
  };
}

describe.skipIf(process.platform === "win32")("the Python of the tests", () => {
  test("is made once with the small packages, and tells which others it lacks", async () => {
    const environment = fakePython({ pip: "works" });
    const first = await testPython(environment);
    const second = await testPython(environment);
    expect(first).toEqual({ path: expect.stringContaining(environment.XDG_CACHE_HOME), missing: ["torch", "jax"] });
    expect(second).toEqual(first);
    expect(readFileSync(join(environment.FOLDER, "calls"), "utf8")).toBe("pip\n");
  });

  test("is missing with a reason where packages cannot be had, and no half environment counts as made", async () => {
    const environment = fakePython({ pip: "fails" });
    const reasons = [await testPython(environment), await testPython(environment)];
    expect(reasons).toEqual(Array(2).fill("pip could not install its packages"));
  });

  test("is DOJO_SIM_PYTHON alone where that is set", async () => {
    const environment = { ...fakePython({ pip: "works" }), DOJO_SIM_PYTHON: "/nowhere/python" };
    expect(await testPython(environment)).toMatch(/^DOJO_SIM_PYTHON \(\/nowhere\/python\) is no Python/);
  });
});
