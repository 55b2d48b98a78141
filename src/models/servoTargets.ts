/** Inputs that hold a named state of a description by servos: the state's coordinate for a servo, zero for anything else. */
import { eachAxis, jointFreedom, type MechanismDescription, perAxis, type Servo } from "../mechanism/index.ts";

export function servoTargets(description: MechanismDescription, state = "rest"): Float64Array {
  const targets: number[] = [];
  for (const [name, joint] of Object.entries(description.joints ?? {})) {
    const count = jointFreedom(joint).freeAxes.length;
    const actuated = perAxis<boolean>(joint.actuated, count, false);
    const servos = eachAxis<Servo>(joint.servo, count);
    const position = description.states?.[state]?.[name]?.position ?? [];
    for (let i = 0; i < count; i++) {
      if (servos[i]) targets.push(position[i] ?? 0);
      else if (actuated[i]) targets.push(0);
    }
  }
  for (const _ of Object.keys(description.thrusters ?? {})) targets.push(0);
  return Float64Array.from(targets);
}
