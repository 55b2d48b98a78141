/** The experiments of the repository keep to their contract, and their committed results can be shown. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Experiment } from "../../experiments/experiment.ts";
import { figureSvg, number, presentationText } from "../../experiments/report.ts";

const folder = join(import.meta.dirname, "../../experiments");
const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, "result.json")));
const read = (name: string, file: string): string => readFileSync(join(folder, name, file), "utf8");
/** Plots number what they refer to, from the first that a process draws. */
const withoutIds = (svg: string): string => svg.replace(/\b(plot-\w+)-\d+/g, "$1");

describe.each(names)("%s", (name) => {
  test("is called like its folder, and its README has its title, command and run times", async () => {
    const { default: experiment } = (await import(join(folder, name, "run.ts"))) as { default: Experiment };
    expect(experiment.name).toBe(name);
    expect(read(name, "README.md")).toMatch(new RegExp(`^# ${experiment.title}\n`));
    const { full, quick } = experiment.seconds;
    const command = `**Command** \`npm run dojo -- experiment ${name}\` (about ${full} s; \`--quick\` ${quick} s,`;
    expect(read(name, "README.md")).toContain(command);
    expect(quick).toBeLessThanOrEqual(full);
  });

  test("its result is written out in full, and its figures are those drawn from it", async () => {
    const { default: experiment } = (await import(join(folder, name, "run.ts"))) as { default: Experiment };
    const presentation = experiment.present(JSON.parse(read(name, "result.json")));
    expect(presentation.tables.length).toBeGreaterThan(0);
    for (const { rows } of presentation.tables) {
      for (const row of rows) expect(row.length).toBe(rows[0].length);
    }
    expect(presentationText(presentation)).not.toMatch(/undefined|NaN|\[object/);
    for (const figure of presentation.figures) {
      const drawn = await figureSvg(figure);
      expect(drawn).not.toContain("NaN");
      expect(withoutIds(drawn) === withoutIds(read(name, `${figure.name}.svg`))).toBe(true);
    }
  });
});

test.each([
  [0, "0"],
  [1234.56, "1235"],
  [0.00123456, "0.001235"],
  [1e-12, "1e-12"],
  [1.25e-7, "1.25e-7"],
  [-479.505, "-479.5"],
  [123456, "1.23e+5"],
  [Number.NaN, "–"],
])("the number %d is shown as %s", (value, text) => {
  expect(number(value)).toBe(text);
});
