/**
 * Workers that are handed tasks, one hand after the other, and are replaced when they end before their time.
 *
 * The oldest unanswered task of a worker that ended is the one it was at. It is done again, alone in its hand, so that it is known for
 * certain if another worker ends with it: then it is given up, with the reason. The rest of the hand is no suspect, and is done again.
 * A context that two workers end with while they make it ready fails its tasks in the same way. Two workers in a row that end before
 * their script runs mean that none will: everything is given up.
 */
import type { Answer, Request } from "./messages.ts";
import { onEnd, onMessage, type WorkThread } from "./threads.ts";

/** What tasks have in common, sent once to each worker. */
export interface Context {
  readonly id: number;
  /** Name of the kind of work. */
  readonly work: string;
  readonly data: unknown;
}

/** A job on its way. */
export interface Task {
  readonly id: number;
  readonly context: Context;
  readonly job: unknown;
  /** The flag of all tasks that are cancelled together; tasks of one hand have the same. */
  readonly cancelled: Int32Array | undefined;
  /** False once its outcome is of no use: then nothing more is done for it. */
  isWanted(): boolean;
  settle(outcome: unknown): void;
  fail(message: string, blame: Blame): void;
}

/** Why a task has no outcome. */
export interface Blame {
  /** It cannot be begun, or workers ended with it; else it is one of many that are given up. */
  readonly isItsOwn: boolean;
  /** Workers ended: others may fare better. */
  readonly brokeDown: boolean;
}

interface Member {
  thread: WorkThread | undefined;
  /** Its script runs. */
  up: boolean;
  /** Those that were sent, in their order, and whether they are ready. */
  readonly contexts: Map<Context, boolean>;
  /** Not answered yet, in their order. */
  readonly hand: Task[];
  /** When it was last heard, or handed something while it had nothing to do. */
  since: number;
}

/** Somebody who waits until all workers have a context. */
interface Awaited {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(unprepared: Unprepared): void;
}

/** Why a context is not ready. */
export interface Unprepared {
  readonly message: string;
  readonly brokeDown: boolean;
}

/** Milliseconds that a hand should take: long beside a message, short beside the wait of others for the last one. */
const handTime = 5;
const largestHand = 64;
/** Workers that a task or a context may cost. */
const mostLives = 2;
/** Starts in a row that may fail. */
const mostStarts = 2;

export class Crew {
  private readonly make: () => WorkThread;
  private readonly members: readonly Member[];
  private readonly waiting: Task[] = [];
  /** Workers that ended with a task or a context, of those that did. */
  private readonly lost = new Map<Task | Context, number>();
  private readonly awaited = new Map<Context, Awaited>();
  /** Milliseconds of a context's tasks, a running mean. */
  private readonly taskTimes = new WeakMap<Context, number>();
  private failedStarts = 0;
  /** Why nothing goes any more. */
  private given: string | undefined;
  /** Longest time of a job, seconds. */
  private readonly jobLimit: number;
  private watch: ReturnType<typeof setInterval> | undefined;

  constructor(count: number, make: () => WorkThread, jobLimit = Number.POSITIVE_INFINITY) {
    this.make = make;
    this.jobLimit = jobLimit;
    this.members = Array.from({ length: count }, () => ({
      thread: undefined,
      up: false,
      contexts: new Map(),
      hand: [],
      since: 0,
    }));
  }

  /** Tasks are begun in their order. */
  add(tasks: readonly Task[]): void {
    if (this.given !== undefined) {
      for (const task of tasks) task.fail(this.given, { isItsOwn: false, brokeDown: true });
      return;
    }
    for (const task of tasks) this.waiting.push(task);
    this.dispatch();
  }

  /** When every worker has made a context ready; rejects with `Unprepared`. */
  prepare(context: Context): Promise<void> {
    if (this.given !== undefined) return Promise.reject({ message: this.given, brokeDown: true } satisfies Unprepared);
    const known = this.awaited.get(context);
    if (known) return known.promise;
    const awaited = newPromise();
    this.awaited.set(context, awaited);
    for (const member of this.members) {
      if (!member.thread) this.start(member);
      else this.send(member, member.thread, context);
    }
    this.settleReady(context);
    this.holdProcess();
    return awaited.promise;
  }

  /** A context that is hardly asked for any more. */
  forget(context: Context): void {
    for (const { thread, contexts } of this.members) {
      if (contexts.delete(context)) thread?.postMessage({ kind: "forget", context: context.id } satisfies Request);
    }
  }

  /** Takes those that are not wanted any more from those that wait. Workers hear of it by `cancelled`. */
  forgetUnwanted(): void {
    const wanted = this.waiting.filter((task) => task.isWanted());
    this.waiting.length = 0;
    for (const task of wanted) this.waiting.push(task);
    for (const task of this.lost.keys()) if ("isWanted" in task && !task.isWanted()) this.lost.delete(task);
    this.holdProcess();
  }

  /** Fails all tasks, those to come too, and ends the workers in the middle of their work. */
  async giveUp(message: string): Promise<void> {
    if (this.given !== undefined) return;
    this.given = message;
    clearInterval(this.watch);
    const tasks = [...this.members.flatMap(({ hand }) => hand.splice(0)), ...this.waiting.splice(0)];
    for (const task of tasks) task.fail(message, { isItsOwn: false, brokeDown: true });
    for (const { reject } of this.awaited.values()) reject({ message, brokeDown: true });
    const threads = this.members.map((member) => {
      const { thread } = member;
      member.thread = undefined;
      return thread;
    });
    await Promise.all(threads.map((thread) => thread?.terminate()));
  }

  private start(member: Member): void {
    if (this.given !== undefined) return;
    let thread: WorkThread;
    try {
      thread = this.make();
    } catch (error) {
      void this.giveUp(`a worker cannot be made: ${(error as Error).message}`);
      return;
    }
    member.thread = thread;
    member.up = false;
    // a replaced worker may still have something to say
    onMessage<Answer>(thread, (answer) => member.thread === thread && this.hear(member, answer));
    onEnd(thread, (reason) => member.thread === thread && this.replace(member, reason));
    // those that somebody waits for, and what is worked at
    for (const context of this.awaited.keys()) this.send(member, thread, context);
    if (this.waiting.length > 0) this.send(member, thread, this.waiting[0].context);
  }

  private send(member: Member, thread: WorkThread, context: Context): void {
    const { contexts, hand } = member;
    if (contexts.has(context)) return;
    if (hand.length === 0) member.since = performance.now();
    contexts.set(context, false);
    const { id, work, data } = context;
    thread.postMessage({ kind: "context", context: id, work, data } satisfies Request);
  }

  private hear(member: Member, answer: Answer): void {
    member.since = performance.now();
    if (answer.kind === "hello") {
      member.up = true;
      this.failedStarts = 0;
    } else if (answer.kind === "prepared" || answer.kind === "unprepared") {
      const context = [...member.contexts.keys()].find(({ id }) => id === answer.context);
      if (!context) return;
      this.lost.delete(context);
      if (answer.kind === "prepared") {
        member.contexts.set(context, true);
        this.settleReady(context);
      } else {
        member.contexts.delete(context);
        this.fail(context, `the context cannot be prepared: ${answer.message}`, false);
      }
    } else {
      const at = member.hand.findIndex(({ id }) => id === answer.id);
      if (at < 0) return;
      const [task] = member.hand.splice(at, 1);
      this.lost.delete(task);
      if (answer.kind === "refusal") task.fail(answer.message, { isItsOwn: true, brokeDown: false });
      else {
        const mean = this.taskTimes.get(task.context) ?? handTime;
        this.taskTimes.set(task.context, mean + 0.25 * (answer.milliseconds - mean));
        task.settle(answer.outcome);
      }
      // as long as it has others, nobody has become free
      if (member.hand.length > 0) return;
    }
    this.dispatch();
  }

  private settleReady(context: Context): void {
    const awaited = this.awaited.get(context);
    if (!awaited || !this.members.every(({ contexts }) => contexts.get(context))) return;
    this.awaited.delete(context);
    awaited.resolve();
  }

  /** All that has to do with a context fails. */
  private fail(context: Context, message: string, brokeDown: boolean): void {
    const all = this.waiting.splice(0);
    for (const task of all) if (task.context !== context) this.waiting.push(task);
    for (const task of all) if (task.context === context) task.fail(message, { isItsOwn: false, brokeDown });
    this.awaited.get(context)?.reject({ message, brokeDown });
    this.awaited.delete(context);
  }

  /** A worker has ended: what it had is done again, and by another. */
  private replace(member: Member, reason: string): void {
    void member.thread?.terminate();
    member.thread = undefined;
    const unready = [...member.contexts].find(([, isReady]) => !isReady)?.[0];
    member.contexts.clear();
    if (this.given !== undefined) return;
    if (!member.up && ++this.failedStarts >= mostStarts) {
      void this.giveUp(`workers end before they are ready: ${reason}`);
      return;
    }
    const [suspect, ...others] = member.hand.splice(0);
    this.waiting.unshift(...others.filter((task) => task.isWanted()));
    if (suspect?.isWanted()) {
      if (this.mayTryAgain(suspect)) this.waiting.unshift(suspect);
      else {
        const message = `${mostLives} workers ended with it, the last because ${reason}`;
        suspect.fail(message, { isItsOwn: true, brokeDown: true });
      }
    } else if (!suspect && unready && member.up && !this.mayTryAgain(unready)) {
      this.fail(
        unready,
        `${mostLives} workers ended while they prepared the context, the last because ${reason}`,
        true,
      );
    }
    // one that is not needed now is started when it is
    if (this.awaited.size > 0) this.start(member);
    this.dispatch();
  }

  /** Ends workers that take longer than a job may. */
  private endOverdue(): void {
    const earliest = performance.now() - 1000 * this.jobLimit;
    for (const member of this.members) {
      const [task, ...others] = member.hand;
      const isBusy = task !== undefined || [...member.contexts.values()].includes(false);
      if (!isBusy || !member.thread || member.since > earliest) continue;
      const reason = `it took longer than ${this.jobLimit} s, the limit of a job here`;
      member.hand.length = 0;
      this.waiting.unshift(...others.filter((other) => other.isWanted()));
      task?.fail(reason, { isItsOwn: true, brokeDown: false });
      this.replace(member, reason);
    }
  }

  /** Counts a worker that ended with something. */
  private mayTryAgain(suspect: Task | Context): boolean {
    const lives = (this.lost.get(suspect) ?? 0) + 1;
    if (lives < mostLives) this.lost.set(suspect, lives);
    else this.lost.delete(suspect);
    return lives < mostLives;
  }

  private dispatch(): void {
    for (const member of this.members) {
      if (this.waiting.length > 0 && member.hand.length === 0 && member.contexts.get(this.waiting[0].context)) {
        this.handTo(member);
      }
    }
    // no more workers than tasks that are left
    const idle = this.members.filter(({ hand }) => hand.length === 0).slice(0, this.waiting.length);
    for (const member of idle) {
      if (!member.thread) this.start(member);
      else if (member.up && this.waiting.length > 0) this.send(member, member.thread, this.waiting[0].context);
    }
    this.holdProcess();
  }

  private handTo(member: Member): void {
    const { thread, hand } = member;
    member.since = performance.now();
    const [{ cancelled, context }] = this.waiting;
    const share = Math.ceil(this.waiting.length / this.members.length);
    const taskTime = this.taskTimes.get(context) ?? handTime;
    const fitting = Math.floor(handTime / Math.max(taskTime, handTime / largestHand));
    // a suspect goes alone
    const end = this.waiting.findIndex(
      (task) => task.cancelled !== cancelled || task.context !== context || this.lost.has(task),
    );
    const together = end < 0 ? this.waiting.length : Math.max(1, end);
    const tasks = this.waiting.splice(0, Math.max(1, Math.min(share, fitting, together)));
    hand.push(...tasks);
    const jobs = tasks.map(({ id, job }) => ({ id, job }));
    thread?.postMessage({ kind: "work", context: context.id, jobs, cancelled } satisfies Request);
  }

  /** Node ends when nothing is left to do, though the workers are there. */
  private holdProcess(): void {
    const busy = this.awaited.size > 0 || this.waiting.length > 0 || this.members.some(({ hand }) => hand.length > 0);
    for (const { thread } of this.members) {
      if (busy) thread?.ref?.();
      else thread?.unref?.();
    }
    if (this.jobLimit === Number.POSITIVE_INFINITY || busy === (this.watch !== undefined)) return;
    clearInterval(this.watch);
    this.watch = busy ? setInterval(() => this.endOverdue(), Math.min(1000, 250 * this.jobLimit)) : undefined;
  }
}

function newPromise(): Awaited {
  let settle = { resolve: () => {}, reject: (_: Unprepared) => {} };
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // those who only hand in tasks hear of it there
  promise.catch(() => {});
  return { promise, ...settle };
}
