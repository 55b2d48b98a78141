/** Experiments by name, and where their results are. */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Experiment } from "./experiment.ts";

/** The bundle has the experiments in folders beside its own files. */
export async function experimentNamed(name: string): Promise<Experiment> {
  const { default: experiment } = await import(new URL(`./${name}/run.js`, import.meta.url).href);
  return experiment as Experiment;
}

export const resultFile = (folder: string): string => join(folder, "result.json");

/** Lists of numbers stand on one line. */
export function resultText(result: unknown): string {
  const list = /\[\n\s+((?:-?\d[\d.e+-]*|null)(?:,\n\s+(?:-?\d[\d.e+-]*|null))*)\n\s+\]/g;
  const text = JSON.stringify(result, null, 2).replace(
    list,
    (_, items: string) => `[${items.replace(/,\n\s+/g, ", ")}]`,
  );
  return `${text}\n`;
}

/** All of it or nothing: a run may be ended at any moment. */
export function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.tmp`, text);
  renameSync(`${file}.tmp`, file);
}
