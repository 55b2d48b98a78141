/** Runs experiments one after the other, each in a process of its own, and has their results drawn in another. */
import { type ChildProcess, fork } from "node:child_process";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Answer, Answers, Request, Task } from "./presentWorker.ts";
import type { Progress } from "./runWorker.ts";

export interface Outcome extends Task {
  readonly seconds: number;
  /** Its tables and remarks; undefined when it failed. */
  readonly text: string | undefined;
}

export interface Series {
  readonly tasks: readonly Task[];
  readonly quick: boolean;
  /** Address of a Redis whose workers are measured too. */
  readonly redis?: string | undefined;
  /** Where the page goes, if one is wanted. */
  readonly page: string | undefined;
  /** Ends the run; results that are written stay. */
  readonly signal: AbortSignal;
  /** How far the present task is, from 0 to 1, and about how long all that is left will take. */
  readonly onProgress: (name: string, fraction: number, doing: string, secondsLeft: number) => void;
  readonly onOutcome: (outcome: Outcome) => void;
}

/** Milliseconds within which all processes of a terminal hear the same signal. */
const signalDelay = 50;

export async function runSeries(series: Series): Promise<void> {
  const { tasks, quick, page, signal, onOutcome } = series;
  const presenter = new Presenter(signal);
  try {
    const expected = await presenter.ask({ kind: "describe", names: tasks.map(({ name }) => name) });
    const outcomes: Outcome[] = [];
    for (const task of tasks) {
      const begin = performance.now();
      const ran = await runTask(task, series, expected);
      // Ctrl-C may end the task before it is heard here
      if (!ran) await setTimeout(signalDelay);
      if (signal.aborted) return;
      const text = ran ? await presented(presenter, task) : undefined;
      const outcome = { ...task, seconds: (performance.now() - begin) / 1000, text };
      outcomes.push(outcome);
      onOutcome(outcome);
    }
    if (page === undefined) return;
    const done = outcomes.filter(({ text }) => text !== undefined);
    const failed = outcomes.filter(({ text }) => text === undefined).map(({ name }) => name);
    await presenter.ask({ kind: "page", file: page, quick, done, failed });
  } catch (error) {
    // the presenter ends with the signal, whatever it was asked
    if (!signal.aborted) throw error;
  } finally {
    presenter.end();
  }
}

/** Tables and remarks, or undefined when they cannot be made. */
async function presented(presenter: Presenter, task: Task): Promise<string | undefined> {
  try {
    return await presenter.ask({ kind: "present", task });
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return undefined;
  }
}

/** Whether the experiment came to its end. */
function runTask(task: Task, series: Series, expected: Answers["describe"]): Promise<boolean> {
  const { tasks, quick, redis, signal, onProgress } = series;
  const secondsOf = ({ name }: Task): number => expected[name]?.[quick ? "quick" : "full"] ?? 0;
  const later = tasks.slice(tasks.indexOf(task) + 1).reduce((sum, each) => sum + secondsOf(each), 0);
  const begin = performance.now();
  onProgress(task.name, 0, "starting", secondsOf(task) + later);
  const args = [task.name, task.out, quick ? "--quick" : "--full", ...(redis === undefined ? [] : [redis])];
  const child = start("runWorker.js", args, signal);
  child.on("message", (message) => {
    const { fraction, doing } = message as Progress;
    const elapsed = (performance.now() - begin) / 1000;
    // what it said beforehand, until it has shown its own pace
    const whole = fraction > 0.1 ? elapsed / fraction : secondsOf(task);
    onProgress(task.name, fraction, doing, (1 - fraction) * whole + later);
  });
  return new Promise((resolve) => {
    child.on("close", (code) => resolve(code === 0));
  });
}

/** A process that answers one request after the other. */
class Presenter {
  private readonly child: ChildProcess;

  constructor(signal: AbortSignal) {
    this.child = start("presentWorker.js", [], signal);
  }

  ask<Kind extends Request["kind"]>(request: Extract<Request, { kind: Kind }>): Promise<Answers[Kind]> {
    return new Promise((resolve, reject) => {
      const heard = (answer: Answer<Kind>): void => {
        this.child.off("close", closed);
        if ("value" in answer) resolve(answer.value);
        else reject(new Error(answer.fault));
      };
      const closed = (): void => reject(new Error("the process that draws figures has ended"));
      this.child.once("message", heard as (message: unknown) => void);
      this.child.once("close", closed);
      this.child.send(request);
    });
  }

  end(): void {
    if (this.child.connected) this.child.disconnect();
  }
}

/** A bundle beside this one. What it prints goes to standard error, since standard output is for results. */
function start(file: string, args: readonly string[], signal: AbortSignal): ChildProcess {
  const path = join(dirname(fileURLToPath(import.meta.url)), file);
  const child = fork(path, args, { stdio: ["ignore", 2, 2, "ipc"] });
  const end = (): void => {
    child.kill();
  };
  signal.addEventListener("abort", end);
  child.on("close", () => signal.removeEventListener("abort", end));
  return child;
}
