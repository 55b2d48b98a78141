/** Robot files in and out. */
export * from "./formatError.ts";
export * from "./json.ts";
export { isMeshFile, type Mesh, parseMesh } from "./mesh.ts";
export * from "./mjcf/index.ts";
export * from "./urdf/index.ts";
