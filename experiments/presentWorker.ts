/** Draws figures and writes tables of results, one request after the other: loading what draws takes longer than drawing. */
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Experiment, Presentation } from "./experiment.ts";
import { experimentNamed, resultFile, writeWhole } from "./files.ts";
import { reportPage } from "./page.ts";
import { figureSvg, presentationText } from "./report.ts";

export interface Task {
  readonly name: string;
  /** Where result.json and the figures go. */
  readonly out: string;
}

export type Request =
  | { readonly kind: "describe"; readonly names: readonly string[] }
  | { readonly kind: "present"; readonly task: Task }
  | {
      readonly kind: "page";
      readonly file: string;
      readonly quick: boolean;
      readonly done: readonly (Task & { readonly seconds: number })[];
      readonly failed: readonly string[];
    };

/** Answers to requests by their kind, or what went wrong. */
export interface Answers {
  /** Run times of those that load. */
  describe: Readonly<Record<string, Experiment["seconds"] | undefined>>;
  /** Tables and remarks as text. */
  present: string;
  page: "written";
}

export type Answer<Kind extends Request["kind"] = Request["kind"]> =
  | { readonly value: Answers[Kind] }
  | { readonly fault: string };

async function presented({ name, out }: Task): Promise<{ experiment: Experiment; presentation: Presentation }> {
  const experiment = await experimentNamed(name);
  return { experiment, presentation: experiment.present(JSON.parse(readFileSync(resultFile(out), "utf8"))) };
}

async function answer(request: Request): Promise<Answers[Request["kind"]]> {
  if (request.kind === "describe") {
    const seconds: Record<string, Experiment["seconds"]> = {};
    for (const name of request.names) {
      try {
        seconds[name] = (await experimentNamed(name)).seconds;
      } catch {
        // its run will say what is wrong
      }
    }
    return seconds;
  }
  if (request.kind === "present") {
    const { experiment, presentation } = await presented(request.task);
    for (const figure of presentation.figures) {
      writeWhole(join(request.task.out, `${figure.name}.svg`), await figureSvg(figure));
    }
    return `${experiment.title}\n\n${presentationText(presentation)}`;
  }
  const { file, quick, done, failed } = request;
  const entries = await Promise.all(done.map(async (task) => ({ ...(await presented(task)), seconds: task.seconds })));
  mkdirSync(dirname(file), { recursive: true });
  writeWhole(file, await reportPage({ entries, failed, quick }));
  return "written";
}

process.on("message", (request) => {
  answer(request as Request).then(
    (value) => process.send?.({ value }),
    (error) => process.send?.({ fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
// the first figure need not wait for what draws
await import("happy-dom");
