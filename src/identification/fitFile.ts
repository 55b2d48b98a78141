/** What was identified, as a file: values with intervals, and the mechanism and formulas that they belong to. */
import { ArgumentError, assertDescription, type MechanismDescription } from "../mechanism/index.ts";
import type { FittedParameter } from "./fit.ts";
import type { ParameterSet } from "./parameterSet.ts";
import { requireParameterSet } from "./parameterSetShape.ts";

export interface FitFile {
  readonly format: typeof fitFormat;
  readonly model: string;
  readonly parameters: Readonly<Record<string, FittedParameter>>;
  /** The parameters as formulas see them, and the mechanism. */
  readonly definition: ParameterSet;
  readonly description: MechanismDescription;
}

export const fitFormat = "dojo-sim fit 1";

/** Reads one; `file` is for messages. */
export function parseFitFile(text: string, file: string): FitFile {
  let data: Partial<FitFile>;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new ArgumentError("bad-json", file, (error as Error).message);
  }
  const wrong = (what: string): never => {
    throw new ArgumentError("bad-fit", file, `${what}; give a file that \`dojo identify --out fit.json\` wrote`);
  };
  if (data?.format !== fitFormat) wrong(`its format is ${JSON.stringify(data?.format)}, not "${fitFormat}"`);
  const { parameters, definition, description } = data;
  if (!parameters || !definition?.parameters || !definition.values || !description) {
    return wrong("it lacks parameters, their definition or the description");
  }
  requireParameterSet(definition, `${file}: definition`);
  for (const name of Object.keys(definition.parameters)) {
    if (!Number.isFinite(parameters[name]?.value)) wrong(`parameters.${name}.value is no number`);
  }
  assertDescription(description);
  return data as FitFile;
}

/** Values by name. */
export function valuesOf(parameters: Readonly<Record<string, FittedParameter>>): Record<string, number> {
  return Object.fromEntries(Object.entries(parameters).map(([name, { value }]) => [name, value]));
}
