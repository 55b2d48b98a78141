/**
 * Hears Ctrl-C: the first asks the work to end, the second ends the program. Listening also keeps files whole, since signals are
 * heard only between two pieces of work.
 */
import { exitCodes } from "./inputError.ts";

export class Interruption {
  /** Somebody wants the work to end. */
  requested = false;

  constructor() {
    const hear = (): void => {
      if (this.requested) process.exit(exitCodes.interrupted);
      this.requested = true;
    };
    process.on("SIGINT", hear);
    process.on("SIGTERM", hear);
  }
}
