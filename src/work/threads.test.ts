/** What a browser does not say about a worker that cannot run. */
import { expect, test } from "vitest";
import { onEnd, type WorkThread } from "./threads.ts";

test("a worker whose script is not there has a reason with a way out", () => {
  const worker = new EventTarget() as EventTarget & WorkThread;
  const reasons: string[] = [];
  onEnd(worker, (reason) => reasons.push(reason));
  worker.dispatchEvent(new Event("error"));
  expect(reasons).toEqual([
    expect.stringMatching(/^its script cannot be run; where code is bundled, the option `worker`/),
  ]);
});
