/** Steps the plant, in real time where the planner keeps up, and shows it thirty times per second. */
import { BalanceRun } from "./balanceRun.ts";
import type { Command, PlannerCommand, PlannerReport, Report } from "./protocol.ts";

interface WorkerPort {
  onmessage: ((event: MessageEvent<Command>) => void) | null;
  postMessage(report: Report): void;
}

const page = self as unknown as WorkerPort;
/** Between frames, ms. */
const interval = 33;
/** What there is no time for is not made up, beyond this: ms. */
const mostDue = 50;

let planner: MessagePort | undefined;
let balance: BalanceRun | undefined;
let run = 0;
let playing = true;
/** Simulated time that is due, ms. */
let due = 0;
let last = performance.now();

page.onmessage = ({ data }) => guarded(() => obey(data));
setInterval(() => guarded(show), interval);

function obey(command: Command): void {
  switch (command.kind) {
    case "planner":
      planner = command.port;
      planner.onmessage = ({ data }: MessageEvent<PlannerReport>) => guarded(() => hear(data));
      break;
    case "start":
      run = command.run;
      tell({ kind: "start", run, settings: command.settings });
      balance = new BalanceRun(command.settings, (request) => tell({ kind: "plan", run, request }));
      due = 0;
      last = performance.now();
      page.postMessage({
        kind: "scene",
        run,
        info: balance.info,
        frame: balance.frame(performance.now()),
        goals: balance.goals,
      });
      break;
    case "change":
      if (!balance) break;
      balance.change(command.settings);
      tell({ kind: "change", run, settings: command.settings, step: balance.steps });
      break;
    case "play":
      playing = command.playing;
      last = performance.now();
      balance?.rates.clear();
      break;
    case "push":
      balance?.push(command.impulse);
      break;
    case "pull":
      balance?.pull(command.pull);
      break;
  }
}

/** Plans of a run that is over are left aside. */
function hear(report: PlannerReport): void {
  if (report.run !== run) return;
  if (report.kind === "fault") throw new Error(report.message);
  balance?.take(report.reply, performance.now());
  goOn();
}

function tell(command: PlannerCommand): void {
  planner?.postMessage(command);
}

function show(): void {
  if (!balance || !playing) return;
  goOn();
  page.postMessage({ kind: "frame", run, frame: balance.frame(performance.now()) });
}

/** As far as the clock and the planner allow. */
function goOn(): void {
  if (!balance || !playing) return;
  const now = performance.now();
  due = Math.min(mostDue, due + now - last);
  last = now;
  const h = 1000 * balance.timestep;
  while (due >= h && performance.now() - now < interval) {
    const outcome = balance.step();
    if (outcome === "waiting") return;
    if (outcome === "failed") throw new Error("a step of the plant was not solved");
    due -= h;
  }
}

function guarded(act: () => void): void {
  try {
    act();
  } catch (error) {
    balance = undefined;
    page.postMessage({ kind: "fault", run, message: error instanceof Error ? error.message : String(error) });
  }
}
