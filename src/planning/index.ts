/** Trajectory optimisation: a planner for any dynamics, and tasks for simulations. */
export { disturbedTask } from "./disturbedTask.ts";
export { type Goal, goalTask } from "./goalTask.ts";
export * from "./mpc/index.ts";
export { type OptimizedTrajectory, optimization, optimize, type PlanEnd } from "./optimize.ts";
export type { OptimizeOptions, PlanProgress } from "./optimizeOptions.ts";
export {
  type CompiledTask,
  compileTask,
  type Plan,
  type PlanningTask,
  type PlanOptions,
  planning,
  planTrajectory,
} from "./plan.ts";
export { FeedbackFollower, type PlanFeedback } from "./planFeedback.ts";
export { planController, planFromJson, planJson, type SavedPlan } from "./planFile.ts";
export {
  type Bounds,
  type ConstraintKind,
  type Constraints,
  type Dynamics,
  type Expansion,
  type Objective,
  type TrajectoryProblem,
  vectorSpace,
} from "./problem.ts";
export { RecedingHorizon, type RecedingHorizonOptions } from "./recedingHorizon.ts";
export { type LinearStage, type Regularization, RiccatiPass, type StagePolicy } from "./riccati.ts";
export { SimulationDynamics } from "./simulationDynamics.ts";
export { planningTasks, type TaskEntry } from "./tasks/index.ts";
export {
  atMostZero,
  type ConstraintTerm,
  type CostTerm,
  clearance,
  cost,
  effort,
  equals,
  reach,
  track,
  upright,
  type When,
} from "./terms.ts";
export type { WrittenConstraint, WrittenCost } from "./writtenTerms.ts";
