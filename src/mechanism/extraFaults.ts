/** Faults of thrusters, the fluid, and named states with their inputs. */
import type { FluidDescription, JointStateDescription, ThrusterDescription } from "./description.ts";
import { type FaultList, fieldsOf, member } from "./faults.ts";
import { type CheckedJoint, checkPair } from "./jointFaults.ts";

const thrusterFields = fieldsOf<ThrusterDescription>()("body! position force torque limits");

export function checkThruster(faults: FaultList, path: string, value: unknown, bodies: ReadonlySet<string>): void {
  const thruster = faults.record(path, value, thrusterFields, "a thruster");
  if (!thruster) return;
  if (thruster.get("body") !== undefined) faults.known("unknown-body", `${path}.body`, thruster.get("body"), bodies);
  for (const name of ["position", "force", "torque"]) {
    if (thruster.get(name) !== undefined) faults.vector3(`${path}.${name}`, thruster.get(name));
  }
  if (thruster.get("force") === undefined && thruster.get("torque") === undefined) {
    faults.add("missing-field", path, "a thruster needs a force or a torque; add force: [0, 0, 1]");
  }
  if (thruster.get("limits") !== undefined) checkPair(faults, `${path}.limits`, thruster.get("limits"));
}

const fluidFields = fieldsOf<FluidDescription>()("density viscosity wind");

export function checkFluid(faults: FaultList, path: string, value: unknown): void {
  const fluid = faults.record(path, value, fluidFields, "a fluid");
  for (const name of ["density", "viscosity"]) {
    if (fluid?.get(name) !== undefined) faults.nonNegative(`${path}.${name}`, fluid.get(name));
  }
  if (fluid?.get("wind") !== undefined) faults.vector3(`${path}.wind`, fluid.get("wind"));
}

const stateFields = fieldsOf<JointStateDescription>()("position velocity");

/** Named states: joints by name, with as many numbers as the joint has free axes. */
export function checkStates(
  faults: FaultList,
  path: string,
  value: unknown,
  joints: ReadonlyMap<string, CheckedJoint>,
): void {
  for (const [name, state] of faults.dictionary(path, value, "states by name") ?? []) {
    const at = member(path, name);
    for (const [joint, entry] of faults.dictionary(at, state, "joint states by name") ?? []) {
      const where = member(at, joint);
      if (faults.known("unknown-joint", where, joint, joints) === undefined) continue;
      const fields = faults.record(where, entry, stateFields, "a joint state");
      const count = joints.get(joint)?.freeAxes;
      for (const key of ["position", "velocity"]) {
        if (fields?.get(key) !== undefined && count !== undefined)
          faults.numbers(`${where}.${key}`, fields.get(key), count);
      }
    }
  }
}

/** `inputs` is undefined where faults of joints or thrusters leave it open which there are. */
export function checkStateInputs(
  faults: FaultList,
  path: string,
  value: unknown,
  states: readonly string[],
  inputs: ReadonlySet<string> | undefined,
): void {
  for (const [name, entries] of faults.dictionary(path, value, "inputs by state") ?? []) {
    const at = member(path, name);
    if (faults.known("unknown-state", at, name, states) === undefined) continue;
    for (const [input, number] of faults.dictionary(at, entries, "numbers by input") ?? []) {
      const where = member(at, input);
      if (inputs && faults.known("unknown-input", where, input, inputs) === undefined) continue;
      faults.number(where, number);
    }
  }
}
