/**
 * The Python that tests of the Python package run with. Environments lie in the user's cache, outside the clone, and are kept.
 *   tsx scripts/pythonEnvironment.ts     makes the one that continuous integration uses, some gigabytes with PyTorch and JAX
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { acquire } from "./lock.mjs";

const root = join(import.meta.dirname, "..");
/** Files of python/ that list the packages: all that has tests, and the small ones among them. */
export const requirements = { whole: "requirements-ci.txt", small: "requirements-test.txt" } as const;
type Environment = Readonly<Record<string, string | undefined>>;
type Requirements = (typeof requirements)[keyof typeof requirements];

/** Packages whose tests are skipped where they are missing. */
const optional = ["gymnasium", "torch", "jax", "stable_baselines3", "mypy"];
/** Patience, ms: to make a bare environment, to download and unpack its packages, and to check types once. */
const patience = { bare: 120_000, packages: 900_000, types: 300_000 };

export interface TestPython {
  readonly path: string;
  /** The optional packages that it does not have. */
  readonly missing: readonly string[];
}

/**
 * The first Python that can run the tests: DOJO_SIM_PYTHON alone if it is set; else an environment made before, one with the small packages
 * made now, or the Python on the path. A text says why there is none.
 */
export async function testPython(environment: Environment = process.env): Promise<TestPython | string> {
  const given = environment.DOJO_SIM_PYTHON;
  if (given)
    return usable(given, environment) ?? `DOJO_SIM_PYTHON (${given}) is no Python 3.10 or newer with NumPy and pytest`;
  for (const file of Object.values(requirements)) {
    const made = isMade(file, environment) ? usable(pythonOf(file, environment), environment) : undefined;
    if (made) return made;
  }
  const failure = await makeEnvironment(requirements.small, environment);
  const made = failure === undefined ? usable(pythonOf(requirements.small, environment), environment) : undefined;
  return (
    made ??
    usable("python3", environment) ??
    usable("python", environment) ??
    failure ??
    "its environment does not work"
  );
}

/** Makes an environment unless it is there; a text says why it could not be made. One of several at the same time makes it; the others wait. */
export async function makeEnvironment(
  file: Requirements,
  environment: Environment = process.env,
): Promise<string | undefined> {
  if (isMade(file, environment)) return undefined;
  const isNewEnough = "import sys; sys.exit(sys.version_info < (3, 10))";
  const base = ["python3", "python"].find((python) => printed(python, isNewEnough, environment) !== undefined);
  if (base === undefined) return "no Python 3.10 or newer is on the path";
  const place = placeOf(file, environment);
  mkdirSync(join(place, ".."), { recursive: true });
  const lock = await acquire(`${place}.lock`, (owners) => console.log(`waiting for ${owners} to make ${place}`));
  try {
    if (isMade(file, environment)) return undefined;
    console.log(`making ${place} with the packages of python/${file}`);
    rmSync(place, { recursive: true, force: true });
    const python = pythonOf(file, environment);
    const install = ["-m", "pip", "install", "-q", "--retries", "1", "-r", file];
    const bare = ["-m", "venv", place];
    if (!succeeds(base, bare, patience.bare, environment)) return `${base} -m venv fails`;
    if (!succeeds(python, install, patience.packages, environment)) return "pip could not install its packages";
    // what mypy knows of PyTorch and JAX takes a minute to find out, and is kept
    const types = ["-m", "mypy", "--strict", "--cache-dir", join(place, "mypy"), "src/dojo_sim"];
    if (file === requirements.whole) succeeds(python, types, patience.types, environment);
    writeFileSync(join(place, "ready"), "");
    return undefined;
  } finally {
    lock.release();
  }
}

/** The folder of an environment: its name has the hash of what was asked for. */
function placeOf(file: Requirements, environment: Environment): string {
  const hash = createHash("sha256")
    .update(readFileSync(join(root, "python", file)))
    .digest("hex")
    .slice(0, 12);
  return join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "dojo-sim", `python-${hash}`);
}

/** Runs a Python to its end; what it prints is shown. */
function succeeds(python: string, args: readonly string[], timeout: number, env: Environment): boolean {
  const cwd = join(root, "python");
  return spawnSync(python, args, { cwd, env, stdio: ["ignore", "inherit", "inherit"], timeout }).status === 0;
}

const isMade = (file: Requirements, environment: Environment): boolean =>
  existsSync(join(placeOf(file, environment), "ready"));

const pythonOf = (file: Requirements, environment: Environment): string =>
  join(placeOf(file, environment), ...(process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"]));

/** What a Python prints, or undefined if it fails. */
function printed(python: string, program: string, env: Environment): string | undefined {
  const { status, stdout } = spawnSync(python, ["-c", program], { env, encoding: "utf8" });
  return status === 0 ? stdout : undefined;
}

function usable(path: string, environment: Environment): TestPython | undefined {
  const names = JSON.stringify(optional);
  const program = `
import importlib.util, sys, numpy, pytest
print(*[name for name in ${names} if not importlib.util.find_spec(name)])
sys.exit(sys.version_info < (3, 10))`;
  const missing = printed(path, program, environment)?.trim();
  return missing === undefined ? undefined : { path, missing: missing === "" ? [] : missing.split(" ") };
}

if (process.argv[1] === import.meta.filename) {
  const failure = await makeEnvironment(requirements.whole);
  if (failure !== undefined) console.log(`no whole environment for Python: ${failure}`);
  process.exitCode = failure === undefined ? 0 : 1;
}
