/** Mechanisms that are held in the playground: the view has room for where they go. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { posesOf } from "../../apps/playground/engine/bodyPoint.ts";
import { lookAhead } from "../../apps/playground/engine/lookAhead.ts";
import { Scene } from "../../apps/playground/engine/scene.ts";
import type { Frame } from "../../apps/playground/protocol.ts";
import { LiveMotion } from "../../apps/playground/stage/liveMotion.ts";
import { bodyGroup } from "../../apps/replay/bodyMeshes.ts";
import { extentsOf } from "../../apps/replay/extent.ts";
import { planesOf } from "../../apps/replay/ground.ts";

// colours are read by a browser, and none is needed: a whole document would take a worker of its own, whose kernels no other file shares
beforeAll(() => {
  vi.stubGlobal("document", { createElement: () => ({ getContext: () => null }) });
});
afterAll(() => {
  vi.unstubAllGlobals();
});

const held = ["pendulum", "nPendulum", "cartpole", "slider", "rope", "fourBar", "delta"] as const;
test.each(held)("%s has room for its swing, above the floor that is drawn", (name) => {
  const scene = new Scene({ source: { kind: "model", name } });
  const frameOf = (): Frame => ({ poses: posesOf(scene.state, scene.info.bodies.length) }) as Frame;
  const groups = scene.info.bodies.map(({ name: body, shapes }, index) => bodyGroup(body, shapes, index));
  // all of it, however slow the machine is
  const ahead = lookAhead(scene.simulation.mechanism, scene.settings, scene, Number.POSITIVE_INFINITY);
  const { motion } = extentsOf(new LiveMotion({ ...scene.info, ahead }, frameOf()), groups);
  const [{ offset }] = planesOf(scene.info.contacts, scene.info.world, motion, Number.POSITIVE_INFINITY);
  // between two looks bodies go a little farther
  const room = motion.box.clone().expandByScalar(0.1 * motion.radius);
  for (let k = 0; k < 8; k++) {
    for (let step = 0; step < 25; step++) expect(scene.step().status).toBe("solved");
    const { model: present } = extentsOf(new LiveMotion({ ...scene.info, ahead: null }, frameOf()), groups);
    expect(room.containsBox(present.box)).toBe(true);
    expect(present.box.min.z).toBeGreaterThan(offset);
  }
});
