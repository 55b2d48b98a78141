/** MJCF, the files of MuJoCo, in and out. */
export type { ContactGeom } from "./contacts.ts";
export type { ImportedInput } from "./drives.ts";
export { importMjcf, type MjcfFrame, type MjcfImport, type MjcfImportOptions } from "./importMjcf.ts";
export type { DampingRatioMass } from "./movedInertia.ts";
export {
  controlsOf,
  inputsOf,
  type MujocoMap,
  type MujocoState,
  minimalFromMujoco,
  mujocoState,
} from "./stateMap.ts";
export { type MjcfExport, type MjcfExportOptions, toMjcf } from "./toMjcf.ts";
