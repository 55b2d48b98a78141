export {
  gravityCompensation,
  type InverseDynamics,
  type InverseDynamicsOptions,
  inverseDynamics,
} from "./inverseDynamics.ts";
export { type Linearization, type LinearizeOptions, linearize } from "./linearize.ts";
