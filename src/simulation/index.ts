export { BounceMaps } from "./bounce/bounceMaps.ts";
export type { BounceRecord, ImpulseShare } from "./bounce/bounceRecord.ts";
export { impactMechanism } from "./bounce/impact.ts";
export { ImpactParameters } from "./bounce/impactParameters.ts";
export { impactParameters } from "./bounce/impacts.ts";
export { groupSize, MomentumLoss } from "./bounce/momentumLoss.ts";
export { copyInto } from "./copyInto.ts";
export { copyParameters } from "./copyParameters.ts";
export { boundedInput, meanDrive, type PartBefore, weightBefore } from "./division/drive.ts";
export { leadOf, type StepDivision } from "./division/stepDivision.ts";
export { halfJump, turnsInto } from "./runs/angleTurns.ts";
export type { RunMemory } from "./runs/continuation.ts";
export {
  type ConeHistory,
  type Continuation,
  continuationAt,
  type KnownRun,
  type WarmStart,
} from "./runs/continuation.ts";
export { GradientRecord, type RecordOptions } from "./runs/gradientRecord.ts";
export type { PaceOfRun } from "./runs/paceOfRun.ts";
export { type ContactReading, contactImpulse } from "./runs/readings.ts";
export { replayStep, restoreStep } from "./runs/replayStep.ts";
export type { Controller, RolloutInputs } from "./runs/rolloutInputs.ts";
export { type ImuReading, imu, jointWrench, type Mount, touch, type WrenchReading } from "./runs/sensors.ts";
export { dumpStep, type StepDump } from "./runs/stepDump.ts";
export { type PointsOfStep, StepsWithPoints } from "./runs/stepsWithPoints.ts";
export { Trajectory } from "./runs/trajectory.ts";
export { version } from "./runs/version.ts";
export { Simulation } from "./simulation.ts";
export type { RolloutOptions, SimulationOptions, StepResult } from "./simulationOptions.ts";
export { toleranceNote } from "./states/centredForces.ts";
export { type CheckOptions, checkState, requireValidStart } from "./states/checkState.ts";
export { minimalFromState, minimalOfRunInto, stateFromMinimal } from "./states/closedState.ts";
export { compile } from "./states/compileMechanism.ts";
export { currentMechanism } from "./states/currentMechanism.ts";
export type { Energy, Momentum } from "./states/energy.ts";
export { heldContactsNote } from "./states/heldContacts.ts";
export type { SimulationSnapshot } from "./states/parameters.ts";
export { type ProjectOptions, projectState } from "./states/projectState.ts";
export { type SmallBody, smallBodies } from "./states/smallBodies.ts";
export { type Start, type StartOptions, startOf } from "./states/startOf.ts";
export { type StateAtOptions, stateAt } from "./states/stateAt.ts";
export { basicFaults, StateError, type StateFault, type StateFaultCode } from "./states/stateFaults.ts";
export { type StretchedBody, stretchedBodies } from "./states/stretchedBodies.ts";
export { type SunkenBody, sunkenBodies } from "./states/sunkenBodies.ts";
export { changedSpin } from "./states/timestepChange.ts";
export { hasMotors, reachOf, withServos } from "./states/withServos.ts";
export {
  alsoPath,
  defaultGradientPath,
  type GradientPath,
  gradientPath,
  gradientPathNames,
  isStepEnd,
  type PathParameter,
  pathNames,
  stepEnd,
  usualSmoothing,
} from "./step/pathParameter.ts";
export type { Stepper } from "./step/stepper.ts";
export {
  copyReportInto,
  type Precision,
  precisions,
  type StepOptions,
  type StepReport,
  type StepStatus,
} from "./step/stepReport.ts";
export { NearTouches } from "./touch/nearTouches.ts";
export { type ShapeDistance, ShapeDistances } from "./touch/shapeDistances.ts";
export type { SlotSystem } from "./touch/slotSystem.ts";
export type { PieceWithPoints } from "./touch/stepPieces.ts";
export type { TouchReading } from "./touch/touchReadings.ts";
