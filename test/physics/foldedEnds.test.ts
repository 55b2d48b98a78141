/** Steps whose central path folds just above the κ at which they should end: loads that joint limits and sliding contacts share. */
import { expect, test } from "vitest";
import { compile, maximalFromMinimal, models, Simulation } from "../../src/index.ts";

test("A1, folded up on the floor with eight hinges at their limits, takes its step whole: before, 64 parts did not solve it", () => {
  const mechanism = compile(models.a1({ timestep: 0.01, bodyContacts: true }));
  const base = [-0.027154262, 0.01060901, 0.082675177, -0.000049728, -0.00040702, -0.243146126];
  const legs = [
    ...[-0.499999993, 0.872493959, -2.5, 0.5, 0.87249398, -2.5],
    ...[-0.5, 0.86879563, -2.5, 0.5, 0.86879563, -2.5],
  ];
  const inside = (angle: number): number => (Math.abs(angle) < 0.6 ? 0.5 - 1e-9 : 2.5 - 1e-9) * Math.sign(angle);
  const positions = [...base, ...legs.map((angle) => (angle > 0.6 ? angle : inside(angle)))];
  const state = maximalFromMinimal(mechanism, Float64Array.from([...positions, ...positions.map(() => 0)]));
  const input = Float64Array.of(
    ...[-4.364, -0.242, -0.511, 3.028, 2.814, -4.583, 0.676, 2.691, -4.985, 0.212, -0.063, 2.586],
  );
  const simulation = new Simulation(mechanism);
  const { status, substeps, iterations, next } = simulation.step(state, input);
  expect({ status, substeps }).toEqual({ status: "solved", substeps: 1 });
  expect(iterations).toBeLessThan(200);
  expect(simulation.smallestDistance).toBeGreaterThan(0);
  // gravity and its motors press it together: it hardly moves
  const speeds = mechanism.bodies.map((_, i) => Math.hypot(next[13 * i + 7], next[13 * i + 8], next[13 * i + 9]));
  expect(Math.max(...speeds)).toBeLessThan(1e-6);
});

test("a snake whose two contacts at a joint coincide, and slide, ends its step at less precision where nothing else solves it, and says so", () => {
  const simulation = new Simulation(compile({ ...models.snake(), damperCentering: 0 }));
  const state = Float64Array.of(
    ...[
      0.14164120300569252, 0.696119245075488, 0.34557088783888884, -0.6491402733054132, 0.3238911388425133,
      -0.07908509035053483, 0.6837082595936085, 0.19902344380107626, -2.4108433738177775, -1.73379550241289,
      12.99297590520832, -7.1742677765327585, -2.779805828205276,
    ],
    ...[
      0.09449741448076401, 0.9647780222351461, 0.22657477251962538, -0.3918648027364985, -0.6908685648357942,
      0.6073448598753506, 0.016577806881681537, -0.058238539815052094, -3.2338203443725866, -3.7970064494762408,
      11.444049357460798, 5.862721672216184, 4.5755983222601895,
    ],
    ...[
      -0.006178760610118208, 1.2182184120036943, 0.10430578805280913, 0.7413059740029797, -0.39394835411247486,
      0.0436468833577555, -0.5416318830836312, 0.2646759620314387, -3.3900089217264484, -4.410620905800907,
      10.526339941607384, 3.8028778603308035, 0.2840374847534305,
    ],
    ...[
      -0.08871870455305145, 1.4923368510079582, 0.05000000000547577, -0.7111761228535717, 0.2542278819446768,
      -0.22062902128268586, 0.617186796110164, 0.054480637112831305, -2.9995805712702706, -2.0072707699231924,
      6.100344306474416, 8.081017227244473, 11.141885281179263,
    ],
    ...[
      -0.09776545662778416, 1.7903556724686203, 0.05000000000372039, 0.6398545179847015, -0.2243629701790838,
      0.24321226547994848, -0.6936102993375286, -1.2154412040317673, -2.8386373159130844, 1.619128970370312e-10,
      4.248287653910808, -3.407272564389179, 4.080305615321126,
    ],
  );
  const step = simulation.step(state);
  expect({ status: step.status, precision: step.precision, substeps: step.substeps }).toEqual({
    status: "solved",
    precision: "fast",
    substeps: 1,
  });
  expect(step.complementarityViolation).toBeLessThanOrEqual(1e-4);
  expect(simulation.smallestDistance).toBeGreaterThan(0);
  // what is told to end elsewhere, or without other ways, does so or fails
  expect(simulation.step(state, undefined, { fallback: false }).status).not.toBe("solved");
  expect(simulation.step(state, undefined, { relativeKappa: 1e-5 })).toMatchObject({
    status: "solved",
    precision: undefined,
  });
});
