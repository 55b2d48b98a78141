/**
 * A wrong argument: one fault in the form of all others. What a description's and a state's errors list, this one is.
 *   unknown-joint at joints.hinge: no such joint; have: shoulder, elbow
 */
import { visibleText } from "./visibleText.ts";

/** One thing that is wrong, for programs and for people. */
export interface ArgumentFault {
  /** Stable, for programs. */
  readonly code: string;
  /** Where, such as joints.hinge.position[2]. */
  readonly path: string;
  /** What is wrong and a way out. */
  readonly message: string;
}

export class ArgumentError extends RangeError {
  readonly code: string;
  readonly path: string;
  readonly faults: readonly ArgumentFault[];

  constructor(code: string, path: string, message: string) {
    super(visibleText(`${code} at ${path}: ${message}`));
    this.name = "ArgumentError";
    this.code = code;
    this.path = path;
    this.faults = [{ code, path, message }];
  }
}
