/** A reporter for Vitest: writes how many tests passed, and how long each file took, as JSON to the file that TEST_REPORT names. */
import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

interface FileTime {
  readonly file: string;
  /** Tests and hooks, without imports. */
  readonly seconds: number;
  /** Of the worker and the programs that it waited for, with imports, s. */
  readonly processorTime: number;
}

export interface TestReport {
  readonly passed: number;
  /** Files that could not be loaded count as one test each. */
  readonly failed: number;
  readonly skipped: number;
  /** Those with the most processor time first. */
  readonly files: readonly FileTime[];
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
      .map((module) => ({
        file: module.relativeModuleId,
        seconds: module.diagnostic().duration / 1000,
        processorTime: module.meta().processorTime ?? 0,
      }))
      .sort((a, b) => b.processorTime - a.processorTime);
    const { passed, failed, skipped, pending } = counts;
    const report: TestReport = { passed, failed, skipped: skipped + pending, files };
    if (process.env.TEST_REPORT) writeFileSync(process.env.TEST_REPORT, JSON.stringify(report));
  }
}
