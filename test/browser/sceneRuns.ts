/** Scenes of the playground in tests: by a model's name, stepped, and where their bodies are. */
import { expect } from "vitest";
import type { Scene } from "../../apps/playground/engine/scene.ts";

export const model = (name: string) => ({ source: { kind: "model", name } }) as const;
export const run = (scene: Scene, steps: number): void => {
  for (let k = 0; k < steps; k++) expect(scene.step().status).toBe("solved");
};
export const positionOf = (scene: Scene, body: number): number[] =>
  Array.from(scene.state.subarray(13 * body, 13 * body + 3));
