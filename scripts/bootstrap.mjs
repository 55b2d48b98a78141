/**
 * Entry of every npm script. Installs the development tools when they are missing or older than
 * package-lock.json, then hands over to jobs.ts. Needs Node and npm, nothing else.
 *   node scripts/bootstrap.mjs <job> [arguments]
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { handOver } from "./handOver.mjs";
import { acquire } from "./lock.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const lockFile = join(root, "package-lock.json");
const installedLock = join(root, "node_modules", ".package-lock.json");
const stampFile = join(root, "node_modules", ".dojo-sim-lock-hash");
// npm writes the two lock files a moment apart
const writeSlackMs = 5000;

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Of the lock file that was installed, if anything was. */
function stamp() {
  return existsSync(stampFile) ? readFileSync(stampFile, "utf8") : undefined;
}

/** True when node_modules is what package-lock.json asks for. */
function isInstalled(lockHash) {
  if (!existsSync(installedLock)) return false;
  if (stamp() === lockHash) return true;
  // someone ran npm install by hand: believe it if it is as new as the lock file
  return !existsSync(stampFile) && statSync(installedLock).mtimeMs + writeSlackMs >= statSync(lockFile).mtimeMs;
}

/** One of several that start at the same time installs; the others wait. */
async function install() {
  const lockHash = createHash("sha256").update(readFileSync(lockFile)).digest("hex");
  if (isInstalled(lockHash) && stamp() === lockHash) return;
  const lock = await acquire(join(root, ".tmp/locks/install"), (owners) => {
    console.error(`Waiting for ${owners} to install the development tools ...`);
  });
  try {
    if (!isInstalled(lockHash)) await installNow(lock);
    if (stamp() !== lockHash) writeFileSync(stampFile, lockHash);
  } finally {
    lock.release();
  }
}

function installNow(lock) {
  const begin = performance.now();
  // on standard error: the output of `npm run -s dojo -- list --json` is the command's alone
  console.error("Installing the development tools (npm ci) ...");
  // no package needs its install script, so none is run
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const stdio = ["inherit", process.stderr, "inherit"];
  const child = spawn(npm, args, { cwd: root, stdio, shell: process.platform === "win32" });
  // npm may go on for a while when we are ended
  if (child.pid !== undefined) lock.holdFor(child.pid);
  return new Promise((done, reject) => {
    const failed = () => reject(new Error("npm ci failed: see above. It needs a package registry within reach."));
    child.on("error", failed);
    child.on("exit", (code) => {
      if (code !== 0) return failed();
      console.error(`Installed in ${((performance.now() - begin) / 1000).toFixed(1)} s.`);
      done();
    });
  });
}

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  fail(`The development tools need Node 20.19 or newer; this is ${process.version}.`);
}
await install().catch((error) => fail(error.message));
process.exit(
  await handOver(process.execPath, ["--import", "tsx", join(root, "scripts/jobs.ts"), ...process.argv.slice(2)], {
    cwd: root,
  }),
);
