/**
 * The tests of the Python package, with the Python that scripts/pythonEnvironment.ts finds or makes. Expects dist/ to be built. What was
 * not tested is said in the file that NOT_TESTED names, for the last line of the job.
 *   tsx scripts/pythonTests.ts [arguments of pytest]
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { sayNotTested } from "./notTested.ts";
import { testPython } from "./pythonEnvironment.ts";

const root = join(import.meta.dirname, "..");
/** Tells scripts/jobs.ts that the stage was skipped. */
const skipped = 77;

const python = await testPython();
if (typeof python === "string") {
  console.log(`the tests of the Python package are skipped: ${python}`);
  sayNotTested(`the Python package (${python})`);
  process.exitCode = skipped;
} else {
  console.log(`with ${python.path}`);
  if (python.missing.length > 0) sayNotTested(`Python with ${python.missing.join(", ")}`);
  const { PYTHONPATH } = process.env;
  const separator = process.platform === "win32" ? ";" : ":";
  const path = [join(root, "python/src"), ...(PYTHONPATH ? [PYTHONPATH] : [])].join(separator);
  const options = ["-q", "-rs", "--durations=5", "-p", "no:cacheprovider"];
  const given = process.argv.slice(2);
  const paths = given.some((argument) => argument.startsWith("python/")) ? [] : ["python/tests"];
  const args = ["-m", "pytest", ...paths, ...options, ...given];
  const env = { ...process.env, PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: "1" };
  process.exitCode = spawnSync(python.path, args, { cwd: root, env, stdio: "inherit" }).status ?? 1;
}
