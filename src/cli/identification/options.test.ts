/** Options of `dojo identify`: what is no value is refused, and what would change nothing as well. */
import { describe, expect, test } from "vitest";
import { type DataFlags, requireEffect, settingsOf } from "./options.ts";

test("values are read whatever else is given", () => {
  const { window, noise, columns } = settingsOf({ window: "whole", noise: "0.001,0.01", columns: "q1=hinge.angle" });
  expect([window, columns]).toEqual(["whole", { q1: "hinge.angle" }]);
  expect(noise).toEqual({ position: 0.001, rotation: 0.01, coordinates: 0.001 });
});

test.each<[string, DataFlags]>([
  ["--window: 0 must be 1 or more", { window: "0" }],
  ["--every: 0 must be 1 or more", { every: "0" }],
  ["--steps-per-frame: 0 must be 1 or more", { stepsPerFrame: "0" }],
  ["--seed: 2.5 is no whole number", { seed: "2.5" }],
  ["--noise: 0 must be above 0", { noise: "0" }],
  ["--noise: ", { noise: "1,2,3" }],
  ["--loss: ", { loss: "nonsense" }],
  ["--starts: ", { starts: "nonsense" }],
  ["--intervals: ", { intervals: "nonsense" }],
  ["--rate: ", { rate: "fast" }],
  ["--columns: ", { columns: "q1" }],
])("no value: %s", (message, flags) => {
  expect(() => settingsOf(flags)).toThrow(message);
});

describe("without effect", () => {
  test.each<[string, DataFlags, boolean]>([
    ["--loss: the tossed cube has a recipe", { loss: "huber" }, true],
    ["--starts: the tossed cube has a recipe", { data: "tosses", starts: "free" }, true],
    ["--noise: the tossed cube has a recipe", { noise: "0.001" }, true],
    ["--steps-per-frame: the tossed cube has a recipe", { stepsPerFrame: "2" }, true],
    ["--intervals: the tossed cube has a recipe", { intervals: "hessian" }, true],
    ["--rate: says how files are read", { rate: "100" }, true],
    ["--ignore: says how files are read", { ignore: "x" }, true],
    ["--seed: is of made-up tosses", { data: "tosses", seed: "2" }, true],
    ["--parameters: --parameters-from brings", { parametersFrom: "fit.json", parameters: "friction" }, true],
    ["--model: --parameters-from brings", { parametersFrom: "fit.json", model: "ant" }, true],
    ["--evaluations: is of the search", { data: "log.csv", evaluations: "3" }, false],
    ["--iterations: says how to fit", { data: "log.csv", train: "0", iterations: "3" }, false],
  ])("%s", (message, flags, isCube) => {
    expect(() => requireEffect(flags, isCube)).toThrow(message);
  });

  test("nothing is refused that has one", () => {
    requireEffect({ window: "5", loss: "huber", starts: "free", noise: "0.001", seed: "2" }, true);
    requireEffect({ data: "log.csv", loss: "huber", rate: "100", ignore: "x" }, false);
    requireEffect({ evaluations: "0", iterations: "3" }, true);
  });
});
