/**
 * Hears Ctrl-C (SIGINT) and SIGTERM while work goes on that can be ended between two of its pieces. The first asks it to end; the second
 * ends the program at once.
 *
 * A signal that is listened to waits until the event loop turns, so listening is for work that pauses. Everywhere else, as in imports
 * and compilations, signals do what they do by default: they end the program at once. Files are whole in any case (outputFile.ts).
 */

/** 128 + the signal's number, as shells have it. */
const codes = { SIGINT: 130, SIGTERM: 143 } as const;
type Signal = keyof typeof codes;

export class Interruption {
  /** The signal that asked for an end. */
  private heard: Signal | undefined;
  /** The work has ended: nobody asks any more. */
  private isOver = false;
  private readonly controller = new AbortController();

  private constructor() {
    for (const name of signals) process.on(name, this.hear);
  }

  /**
   * Listens while `work` goes on, and until the event loop turns after it. So a signal that comes while the outcome is being written ends the
   * program once it is written.
   */
  static async during<T>(work: (interruption: Interruption) => Promise<T>): Promise<T> {
    const interruption = new Interruption();
    try {
      return await work(interruption);
    } finally {
      interruption.isOver = true;
      // signals are read between two rounds of immediates
      setImmediate(() => setImmediate(() => interruption.release()));
    }
  }

  /** Somebody wants the work to end. */
  get requested(): boolean {
    return this.heard !== undefined;
  }

  /** The same, for work that takes a signal of this kind. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** What to exit with when the work was ended. */
  get exitCode(): number {
    return codes[this.heard ?? "SIGINT"];
  }

  private readonly hear = (signal: NodeJS.Signals): void => {
    this.heard ??= signal as Signal;
    // the next one ends the program, even if nothing pauses any more
    this.release();
    this.controller.abort();
    if (this.isOver) process.kill(process.pid, signal);
  };

  private release(): void {
    for (const name of signals) process.off(name, this.hear);
  }
}

const signals = Object.keys(codes) as Signal[];
