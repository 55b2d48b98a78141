/**
 * The tests of the Python package, where there is a Python with NumPy and pytest: DOJO_SIM_PYTHON, the environment that .ci/run has made,
 * or the one on the path. What needs Gymnasium, PyTorch or JAX is skipped by itself where that is missing. Expects dist/ to be built.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
/** Says "skipped" to scripts/jobs.ts. */
const skipped = 77;

/** The Python of the environment that .ci/run makes, by the hash of what it contains. */
function cachedPython(): string {
  const requirements = readFileSync(join(root, "python/requirements-ci.txt"));
  const hash = createHash("sha256").update(requirements).digest("hex").slice(0, 12);
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(cache, "dojo-sim", `python-${hash}`, "bin", "python");
}

function works(python: string): boolean {
  const program = "import sys, numpy, pytest; sys.exit(sys.version_info < (3, 10))";
  return spawnSync(python, ["-c", program], { stdio: "ignore" }).status === 0;
}

const given = process.env.DOJO_SIM_PYTHON;
const places = given
  ? [given]
  : [cachedPython(), "python3", "python"].filter((place) => !place.includes("/") || existsSync(place));
const python = places.find(works);
if (python === undefined) {
  console.log("no Python 3.10 or newer with NumPy and pytest was found: the tests of the Python package are skipped");
  process.exitCode = skipped;
} else {
  console.log(`with ${python}`);
  const { PYTHONPATH } = process.env;
  const path = [join(root, "python/src"), ...(PYTHONPATH ? [PYTHONPATH] : [])].join(
    process.platform === "win32" ? ";" : ":",
  );
  const args = [
    "-m",
    "pytest",
    "python/tests",
    "-q",
    "-rs",
    "--durations=5",
    "-p",
    "no:cacheprovider",
    ...process.argv.slice(2),
  ];
  const env = { ...process.env, PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: "1" };
  process.exitCode = spawnSync(python, args, { cwd: root, env, stdio: "inherit" }).status ?? 1;
}
