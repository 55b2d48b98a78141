/** What servos do in a step whose motion is given: their forces are taken out of the equations, and found again from what acts. */
import { coneRoles, turningCoordinates } from "../equations/index.ts";
import type { System } from "../kernels/index.ts";
import { forceRow } from "./balanceRows.ts";
import { RotationServos } from "./rotationServos.ts";

/** A servo on an entry of a rotation vector. */
export interface TurnedServo {
  /** What an impulse of one adds to the joint's rows of torques. */
  readonly torques: readonly { readonly row: number; readonly amount: number }[];
  readonly targetFor: (impulses: Float64Array) => number;
}

/** Servos on rotation vectors, by input. */
export function rotationServos(
  system: System,
  state: Float64Array,
  velocities: Float64Array,
  h: number,
  near: Float64Array | undefined,
): Map<number, TurnedServo> {
  const { mechanism } = system;
  const found = new Map<number, TurnedServo>();
  for (const joint of mechanism.joints) {
    const turning = turningCoordinates(joint.shape);
    const entries = turning.map((i) => joint.coordinates[i]);
    if (entries.every(({ servo }) => servo === null)) continue;
    const gains = entries.map(({ servo }, k) => {
      const at = (name: string): number =>
        system.f64[system.parameters.get(`joints.${joint.name}.${name}.${turning[k]}`) as number];
      return servo ? { stiffness: at("servoStiffness"), damping: at("servoDamping") } : undefined;
    });
    const servos = new RotationServos(
      joint,
      gains,
      state,
      velocities,
      h,
      system.f64[system.parameters.get("damperCentering") as number],
    );
    const targets = near ? entries.map(({ input, servo }) => (servo ? near[input] : 0)) : servos.ahead;
    const directions = servos.directions(targets);
    const first = system.nodes[joint.index].multiplier + forceRow(system, joint.index, turning[0]);
    const solved = (impulses: Float64Array): number[] =>
      servos.targetsFor(
        entries.map(({ input, servo }) => (servo ? impulses[input] : 0)),
        targets,
      );
    entries.forEach(({ input, servo }, k) => {
      if (!servo) return;
      found.set(input, {
        torques: directions[k].map((amount, axis) => ({ row: first + axis, amount })),
        targetFor: (impulses) => solved(impulses)[k],
      });
    });
  }
  return found;
}

/** Takes the servos' forces out of the equations; returns what they would be at target zero, by input. */
export function withoutServos(system: System): Map<number, { row: number; atZero: number; perTarget: number }> {
  const { mechanism, f64, places, parameters, unknowns, nodes } = system;
  const found = new Map<number, { row: number; atZero: number; perTarget: number }>();
  const read = (): Float64Array => {
    system.run("prepare");
    system.run("evaluate");
    return f64.slice(places.residual, places.residual + unknowns + system.equalities);
  };
  const servos = mechanism.joints.flatMap((joint) =>
    joint.coordinates.flatMap((coordinate, i) => (coordinate.servo ? [{ joint, coordinate, i }] : [])),
  );
  if (servos.length === 0) return found;
  const place = (name: string, joint: string, i: number): number =>
    parameters.get(`joints.${joint}.${name}.${i}`) as number;
  // efforts are counted from zero, not from the middle of their range
  for (const { joint, i } of servos) f64[place("effortCenter", joint.name, i)] = 0;
  const active = read();
  const inputs = f64.subarray(places.input, places.input + mechanism.inputSize);
  inputs.fill(1);
  const further = read();
  inputs.fill(0);
  for (const { joint, i } of servos) {
    f64[place("servoStiffness", joint.name, i)] = f64[place("servoDamping", joint.name, i)] = 0;
  }
  const passive = read();
  for (const { joint, coordinate, i } of servos) {
    const node = nodes[joint.index];
    const row = node.multiplier + forceRow(system, joint.index, i);
    // λ − force, or for a bounded effort the row that compares it with what is wanted
    const at = coordinate.effortLimit === null ? row : unknowns + effortEquality(system, joint.index, i);
    const sign = coordinate.effortLimit === null ? -1 : 1;
    found.set(coordinate.input, {
      row,
      atZero: sign * (active[at] - passive[at]),
      perTarget: sign * (further[at] - active[at]),
    });
  }
  return found;
}

/** The equality that compares a servo's effort with the wanted one: the second of its pair. */
function effortEquality(system: System, joint: number, i: number): number {
  const { equality, roles } = system.nodes[joint];
  const bounded = system.mechanism.joints[joint].coordinates
    .slice(0, i)
    .filter((c) => c.servo && c.effortLimit !== null);
  let [row, left] = [equality, bounded.length];
  for (const role of roles) {
    if (role === coneRoles.effortHigh && left-- === 0) break;
    row += role.rows.length;
  }
  return row;
}
