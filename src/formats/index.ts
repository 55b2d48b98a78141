/** Robot files in and out. */
export * from "./formatError.ts";
export * from "./json.ts";
export { isMeshFile, parseMesh } from "./mesh.ts";
export * from "./mjcf/index.ts";
export type { Mesh } from "./triangleMesh.ts";
export * from "./urdf/index.ts";
