/** A result of long work is not lost because one of its files cannot be written. */
import { expect, test } from "vitest";
import { writeEach } from "./writeEach.ts";

test("files that can be written are, the result first, and faults are kept for later", () => {
  const asked: string[] = [];
  const { files, faults } = writeEach(["a.html", "b.json", "c.svg"], (path) => {
    asked.push(path);
    if (path === "a.html") throw new Error("the disk is full");
    return 3;
  });
  expect(asked).toEqual(["b.json", "a.html", "c.svg"]);
  expect(files).toEqual([
    { path: "b.json", bytes: 3 },
    { path: "c.svg", bytes: 3 },
  ]);
  expect(faults).toEqual([new Error("the disk is full")]);
});
