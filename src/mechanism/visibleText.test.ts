import { expect, test } from "vitest";
import { ArgumentError } from "./argumentError.ts";
import { DescriptionError } from "./faults.ts";
import { visibleText } from "./visibleText.ts";

test("characters that act are shown by their codes, all others stay", () => {
  expect(visibleText("a\u001b[31mb\u0007")).toBe("a\\u001b[31mb\\u0007");
  expect(visibleText("one\ntwo\r\tthree")).toBe("one\\ntwo\\u000d\\tthree");
  expect(visibleText("\u0000\u007f\u009b2J\u2028\u202e")).toBe("\\u0000\\u007f\\u009b2J\\u2028\\u202e");
  const fine = "naïve – κ² 日本語 🤖👩‍🔬 עברית \\n";
  expect(visibleText(fine)).toBe(fine);
});

test("errors have one line for each fault, whatever its names", () => {
  expect(new ArgumentError("unknown-joint", "joints.a\n\u001b[2J", "no such joint").message).toBe(
    "unknown-joint at joints.a\\n\\u001b[2J: no such joint",
  );
  const faults = [{ code: "empty-name", path: "bodies.x\ny", message: "\u009b31m" }] as const;
  expect(new DescriptionError(faults as never).message.split("\n")).toEqual([
    "the description has a fault:",
    "empty-name at bodies.x\\ny: \\u009b31m",
  ]);
});
