/** What `stepGradients` returns: the step's report, its next state, and the Jacobians. */
import { impulseSize } from "../kernels/index.ts";
import { ArgumentError } from "../mechanism/index.ts";
import { copyReportInto, type PathParameter, type StepReport } from "../simulation/index.ts";
import type { ImpulseJacobians } from "./contactImpulses.ts";
import type { Coordinates } from "./jacobians.ts";
import { noHintNote } from "./noHint.ts";

export interface GradientSizes {
  readonly stateSize: number;
  readonly inputSize: number;
  /** Rows of every Jacobian: 12 per body, or twice the joint coordinates. */
  readonly rows: number;
  readonly coordinates: Coordinates;
  readonly parameterNames: readonly string[];
  readonly contactNames: readonly string[];
}

/** A step whose Jacobians were read though it has none. */
export class NoGradientsError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "NoGradientsError";
  }
}

/**
 * Its arrays are its own until it is handed in again as `into`, which overwrites all of it. The Jacobians of a step that cannot be
 * differentiated throw when they are read.
 */
export class StepGradients implements Readonly<StepReport> {
  status: StepReport["status"] = "solved";
  iterations = 0;
  retries = 0;
  substeps = 1;
  interval = 0;
  residualViolation = 0;
  complementarityViolation = 0;
  lockedJoint: StepReport["lockedJoint"];
  precision: StepReport["precision"];
  frictionScale: StepReport["frictionScale"];
  overlap: StepReport["overlap"];
  /** Where on the central path the step was differentiated: neither is given of its end. */
  kappa: number | undefined;
  relativeKappa: number | undefined;
  readonly next: Float64Array;
  /** Those of the Jacobians. */
  readonly coordinates: Coordinates;
  /** Rows of every Jacobian: 12 per body, or twice the joint coordinates. */
  readonly rows: number;
  /** Columns of `dNext_dParameter`. */
  readonly parameterNames: readonly string[];
  /** The contacts asked for, of which `impulses` and its Jacobians have three rows each. */
  readonly contactNames: readonly string[];
  /** Whether the Jacobians are there: the step was solved, its point was found, and they are finite. */
  differentiable = false;

  /** The gradients at a second place, and whether the last step was asked for them. */
  private second: StepGradients | undefined;
  private hasSecond = false;
  private readonly sizes: GradientSizes;
  private readonly byState: Float64Array;
  private readonly byInput: Float64Array;
  private readonly byParameter: Float64Array;
  private readonly nextCoordinates: Float64Array;
  private readonly contacts: ContactGradients;

  constructor(sizes: GradientSizes) {
    const { stateSize, inputSize, rows, coordinates, parameterNames, contactNames } = sizes;
    this.sizes = sizes;
    this.rows = rows;
    this.coordinates = coordinates;
    this.parameterNames = parameterNames;
    this.contactNames = contactNames;
    const impulses = impulseSize * contactNames.length;
    this.contacts = impulses > 0 ? contactGradients(impulses, rows, inputSize) : noContacts;
    // one buffer: making four takes longer than a small step
    const [states, inputs, parameters] = [rows * rows, rows * inputSize, rows * parameterNames.length];
    const minimal = coordinates === "minimal" ? rows : 0;
    const { buffer } = new Float64Array(states + inputs + parameters + stateSize + minimal);
    this.byState = new Float64Array(buffer, 0, states);
    this.byInput = new Float64Array(buffer, 8 * states, inputs);
    this.byParameter = new Float64Array(buffer, 8 * (states + inputs), parameters);
    this.next = new Float64Array(buffer, 8 * (states + inputs + parameters), stateSize);
    this.nextCoordinates = new Float64Array(buffer, 8 * (states + inputs + parameters + stateSize), minimal);
  }

  /** κ' of the smoothed point that was differentiated, 0 of the end of the step; undefined where `kappa` says where. */
  get smoothing(): number | undefined {
    return this.kappa === undefined ? (this.relativeKappa ?? 0) : undefined;
  }

  /** Says so where the gradient by every input is exactly 0, and what helps; undefined as a rule. */
  get note(): string | undefined {
    return this.differentiable ? noHintNote(this, [this.byInput]) : undefined;
  }

  /** Joint positions, then velocities, of `next`, angles as the run counts them. Jacobians in minimal coordinates come with it. */
  get minimalNext(): Float64Array {
    if (this.coordinates === "minimal") return this.nextCoordinates;
    const message = 'the gradients are in maximal coordinates; ask for them with coordinates: "minimal"';
    throw new ArgumentError("unsupported", "minimalNext", message);
  }

  /** Row-major, `rows` × `rows`. */
  get dNext_dState(): Float64Array {
    this.require();
    return this.byState;
  }

  /** Row-major, `rows` × inputs. */
  get dNext_dInput(): Float64Array {
    this.require();
    return this.byInput;
  }

  /** Row-major, `rows` × parameters asked for. */
  get dNext_dParameter(): Float64Array {
    this.require();
    return this.byParameter;
  }

  /**
   * Normal impulse, N·s, of each contact asked for, and friction along its two tangents, at the point on the central path that was
   * differentiated. `simulation.contact` has the sharp forces.
   */
  get impulses(): Float64Array {
    this.require();
    return this.contacts.impulses;
  }

  /** Row-major, 3 per contact × `rows`. */
  get dImpulse_dState(): Float64Array {
    this.require();
    return this.contacts.byState;
  }

  /** Row-major, 3 per contact × inputs. */
  get dImpulse_dInput(): Float64Array {
    this.require();
    return this.contacts.byInput;
  }

  /** The same step differentiated where `also` has asked for it. */
  get also(): StepGradients {
    if (this.second && this.hasSecond) return this.second;
    const message = "these gradients were asked for at one place; give the other as `also`";
    throw new ArgumentError("missing", "also", message);
  }

  /** Where the Jacobians at a second κ go, if the step that is recorded next has any; made when first asked for. */
  prepareAlso(isAsked: boolean): StepGradients | undefined {
    this.hasSecond = isAsked;
    if (isAsked) this.second ??= new StepGradients(this.sizes);
    return isAsked ? this.second : undefined;
  }

  /** Throws where it was made for something else. */
  requireSizes({ stateSize, inputSize, rows, coordinates, parameterNames, contactNames }: GradientSizes): void {
    const fits =
      this.next.length === stateSize &&
      this.coordinates === coordinates &&
      this.rows === rows &&
      this.byInput.length === rows * inputSize &&
      isSameList(this.parameterNames, parameterNames) &&
      isSameList(this.contactNames, contactNames);
    if (fits) return;
    const message = `it has ${this.rows} rows in ${this.coordinates} coordinates, ${this.parameterNames.length} parameters and ${this.contactNames.length} contacts; hand in what an earlier call with these options has returned`;
    throw new ArgumentError("wrong-size", "into", message);
  }

  /** Takes over a step, which was differentiated there. */
  record(report: Readonly<StepReport>, { kappa, relativeKappa }: PathParameter, next: Float64Array): void {
    this.frictionScale = this.overlap = undefined;
    copyReportInto(this, report);
    this.kappa = kappa;
    this.relativeKappa = relativeKappa;
    this.next.set(next);
  }

  /** Has its Jacobians filled in by `write`, which returns false where there are none. */
  fill(write: JacobianWriter): void {
    this.differentiable = write(this.byState, this.byInput, this.byParameter, this.contacts);
  }

  private require(): void {
    if (this.differentiable) return;
    const wayOut = "look at `differentiable` first; a larger smoothing or a smaller timestep may help";
    const why =
      this.status === "solved"
        ? "its point was not found, or its derivatives are not finite"
        : `it ended as ${this.status}`;
    throw new NoGradientsError(`the step has no gradients: ${why}; ${wayOut}`);
  }
}

export type JacobianWriter = (
  byState: Float64Array,
  byInput: Float64Array,
  byParameter: Float64Array,
  contacts: ContactGradients,
) => boolean;

/** Impulses of contacts, and their Jacobians. */
export interface ContactGradients extends ImpulseJacobians {
  readonly impulses: Float64Array;
}

function contactGradients(impulses: number, rows: number, inputs: number): ContactGradients {
  return {
    impulses: new Float64Array(impulses),
    byState: new Float64Array(impulses * rows),
    byInput: new Float64Array(impulses * inputs),
  };
}

const noContacts = contactGradients(0, 0, 0);

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}
