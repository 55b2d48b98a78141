import { expect, test } from "vitest";
import { coordinateValue, maximalState } from "../../coordinates/index.ts";
import { coordinates, relativePose } from "../../equations/index.ts";
import { Random } from "../../math/index.ts";
import { compile } from "../../mechanism/index.ts";
import { models } from "../../models/index.ts";
import { configurationBefore, configurationNow } from "./configuration.ts";

test.each(["atlas", "delta", "rope", "skydioX2"] as const)(
  "%s: joints in numbers are those of the equations",
  (name) => {
    const mechanism = compile(models[name]());
    const random = new Random(3);
    const moved = Object.fromEntries(
      mechanism.joints.map((joint) => {
        const draw = (): number[] => joint.coordinates.map(() => 0.6 * random.uniform() - 0.3);
        return [joint.name, { position: draw(), velocity: draw() }];
      }),
    );
    const state = maximalState(mechanism, moved);
    for (const where of [configurationNow(state), configurationBefore(state, mechanism.timestep)]) {
      for (const joint of mechanism.joints) {
        const { displacement, rotation } = relativePose(
          joint.frames,
          where.pose(joint.parent),
          where.pose(joint.child),
        );
        const found = where.relative(joint);
        [...displacement, ...rotation].forEach((entry, i) => {
          expect([...found.displacement, ...found.rotation][i]).toBeCloseTo(entry as number, 13);
        });
        coordinates(joint.shape).forEach((coordinate, i) => {
          expect(where.coordinate(joint, i)).toBeCloseTo(
            coordinateValue(joint, i, coordinate, { displacement, rotation }),
            12,
          );
        });
      }
    }
  },
);
