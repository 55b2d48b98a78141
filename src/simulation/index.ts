export type { Energy, Momentum } from "./energy.ts";
export type { ContactReading } from "./readings.ts";
export { type Controller, type RolloutOptions, Simulation, type SimulationOptions, type StepResult } from "./simulation.ts";
export type { StepOptions, StepReport } from "./stepper.ts";
export { Trajectory } from "./trajectory.ts";
