/** URDF in and out. */
export type { MeshReader } from "./collisionPoints.ts";
export * from "./importUrdf.ts";
export type { ActuatedJoints, JointPlace } from "./makeJoints.ts";
export * from "./toUrdf.ts";
export type { TouchingOptions } from "./touchingShapes.ts";
export type { LinkFrame } from "./urdfModel.ts";
