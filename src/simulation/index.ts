export { halfJump, turnsInto } from "./angleTurns.ts";
export { BounceMaps, contactNodes } from "./bounceMaps.ts";
export type { BounceRecord } from "./bounceRecord.ts";
export { type CheckOptions, checkState } from "./checkState.ts";
export { compile } from "./compileMechanism.ts";
export { type ConeHistory, type Continuation, continuationAt, type PaceOfRun, type WarmStart } from "./continuation.ts";
export { copyInto } from "./copyInto.ts";
export { currentMechanism } from "./currentMechanism.ts";
export type { Energy, Momentum } from "./energy.ts";
export { GradientRecord, type RecordOptions } from "./gradientRecord.ts";
export { HeldSteps } from "./heldSteps.ts";
export { impactMechanism, sharedParameters } from "./impact.ts";
export { impactParameters } from "./impacts.ts";
export { alsoPath, defaultGradientPath, gradientPath, type PathParameter } from "./pathParameter.ts";
export { type ProjectOptions, projectState } from "./projectState.ts";
export { type ContactReading, contactImpulse } from "./readings.ts";
export { replayStep, restoreStep } from "./replayStep.ts";
export type { Controller, RolloutInputs } from "./rolloutInputs.ts";
export type { HoldName } from "./route.ts";
export { type ImuReading, imu, jointWrench, type Mount, touch, type WrenchReading } from "./sensors.ts";
export {
  type RolloutOptions,
  Simulation,
  type SimulationOptions,
  type SimulationSnapshot,
  type StepResult,
} from "./simulation.ts";
export { type StateAtOptions, stateAt } from "./stateAt.ts";
export { basicFaults, StateError, type StateFault, type StateFaultCode } from "./stateFaults.ts";
export { leadOf, type StepDivision } from "./stepDivision.ts";
export { dumpStep, type StepDump } from "./stepDump.ts";
export { type Precision, precisions, type StepOptions, type StepReport, type StepStatus } from "./stepReport.ts";
export { type StretchedBody, stretchedBodies } from "./stretchedBodies.ts";
export { type SunkenBody, sunkenBodies } from "./sunkenBodies.ts";
export { changedSpin } from "./timestepChange.ts";
export { Arrangement } from "./touch/arrangement.ts";
export { type ShapeDistance, ShapeDistances } from "./touch/shapeDistances.ts";
export type { TouchReading } from "./touch/touchReadings.ts";
export { Trajectory } from "./trajectory.ts";
export { version } from "./version.ts";
export { hasMotors, reachOf, withServos } from "./withServos.ts";
