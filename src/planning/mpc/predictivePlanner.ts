/**
 * The planner's side of control in a loop: it is handed a state of the plant, and gives a plan that begins some steps later, when it is
 * made. The state at its beginning is predicted by the last plan's feedback on an undisturbed plant. Whoever follows the plans may be in
 * another thread.
 */
import { Simulation } from "../../simulation/index.ts";
import type { PlanFeedback } from "../planFeedback.ts";
import { RecedingHorizon } from "../recedingHorizon.ts";
import type { ControlTask } from "./controlTask.ts";

export class PredictivePlanner {
  readonly horizon: RecedingHorizon;
  /** Time in plans, by the clock. */
  seconds = 0;
  private readonly task: ControlTask;
  /** The undisturbed plant, in which the state after the latency is predicted. */
  private readonly predictor: Simulation;
  private readonly predicted: Float64Array;
  private readonly input: Float64Array;
  /** The step of the plant at which the last plan begins. */
  private begins: number;

  /** A planner that takes over at this step of the plant. Default 0. */
  constructor(task: ControlTask, from = 0) {
    const { plant, plan, options } = task;
    this.task = task;
    this.begins = from;
    this.horizon = new RecedingHorizon(plan, { ...options, interval: plant.timestep });
    this.predictor = plant.resource("predictor", () => predictorOf(plant));
    this.predictor.continuation = undefined;
    this.predicted = new Float64Array(plant.stateSize);
    this.input = new Float64Array(plant.inputSize);
  }

  /**
   * The plan that begins `delay` steps after the one at which the plant is in this state. `budget`, in milliseconds of the clock, allows
   * for more passes of gradients; without it the same states give the same plans. Default 0.
   */
  plan(state: Float64Array, step: number, delay: number, budget = 0): PlanFeedback {
    const { horizon, task, predicted } = this;
    predicted.set(state);
    if (delay > 0) this.undisturb();
    for (let i = 0; i < delay && this.predict(step + i); i++);
    const start = performance.now();
    const elapsed = (step + delay - this.begins) * task.plant.timestep;
    task.guide?.follow(predicted, elapsed);
    horizon.plan(predicted, elapsed);
    // another pass costs about as much as the first
    const first = performance.now() - start;
    while (performance.now() - start + first < budget) if (!horizon.improve()) break;
    this.seconds += (performance.now() - start) / 1000;
    this.begins = step + delay;
    return horizon.feedback();
  }

  /** The plant as it is now, but for the push that may act on it. */
  private undisturb(): void {
    const { predictor, task } = this;
    predictor.restore(task.plant.save());
    predictor.setWrench(task.push.body, {});
  }

  /** One step on; false where it is not solved. */
  private predict(step: number): boolean {
    const { predicted, predictor, horizon, input } = this;
    horizon.inputInto(input, (step - this.begins) * predictor.timestep, predicted);
    const { status, next } = predictor.step(predicted, input);
    if (status !== "solved") return false;
    predicted.set(next);
    return true;
  }
}

/** Steps like the plant's, without what is kept and told of them. */
function predictorOf({ mechanism, options }: Simulation): Simulation {
  const { onIteration: _, ...others } = options;
  return new Simulation(mechanism, others);
}
