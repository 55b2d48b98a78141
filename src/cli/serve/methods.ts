/** The table of all methods: a new one is one entry in the file of its kind. */
import { ArgumentError, nearestName } from "../../index.ts";
import type { NumberArray } from "./frame.ts";
import { environmentMethods } from "./methods/environments.ts";
import { gradientMethods } from "./methods/gradients.ts";
import { pictureMethods } from "./methods/pictures.ts";
import { rolloutMethods } from "./methods/rollouts.ts";
import { runMethods } from "./methods/runs.ts";
import { sensorMethods } from "./methods/sensors.ts";
import { simulationMethods } from "./methods/simulations.ts";
import { Parameters } from "./parameters.ts";
import type { Answer, MethodTable, Session } from "./session.ts";

const methods: MethodTable = {
  ...simulationMethods,
  ...sensorMethods,
  ...rolloutMethods,
  ...gradientMethods,
  ...pictureMethods,
  ...environmentMethods,
  ...runMethods,
};

export function callMethod(
  session: Session,
  name: string,
  given: Readonly<Record<string, unknown>>,
  arrays: Readonly<Record<string, NumberArray>>,
): Answer | Promise<Answer> {
  if (Object.hasOwn(methods, name)) return methods[name](session, new Parameters(given, arrays));
  const nearest = nearestName(name, Object.keys(methods));
  const hint = nearest === undefined ? `have: ${Object.keys(methods).join(", ")}` : `did you mean "${nearest}"?`;
  throw new ArgumentError("unknown-method", name, `there is no such method; ${hint}`);
}
