/** What the worker has told so far, and what of it belongs to the current settings. */
import { exact } from "../../../experiments/gradient-comparison/box.ts";
import type { Values } from "./boxLens.ts";
import type { Curve } from "./exactCurve.ts";
import {
  curveKey,
  type PointReply,
  type Reply,
  type SmoothedCurveReply,
  type SmoothedPointReply,
  smoothingKey,
} from "./protocol.ts";
import { type LensSettings, offeredKappas } from "./settings.ts";

/** One κ: what is known of it. */
export interface Line {
  /** Class that gives the colour; "own" is the reader's κ. */
  readonly key: string;
  readonly kappa: number;
  readonly curve: Curve | undefined;
  readonly values: Values | undefined;
}

export interface Snapshot {
  readonly settings: LensSettings;
  /** To which the values belong: while the force is dragged, a little behind it. */
  readonly force: number;
  readonly hard: Values;
  /** The reader's own κ last, so that it is drawn on top. */
  readonly lines: readonly Line[];
  readonly own: Line;
  /** Seconds of one gradient at the own κ. */
  readonly seconds: number | undefined;
  readonly estimate: SmoothedPointReply | undefined;
  readonly smoothedCurve: SmoothedCurveReply | undefined;
  /** Everything that was asked for is there. */
  readonly complete: boolean;
}

export class Knowledge {
  private readonly curves = new Map<string, Curve>();
  private point: PointReply | undefined;
  private seconds: number | undefined;
  private smoothedPoint: SmoothedPointReply | undefined;
  private smoothedCurve: SmoothedCurveReply | undefined;

  take(reply: Reply): void {
    if (reply.kind === "point") this.point = reply;
    else if (reply.kind === "timing") this.seconds = reply.seconds;
    else if (reply.kind === "curve") this.curves.set(curveKey(reply.direction, reply.kappa), reply.curve);
    else if (reply.kind === "smoothedPoint") this.smoothedPoint = reply;
    else if (reply.kind === "smoothedCurve") this.smoothedCurve = reply;
  }

  /** For the settings of the last request. */
  snapshot(settings: LensSettings, request: number): Snapshot {
    const { direction, kappa, shown, smoothing } = settings;
    const point = this.point?.direction === direction ? this.point : undefined;
    const line = (key: string, each: number): Line => ({
      key,
      kappa: each,
      curve: this.curves.get(curveKey(direction, each)),
      values: point?.values.find((entry) => entry.kappa === each)?.values,
    });
    const own = line("own", kappa);
    const lines = [...shown.map((each) => line(`kappa${offeredKappas.indexOf(each)}`, each)), own];
    const force = point?.force ?? settings.force;
    const estimate = smoothing && this.smoothedPoint?.id === request ? this.smoothedPoint : undefined;
    const isWanted = smoothing && this.smoothedCurve?.key === smoothingKey(settings);
    const smoothedCurve = isWanted ? this.smoothedCurve : undefined;
    const known = point?.id === request && lines.every(({ curve }) => curve);
    return {
      ...{ settings, force, lines, own, estimate, smoothedCurve },
      hard: exact(direction, force),
      seconds: this.seconds,
      complete: known && (!smoothing || (estimate !== undefined && smoothedCurve?.done === true)),
    };
  }
}
