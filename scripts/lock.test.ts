/** Two first `npm run` at the same time: one installs and builds, the other waits. */
import { spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { acquire } from "./lock.mjs";

const folder = mkdtempSync(join(tmpdir(), "lock-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly output: string;
}

function run(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (output += text));
  return new Promise((done) => child.on("close", (code, signal) => done({ code, signal, output })));
}

/** A number that belongs to no process: that of one that has just ended. */
async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await new Promise((done) => child.on("close", done));
  return child.pid as number;
}

describe("a lock", () => {
  test("is held by one process at a time, and outlives those that are killed", async () => {
    const [lock, log] = [join(folder, "shared"), join(folder, "log")];
    const program = join(folder, "holder.mjs");
    writeFileSync(
      program,
      `import { appendFileSync } from "node:fs";
      import { setTimeout } from "node:timers/promises";
      import { acquire } from ${JSON.stringify(join(import.meta.dirname, "lock.mjs"))};
      const held = await acquire(${JSON.stringify(lock)});
      appendFileSync(${JSON.stringify(log)}, "in\\n");
      await setTimeout(50);
      appendFileSync(${JSON.stringify(log)}, "out\\n");
      if (process.argv[2] === "die") process.kill(process.pid, "SIGKILL");
      held.release();`,
    );
    const fates = ["live", "die", "live", "die", "live", "die"];
    const ended = await Promise.all(fates.map((fate) => run([program, fate])));
    expect(ended.map(({ code, signal }) => signal ?? code)).toEqual([0, "SIGKILL", 0, "SIGKILL", 0, "SIGKILL"]);
    expect(readFileSync(log, "utf8")).toBe("in\nout\n".repeat(fates.length));
    // a last one finds it free, and nothing is left of those that waited
    (await acquire(lock)).release();
    expect(readdirSync(folder).filter((name) => name.startsWith("shared"))).toEqual(["shared"]);
    expect(readdirSync(lock)).toEqual([]);
  });

  test("is waited for while any of those it is held for lives", async () => {
    const lock = join(folder, "child");
    const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 1e6)"]);
    const held = await acquire(lock);
    held.holdFor(child.pid as number);
    // as if we had been killed: the child alone holds it
    for (const name of readdirSync(lock)) if (name.includes(`~${process.pid}~`)) rmSync(join(lock, name));
    let owners = "";
    const next = acquire(lock, (found) => {
      owners = found;
    });
    await setTimeout(300);
    expect(owners).toBe(`process ${child.pid}`);
    child.kill("SIGKILL");
    (await next).release();
  });

  test("of a process before the machine's last start is free, though another has its number", async () => {
    const lock = join(folder, "old");
    mkdirSync(lock);
    const file = join(lock, `${encodeURIComponent(hostname())}~${process.pid}~x`);
    writeFileSync(file, "");
    utimesSync(file, 1, 1);
    (await acquire(lock)).release();
  });

  test("of a dead process is free; one of another machine is not", async () => {
    const lock = join(folder, "elsewhere");
    mkdirSync(lock);
    const pid = await deadProcess();
    writeFileSync(join(lock, `${encodeURIComponent(hostname())}~${pid}~x`), "");
    writeFileSync(join(lock, `elsewhere~${pid}~x`), "");
    let owners = "";
    const next = acquire(lock, (found) => {
      owners = found;
    });
    await setTimeout(250);
    expect(owners).toBe(`process ${pid} on elsewhere`);
    rmSync(join(lock, `elsewhere~${pid}~x`));
    (await next).release();
  });
});

test("a folder that a living process has only just made beside the lock is left to it", async () => {
  const lock = join(folder, "beside");
  const made = `${lock}.${encodeURIComponent(hostname())}~${process.pid}~x`;
  mkdirSync(made, { recursive: true });
  (await acquire(lock)).release();
  expect(existsSync(made)).toBe(true);
});

test.skipIf(process.platform === "win32")("two first runs at the same time install once, and both go on", async () => {
  const root = join(folder, "clone");
  mkdirSync(join(root, "scripts"), { recursive: true });
  mkdirSync(join(root, "bin"));
  for (const name of ["bootstrap.mjs", "lock.mjs", "handOver.mjs"]) {
    copyFileSync(join(import.meta.dirname, name), join(root, "scripts", name));
  }
  writeFileSync(join(root, "package-lock.json"), "{}");
  writeFileSync(join(root, "scripts/jobs.ts"), 'import "tool"; process.exit(Number(process.argv[2]));\n');
  // takes until somebody waits for it, where it is told to, and starts with an empty folder as npm ci does
  const npm = `#!/bin/sh
echo begin >> ${root}/log
rm -rf node_modules
mkdir -p node_modules/tsx node_modules/tool
echo '{ "name": "tsx", "exports": "./index.js" }' > node_modules/tsx/package.json
: > node_modules/tsx/index.js
while [ -e ${root}/patient ] && ! ls -d ${root}/.tmp/locks/install.* >/dev/null 2>&1; do sleep 0.05; done
sleep 0.5
echo '{ "name": "tool", "exports": "./index.js" }' > node_modules/tool/package.json
: > node_modules/tool/index.js
: > node_modules/.package-lock.json
echo end >> ${root}/log
`;
  writeFileSync(join(root, "bin/npm"), npm);
  chmodSync(join(root, "bin/npm"), 0o755);
  // what it is to run is plain JavaScript, whatever this Node makes of its ending
  copyFileSync(join(root, "scripts/jobs.ts"), join(root, "scripts/jobs.mjs"));
  const bootstrap = join(root, "scripts/bootstrap.mjs");
  writeFileSync(bootstrap, readFileSync(bootstrap, "utf8").replace("scripts/jobs.ts", "scripts/jobs.mjs"));
  const env = { PATH: `${join(root, "bin")}:${process.env.PATH}` };
  writeFileSync(join(root, "patient"), "");
  const ended = await Promise.all([run([bootstrap, "0"], env), run([bootstrap, "7"], env), run([bootstrap, "0"], env)]);
  expect(ended.map(({ code }) => code)).toEqual([0, 7, 0]);
  expect(readFileSync(join(root, "log"), "utf8")).toBe("begin\nend\n");
  expect(ended.filter(({ output }) => /Waiting for process \d+/.test(output)).length).toBeGreaterThan(0);
  rmSync(join(root, "patient"));
  // one that fails leaves nothing that keeps the next one waiting
  appendFileSync(join(root, "package-lock.json"), " ");
  writeFileSync(join(root, "bin/npm"), "#!/bin/sh\nexit 1\n");
  expect((await run([bootstrap, "0"], env)).output).toContain("npm ci failed");
  writeFileSync(join(root, "bin/npm"), npm);
  expect(await run([bootstrap, "0"], env)).toMatchObject({ code: 0 });
  expect(existsSync(join(root, "node_modules/tool/index.js"))).toBe(true);
});
