/**
 * The steps that an export holds: those since the start or the last change of state or time step, or the last of them that memory can
 * hold. A second record, begun when the first is half full, takes over when that is full: so the last half, at least, is always there.
 */
import {
  replayData,
  replayHtml,
  type Simulation,
  type StepResult,
  Trajectory,
  trajectoryCsv,
  trajectoryJson,
} from "dojo-sim";
import type { Answers, ExportFormat } from "../protocol.ts";

/** Numbers of all states of a record: some 100 MB with what belongs to them. */
const mostNumbers = 4e6;

export class Recording {
  private readonly simulation: Simulation;
  private readonly most: number;
  private trajectory: Trajectory;
  private following: Trajectory | undefined;

  constructor(simulation: Simulation, start: Float64Array, interval: number, most = mostNumbers) {
    this.simulation = simulation;
    this.most = most;
    this.trajectory = this.from(start, interval);
  }

  /** Seconds. */
  get duration(): number {
    return this.trajectory.steps * this.trajectory.timestep;
  }

  /** From a state whose velocities are means over the interval. */
  begin(start: Float64Array, interval: number): void {
    this.trajectory = this.from(start, interval);
    this.following = undefined;
  }

  private from(start: Float64Array, interval: number): Trajectory {
    return new Trajectory(this.simulation, this.simulation.timestep, start, undefined, interval);
  }

  add(state: Float64Array, interval: number, input: Float64Array, result: StepResult): void {
    const numbers = this.trajectory.states.length * state.length;
    if (numbers > this.most / 2) this.following ??= this.from(state, interval);
    if (numbers > this.most && this.following) {
      this.trajectory = this.following;
      this.following = undefined;
    }
    this.trajectory.record(input, result, result.next, true);
    this.following?.record(input, result, result.next, true);
  }

  /** The file as text in parts. A replay needs the viewer's script. */
  export(format: ExportFormat, title: string, viewer = ""): Answers["export"] {
    const { simulation, trajectory } = this;
    const name = `${title.replace(/[^\w-]+/g, "_")}.${format}`;
    if (format === "html") {
      const page = replayHtml(replayData(trajectory, { simulation, title }), viewer);
      return { name, parts: [page], type: "text/html" };
    }
    if (format === "csv") return { name, parts: [...trajectoryCsv(trajectory)], type: "text/csv" };
    const { timestep, steps } = trajectory;
    const summary = { model: title, timestep, steps };
    return { name, parts: [trajectoryJson(simulation, trajectory, summary)], type: "application/json" };
  }
}
