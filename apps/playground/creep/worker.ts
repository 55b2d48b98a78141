/** Steps both blocks in real time. MuJoCo is loaded when the worker starts; our block does not wait for it. */
import { type Block, EngineBlock, MujocoBlock, type Reading } from "./blocks.ts";
import type { Command, EngineName, Report } from "./protocol.ts";
import type { CreepSettings } from "./settings.ts";
import { slopeDescription } from "./slope.ts";

interface WorkerPort {
  onmessage: ((event: MessageEvent<Command>) => void) | null;
  postMessage(report: Report): void;
}

type MakeBlock = (settings: CreepSettings) => Block;

const port = self as unknown as WorkerPort;
/** Between reports, ms; and the share of it that steps may take. */
const interval = 33;
const budget = 24;

const makers: Partial<Record<EngineName, MakeBlock>> = { engine: (settings) => new EngineBlock(settings) };
let blocks: Partial<Record<EngineName, Block>> = {};
let settings: CreepSettings | undefined;
let run = 0;
let steps = 0;
let playing = false;
let speed = 1;
/** Simulated seconds that are due. */
let due = 0;
let last = performance.now();

port.onmessage = ({ data }) => {
  if (data.kind === "play") {
    playing = data.playing;
    speed = data.speed;
    return;
  }
  run = data.run;
  settings = data.settings;
  begin();
};

void loadMujoco();
setInterval(tick, interval);

/** The npm package leaves its 10 MB out: what is not there is said apart from what does not run. */
async function loadMujoco(): Promise<void> {
  const peer = await import("../../../experiments/peers/mujoco.ts").catch(() => undefined);
  if (peer === undefined) {
    fail(
      "mujoco",
      "MuJoCo is not beside this page: the npm package leaves it out. A clone has it: npm run dojo -- view",
    );
    return;
  }
  const { loadMujoco: load, MujocoPeer } = peer;
  try {
    const mujoco = await load();
    makers.mujoco = (chosen) => {
      const { cone, integrator } = chosen;
      return new MujocoBlock(chosen, new MujocoPeer(mujoco, slopeDescription(chosen), { cone, integrator }));
    };
    // the page begins anew, so that both start together
    port.postMessage({ kind: "loaded", version: mujoco.mj_versionString() });
  } catch (error) {
    fail("mujoco", `MuJoCo cannot run here: ${reason(error)}`);
  }
}

function begin(): void {
  for (const block of Object.values(blocks)) block.dispose();
  blocks = {};
  steps = 0;
  due = 0;
  for (const name of Object.keys(makers) as EngineName[]) {
    attempt(name, () => {
      blocks[name] = makers[name]?.(settings as CreepSettings);
    });
  }
  report();
}

/** An engine that fails is left out; the other goes on. */
function attempt(name: EngineName, work: () => void): void {
  try {
    work();
  } catch (error) {
    delete blocks[name];
    fail(name, `It stopped: ${reason(error)}`);
  }
}

function fail(engine: EngineName, message: string): void {
  port.postMessage({ kind: "fault", engine, message });
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function tick(): void {
  const now = performance.now();
  const passed = Math.min(2 * interval, now - last) / 1000;
  last = now;
  if (!settings || !playing) return;
  due += speed * passed;
  const { timestep } = settings;
  while (due >= timestep && performance.now() - now < budget) {
    for (const name of Object.keys(blocks) as EngineName[]) attempt(name, () => blocks[name]?.step());
    steps++;
    due -= timestep;
  }
  // what there is no time for is not made up
  due = Math.min(due, timestep);
  report();
}

function report(): void {
  const readings: Partial<Record<EngineName, Reading>> = {};
  for (const name of Object.keys(blocks) as EngineName[]) {
    attempt(name, () => {
      readings[name] = blocks[name]?.reading();
    });
  }
  port.postMessage({ kind: "frame", run, time: steps * (settings?.timestep ?? 0), readings });
}
