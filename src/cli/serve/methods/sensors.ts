/** Single steps, and what contacts and sensors say of the last one. */
import {
  type ContactReading,
  imu,
  jointWrench,
  type Quaternion,
  type TouchReading,
  touch,
  type Vector3,
} from "../../../index.ts";
import type { Shaped } from "../frame.ts";
import type { MethodTable } from "../session.ts";
import { simulationOf, stateOf } from "./simulations.ts";

export const sensorMethods: MethodTable = {
  step: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const interval = parameters.maybeNumber("interval");
    const options = interval === undefined ? undefined : { interval };
    const { next, ...report } = simulation.step(
      stateOf(simulation, parameters),
      parameters.maybeArray("input"),
      options,
    );
    return { result: report, arrays: { next } };
  },

  contacts: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const { contacts } = simulation.mechanism;
    return { arrays: contactArrays(contacts.length, [contacts.map(({ name }) => simulation.contact(name))]) };
  },

  touches: (session, parameters) => touchAnswer([simulationOf(session, parameters).touches()]),

  imu: (session, parameters) => {
    const position = parameters.maybeArray("position");
    const orientation = parameters.maybeArray("orientation");
    const mount = {
      body: parameters.text("body"),
      ...(position && { position: Array.from(position) as unknown as Vector3 }),
      ...(orientation && { orientation: Array.from(orientation) as unknown as Quaternion }),
    };
    const simulation = simulationOf(session, parameters);
    const [state, next] = [stateOf(simulation, parameters), stateOf(simulation, parameters, "next")];
    const { acceleration, angularVelocity } = imu(simulation, mount, state, next);
    return {
      arrays: {
        acceleration: Float64Array.from(acceleration),
        angularVelocity: Float64Array.from(angularVelocity),
      },
    };
  },

  jointWrench: (session, parameters) => {
    const { force, torque } = jointWrench(simulationOf(session, parameters), parameters.text("joint"));
    return { arrays: { force: Float64Array.from(force), torque: Float64Array.from(torque) } };
  },

  touch: (session, parameters) => ({
    result: { force: touch(simulationOf(session, parameters), parameters.text("body")) },
  }),
};

/** Readings of all contacts in each of some steps. */
export function contactArrays(count: number, steps: readonly (readonly ContactReading[])[]): Record<string, Shaped> {
  const shaped = (size: number, of: (reading: ContactReading) => readonly number[]): Shaped => ({
    data: Float64Array.from(steps.flatMap((readings) => readings.flatMap((reading) => of(reading)))),
    shape: size === 1 ? [steps.length, count] : [steps.length, count, size],
  });
  return {
    normal: shaped(1, ({ normal }) => [normal]),
    friction: shaped(2, ({ friction }) => friction),
    force: shaped(3, ({ force }) => force),
    distance: shaped(1, ({ distance }) => [distance]),
  };
}

/** Where shapes touch in each of some steps: names, arrays with one row per reading, and how many readings each step has. */
export function touchAnswer(steps: readonly (readonly TouchReading[])[]): {
  result: Record<string, readonly string[]>;
  arrays: Record<string, Shaped>;
} {
  const all = steps.flat();
  const numbers = (of: (reading: TouchReading) => number): Shaped => ({
    data: Float64Array.from(all, of),
    shape: [all.length],
  });
  const vectors = (of: (reading: TouchReading) => Vector3): Shaped => ({
    data: Float64Array.from(all.flatMap(of)),
    shape: [all.length, 3],
  });
  return {
    result: {
      body: all.map(({ body }) => body),
      other: all.map(({ other }) => other),
      shape: all.map(({ shape }) => shape),
      otherShape: all.map(({ otherShape }) => otherShape),
    },
    arrays: {
      counts: { data: Float64Array.from(steps, ({ length }) => length), shape: [steps.length] },
      point: vectors(({ point }) => point),
      normal: vectors(({ normal }) => normal),
      force: vectors(({ force }) => force),
      normalForce: numbers(({ normalForce }) => normalForce),
      distance: numbers(({ distance }) => distance),
    },
  };
}
