import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { notTestedText, sayNotTested } from "./notTested.ts";

test("what stages could not test is said in capitals", () => {
  const file = join(mkdtempSync(join(tmpdir(), "not-tested-")), "subjects.txt");
  expect(notTestedText(file)).toBe("");
  vi.stubEnv("NOT_TESTED", file);
  sayNotTested("the Python package (no Python)");
  sayNotTested("pages");
  vi.unstubAllEnvs();
  expect(notTestedText(file)).toBe(" NOT TESTED: THE PYTHON PACKAGE (NO PYTHON); PAGES.");
});
