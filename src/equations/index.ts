export * from "./condense.ts";
export * from "./contact.ts";
export * from "./gear.ts";
export * from "./integrator.ts";
export * from "./joint.ts";
export * from "./jointGeometry.ts";
export * from "./node.ts";
export * from "./pose.ts";
