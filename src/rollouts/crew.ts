/**
 * Workers that are handed tasks, one hand after the other, and are replaced when they end before their time.
 *
 * The oldest unanswered task of a worker that ended is the one it was at. It is done again, alone in its hand, so that it is known for
 * certain if another worker ends with it: then it is given up, with the reason. The rest of the hand is no suspect, and is done again.
 * Two workers in a row that end before they are ready mean that none will be: everything is given up.
 */
import type { MechanismDescription } from "../mechanism/index.ts";
import type { RolloutJob, SharedStepOptions } from "./job.ts";
import type { Answer, PostedOutcome, Request } from "./messages.ts";
import { onEnd, onMessage, type RolloutWorker } from "./threads.ts";

/** A job on its way. */
export interface Task {
  readonly id: number;
  readonly job: RolloutJob;
  readonly into: Float64Array | undefined;
  /** Of all tasks that are cancelled together; tasks of one hand have the same. */
  readonly cancelled: Int32Array | undefined;
  /** False once its outcome is of no use: then nothing more is done for it. */
  isWanted(): boolean;
  settle(outcome: PostedOutcome): void;
  /** Whether the task itself is to blame, or all are given up. */
  fail(message: string, isItsOwn: boolean): void;
}

interface Member {
  thread: RolloutWorker | undefined;
  ready: boolean;
  /** Not answered yet, in their order. */
  readonly hand: Task[];
}

/** Milliseconds that a hand should take: long beside a message, short beside the wait of others for the last one. */
const handTime = 5;
const largestHand = 64;
/** Workers that a task may cost. */
const mostLives = 2;
/** Starts in a row that may fail. */
const mostStarts = 2;

export class Crew {
  /** When every worker has compiled the mechanism. */
  readonly ready: Promise<void>;

  private readonly make: () => RolloutWorker;
  private readonly introduction: Request;
  private readonly members: readonly Member[];
  private readonly waiting: Task[] = [];
  /** Workers that ended with a task, of those that did. */
  private readonly lost = new Map<Task, number>();
  private failedStarts = 0;
  /** Why nothing goes any more. */
  private given: string | undefined;
  /** Milliseconds of a task, a running mean. */
  private taskTime = handTime;
  private allReady = false;
  private readonly readiness: { resolve: () => void; reject: (error: Error) => void };

  constructor(count: number, make: () => RolloutWorker, description: MechanismDescription, options: SharedStepOptions) {
    this.make = make;
    this.introduction = { kind: "mechanism", description, options };
    let readiness = { resolve: () => {}, reject: (_: Error) => {} };
    this.ready = new Promise<void>((resolve, reject) => {
      readiness = { resolve, reject };
    });
    this.readiness = readiness;
    // those who only hand in tasks hear of it there
    this.ready.catch(() => {});
    this.members = Array.from({ length: count }, () => ({ thread: undefined, ready: false, hand: [] }));
    for (const member of this.members) this.start(member);
  }

  /** Tasks are begun in their order. */
  add(tasks: readonly Task[]): void {
    if (this.given !== undefined) {
      for (const task of tasks) task.fail(this.given, false);
      return;
    }
    for (const task of tasks) this.waiting.push(task);
    this.dispatch();
  }

  /** Takes those that are not wanted any more from those that wait. Workers hear of it by `cancelled`. */
  forgetUnwanted(): void {
    const wanted = this.waiting.filter((task) => task.isWanted());
    this.waiting.length = 0;
    for (const task of wanted) this.waiting.push(task);
    for (const task of this.lost.keys()) if (!task.isWanted()) this.lost.delete(task);
    this.holdProcess();
  }

  /** Fails all tasks, those to come too, and ends the workers in the middle of their work. */
  async giveUp(message: string): Promise<void> {
    if (this.given !== undefined) return;
    this.given = message;
    const tasks = [...this.members.flatMap(({ hand }) => hand.splice(0)), ...this.waiting.splice(0)];
    for (const task of tasks) task.fail(message, false);
    this.readiness.reject(new Error(`rollouts: ${message}`));
    const threads = this.members.map((member) => {
      const { thread } = member;
      member.thread = undefined;
      return thread;
    });
    await Promise.all(threads.map((thread) => thread?.terminate()));
  }

  private start(member: Member): void {
    let thread: RolloutWorker;
    try {
      thread = this.make();
    } catch (error) {
      void this.giveUp(`a worker cannot be made: ${(error as Error).message}`);
      return;
    }
    member.thread = thread;
    member.ready = false;
    // a replaced worker may still have something to say
    onMessage<Answer>(thread, (answer) => member.thread === thread && this.hear(member, answer));
    onEnd(thread, (reason) => member.thread === thread && this.replace(member, reason));
    thread.postMessage(this.introduction);
    this.holdProcess();
  }

  private hear(member: Member, answer: Answer): void {
    if (answer.kind === "fault") {
      this.replace(member, answer.message);
      return;
    }
    if (answer.kind === "ready") {
      member.ready = true;
      this.failedStarts = 0;
      if (this.members.every(({ ready }) => ready)) {
        this.allReady = true;
        this.readiness.resolve();
      }
    } else {
      const at = member.hand.findIndex(({ id }) => id === answer.id);
      if (at < 0) return;
      const [task] = member.hand.splice(at, 1);
      this.lost.delete(task);
      if (answer.kind === "refusal") task.fail(answer.message, true);
      else {
        this.taskTime += 0.25 * (answer.milliseconds - this.taskTime);
        task.settle(answer.outcome);
      }
    }
    this.dispatch();
  }

  /** A worker has ended: what it had is done again, and by another. */
  private replace(member: Member, reason: string): void {
    void member.thread?.terminate();
    member.thread = undefined;
    if (this.given !== undefined) return;
    if (!member.ready && ++this.failedStarts >= mostStarts) {
      void this.giveUp(`workers end before they are ready: ${reason}`);
      return;
    }
    const [suspect, ...others] = member.hand.splice(0);
    this.waiting.unshift(...others.filter((task) => task.isWanted()));
    if (suspect?.isWanted()) {
      const lives = (this.lost.get(suspect) ?? 0) + 1;
      this.lost.set(suspect, lives);
      if (lives < mostLives) this.waiting.unshift(suspect);
      else {
        this.lost.delete(suspect);
        suspect.fail(`${lives} workers ended with it, the last because ${reason}`, true);
      }
    }
    // one that is not needed now is started when it is
    if (!this.allReady) this.start(member);
    this.dispatch();
  }

  private dispatch(): void {
    for (const member of this.members) {
      if (this.waiting.length === 0) break;
      if (!member.thread) this.start(member);
      else if (member.ready && member.hand.length === 0) this.handTo(member, member.thread);
    }
    this.holdProcess();
  }

  private handTo(member: Member, thread: RolloutWorker): void {
    const share = Math.ceil(this.waiting.length / this.members.length);
    const fitting = Math.floor(handTime / Math.max(this.taskTime, handTime / largestHand));
    const [{ cancelled }] = this.waiting;
    // a suspect goes alone
    const end = this.waiting.findIndex((task) => task.cancelled !== cancelled || this.lost.has(task));
    const together = end < 0 ? this.waiting.length : Math.max(1, end);
    const tasks = this.waiting.splice(0, Math.max(1, Math.min(share, fitting, together)));
    member.hand.push(...tasks);
    const jobs = tasks.map(({ id, job, into }) => ({ id, job, into }));
    thread.postMessage({ kind: "work", jobs, cancelled } satisfies Request);
  }

  /** Node ends when nothing is left to do, though the workers are there. */
  private holdProcess(): void {
    const busy = !this.allReady || this.waiting.length > 0 || this.members.some(({ hand }) => hand.length > 0);
    for (const { thread } of this.members) {
      if (busy) thread?.ref?.();
      else thread?.unref?.();
    }
  }
}
