/** A reporter for Vitest: writes how many tests passed, and how long each file took, as JSON to the file that TEST_REPORT names. */
import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

export interface TestReport {
  readonly passed: number;
  /** Files that could not be loaded count as one test each. */
  readonly failed: number;
  readonly skipped: number;
  /** Tests and hooks, without imports; slowest first. */
  readonly files: readonly { readonly file: string; readonly seconds: number }[];
}

export default class TestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) counts[test.result().state]++;
      if (module.state() === "failed" && !tests.some((test) => test.result().state === "failed")) counts.failed++;
    }
    const files = modules
      .map((module) => ({ file: module.relativeModuleId, seconds: module.diagnostic().duration / 1000 }))
      .sort((a, b) => b.seconds - a.seconds);
    const { passed, failed, skipped, pending } = counts;
    const report: TestReport = { passed, failed, skipped: skipped + pending, files };
    if (process.env.TEST_REPORT) writeFileSync(process.env.TEST_REPORT, JSON.stringify(report));
  }
}
