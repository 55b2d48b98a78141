/** Steps the plant and plans, in real time where the machine keeps up. */
import { BalanceRun } from "./balanceRun.ts";
import type { Command, Report } from "./protocol.ts";

interface WorkerPort {
  onmessage: ((event: MessageEvent<Command>) => void) | null;
  postMessage(report: Report): void;
}

const port = self as unknown as WorkerPort;
/** Between frames, ms. */
const interval = 33;

let balance: BalanceRun | undefined;
let run = 0;
let playing = true;
/** Simulated seconds that are due. */
let due = 0;
let last = performance.now();

port.onmessage = ({ data }) => {
  try {
    obey(data);
  } catch (error) {
    fail(error);
  }
};
setTimeout(tick, interval);

function obey(command: Command): void {
  switch (command.kind) {
    case "start":
      run = command.run;
      balance = new BalanceRun(command.settings);
      due = 0;
      port.postMessage({ kind: "scene", run, info: balance.info, frame: balance.frame(performance.now()) });
      break;
    case "change":
      balance?.change(command.settings);
      break;
    case "play":
      playing = command.playing;
      break;
    case "push":
      balance?.push(command.impulse);
      break;
    case "pull":
      balance?.pull(command.pull);
      break;
  }
}

function tick(): void {
  const now = performance.now();
  const passed = Math.min(2 * interval, now - last) / 1000;
  last = now;
  if (balance && playing) {
    due += passed;
    try {
      while (due >= balance.timestep && performance.now() - now < interval) {
        if (!balance.step()) throw new Error("a step of the plant was not solved");
        due -= balance.timestep;
      }
      // what there is no time for is not made up
      due = Math.min(due, balance.timestep);
      port.postMessage({ kind: "frame", run, frame: balance.frame(performance.now()) });
    } catch (error) {
      fail(error);
    }
  }
  // messages are heard in between
  setTimeout(tick, Math.max(0, interval - (performance.now() - now)));
}

function fail(error: unknown): void {
  balance = undefined;
  port.postMessage({ kind: "fault", message: error instanceof Error ? error.message : String(error) });
}
