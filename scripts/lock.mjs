/**
 * A lock between processes: a folder that holds a file in the name of each process it is held for. It is taken by renaming a folder with
 * such a file onto it, which works only while it is missing or empty, and given back by removing the file. The file of a process that is
 * no more may be removed by anybody, for its name is used once; so a dead owner keeps nobody waiting, and two who notice at the same
 * time do each other no harm.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, uptime } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** Milliseconds between two looks. */
const pause = 100;
/** Milliseconds by which clocks may disagree about when the machine was started. */
const slack = 60_000;

/** Waits until the lock is ours. `onWait` is told once whom we wait for. */
export async function acquire(lock, onWait = () => {}) {
  const own = nameFor(process.pid);
  const prepared = `${lock}.${own}`;
  mkdirSync(prepared, { recursive: true });
  writeFileSync(join(prepared, own), "");
  for (let waited = false; !renamed(prepared, lock); ) {
    const owners = living(lock);
    if (owners.length > 0) {
      if (!waited) onWait(owners.map(shown).join(", "));
      waited = true;
      await setTimeout(pause);
    }
  }
  removeLeftovers(lock);
  const files = [own];
  return {
    /** Keeps the lock for another process too, such as a child that goes on when we are ended. */
    holdFor(pid) {
      const name = nameFor(pid);
      writeFileSync(join(lock, name), "");
      files.push(name);
    },
    release() {
      for (const name of files) rmSync(join(lock, name), { force: true });
    },
  };
}

const here = encodeURIComponent(hostname());

function nameFor(pid) {
  return `${here}~${pid}~${randomUUID()}`;
}

function shown(name) {
  const [host, pid] = name.split("~");
  return host === here ? `process ${pid}` : `process ${pid} on ${decodeURIComponent(host)}`;
}

function renamed(prepared, lock) {
  try {
    // an empty folder is in the way on some systems; one with a file stays
    rmdirSync(lock);
  } catch {}
  try {
    renameSync(prepared, lock);
    return true;
  } catch (error) {
    if (["EEXIST", "ENOTEMPTY", "EPERM", "EACCES", "EBUSY"].includes(error.code)) return false;
    throw error;
  }
}

/** Names of those that hold the lock; those of the dead are removed. */
function living(lock) {
  return namesIn(lock).filter((name) => {
    if (isAlive(join(lock, name), name)) return true;
    rmSync(join(lock, name), { force: true });
    return false;
  });
}

function isAlive(file, name) {
  const [host, pid] = name.split("~");
  // nobody here can tell
  if (host !== here) return true;
  try {
    // numbers of processes are given again after a start of the machine
    if (statSync(file).mtimeMs < Date.now() - 1000 * uptime() - slack) return false;
  } catch {
    // it is about to be written
  }
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** What processes that died while they waited have left beside the lock. */
function removeLeftovers(lock) {
  const prefix = `${lock}.`;
  for (const name of namesIn(dirname(lock))) {
    const path = join(dirname(lock), name);
    if (!path.startsWith(prefix)) continue;
    const owner = path.slice(prefix.length);
    if (!isAlive(join(path, owner), owner)) rmSync(path, { recursive: true, force: true });
  }
}

function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
