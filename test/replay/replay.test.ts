import {
  ArgumentError,
  compile,
  decodeFloats,
  encodeFloats,
  inertiaEllipsoid,
  maximalState,
  models,
  replayData,
  replayHtml,
  Simulation,
} from "dojo-sim";
import { describe, expect, test } from "vitest";
import { barePendulum, thrownBox } from "./scenes.ts";

/** Relative rounding of a 32-bit float. */
const single = 2 ** -23;

describe("numbers as text", () => {
  test("come back to the precision of 32 bits, special ones too", () => {
    const values = [0, -0, 1, -1.5, Math.PI, 1e-13, 3.4e38, Number.NaN, Number.POSITIVE_INFINITY];
    expect(Array.from(decodeFloats(encodeFloats(values)))).toEqual(values.map(Math.fround));
  });

  test("of any number come back, also more than fit on a call's stack", () => {
    const values = Float32Array.from({ length: 100_000 }, (_, i) => i * 0.25);
    expect(decodeFloats(encodeFloats(values))).toEqual(values);
    expect(decodeFloats(encodeFloats([]))).toHaveLength(0);
  });

  test("cut short are refused", () => {
    expect(() => decodeFloats(btoa("abcde"))).toThrow("5 bytes");
  });
});

describe("the data of a replay", () => {
  const { simulation, trajectory } = thrownBox(80);
  const data = replayData(trajectory, { simulation });

  test("survive JSON", () => {
    expect(JSON.parse(JSON.stringify(data))).toEqual(data);
  });

  test("hold the pose of every body in every frame", () => {
    const poses = decodeFloats(data.poses);
    expect(data.frames).toBe(81);
    expect(poses).toHaveLength(7 * 81);
    trajectory.states.forEach((state, k) => {
      for (let i = 0; i < 7; i++) {
        expect(Math.abs(poses[7 * k + i] - state[i])).toBeLessThanOrEqual(single * Math.abs(state[i]));
      }
    });
  });

  test("hold other motions of the bodies as ghosts, and refuse those that do not fit", () => {
    const shifted = trajectory.states.map((state) => state.map((value, i) => (i === 0 ? value + 1 : value)));
    const { ghosts = [] } = replayData(trajectory, { ghosts: [{ name: "beside", states: shifted }] });
    expect(ghosts.map(({ name }) => name)).toEqual(["beside"]);
    const [own, other] = [data.poses, ghosts[0].poses].map(decodeFloats);
    expect(other).toHaveLength(own.length);
    expect(other[7 * 80]).toBeCloseTo(own[7 * 80] + 1, 5);
    expect(other[7 * 80 + 2]).toBe(own[7 * 80 + 2]);
    expect(data.ghosts).toBeUndefined();
    const replay = (states: Float64Array[]) => () => replayData(trajectory, { ghosts: [{ name: "other", states }] });
    expect(replay(shifted.slice(1))).toThrow("wrong-size at ghosts.other.states: has 80 entries; give 81");
    expect(replay([...shifted.slice(1), new Float64Array(2)])).toThrow("ghosts.other.states[80]: has 2 entries");
  });

  test("hold the contact forces, none of them in the first frame", () => {
    const forces = decodeFloats(data.forces);
    expect(forces.subarray(0, 3 * 16).every((value) => value === 0)).toBe(true);
    const reading = trajectory.contact(data.contacts[3].name)[70].force;
    expect(Array.from(forces.subarray(3 * (16 * 71 + 3), 3 * (16 * 71 + 4)))).toEqual(reading.map(Math.fround));
  });

  test("say what happened", () => {
    const { summary } = data;
    expect(summary).toMatchObject({ model: "thrownBox", steps: 80, timestep: 0.01, solved: 80 });
    expect(summary.iterationsMax).toBe(Math.max(...trajectory.reports.map(({ iterations }) => iterations)));
    expect(summary.smallestDistance).toBeGreaterThan(0);
    expect(data.plots.map(({ title }) => title)).toEqual([
      "energy",
      "height",
      "contact distance",
      "iterations per step",
    ]);
  });

  test("of a mechanism without contacts and shapes have neither distances nor empty bodies", () => {
    const bare = barePendulum(10);
    const pendulum = replayData(bare.trajectory);
    expect(pendulum.summary.smallestDistance).toBeNull();
    expect(pendulum.plots.map(({ title }) => title)).toEqual(["height", "iterations per step"]);
    expect(pendulum.bodies[0].shapes).toHaveLength(1);
    expect(JSON.parse(JSON.stringify(pendulum))).toEqual(pendulum);
  });

  test("of a rollout that fails end at its last state", () => {
    const scene = thrownBox(0);
    const start = scene.trajectory.states[0];
    const strict = new Simulation(simulation.mechanism, { maxIterations: 4, fallback: false });
    const failed = strict.rollout(start, { steps: 80 });
    const short = replayData(failed);
    expect(failed.solved).toBe(false);
    expect(short.frames).toBe(failed.states.length);
    expect(short.summary.solved).toBe(failed.steps - 1);
    expect(decodeFloats(short.forces)).toHaveLength(3 * 16 * short.frames);
  });

  test("of a rollout with checkpoints have a frame each", () => {
    const start = trajectory.states[0];
    const sparse = replayData(simulation.rollout(start, { steps: 40, gradients: { checkpointEvery: 10 } }));
    expect(sparse).toMatchObject({ frames: 5, interval: 0.1, summary: { steps: 40 } });
  });

  test("take plots of the caller's own, with a value for each state", () => {
    const plot = { title: "own", unit: "m", scale: "linear" } as const;
    const own = replayData(trajectory, { plots: [{ ...plot, series: [{ name: "a", values: new Float64Array(81) }] }] });
    expect(own.plots.at(-1)?.title).toBe("own");
    expect(() => replayData(trajectory, { plots: [{ ...plot, series: [{ name: "a", values: [1, 2] }] }] })).toThrow(
      ArgumentError,
    );
  });

  test("of Atlas over 5 s at 100 Hz take less than 1.5 MB", () => {
    const mechanism = compile(models.atlas({ bodyContacts: true, spring: 1, damper: 25 }));
    const atlas = new Simulation(mechanism);
    const start = maximalState(mechanism, mechanism.description.states?.rest ?? {});
    // numbers take the same room whatever they are
    const steps = 50;
    const size = (count: number): number => JSON.stringify(replayData(atlas.rollout(start, { steps: count }))).length;
    const [none, some] = [size(0), size(steps)];
    expect(none + (500 / steps) * (some - none)).toBeLessThan(1.5e6);
  });
});

describe("the ellipsoid of an inertia", () => {
  test("is that of an even ellipsoid", () => {
    const [a, b, c] = [0.3, 0.2, 0.5];
    const moment = (x: number, y: number): number => (2 * (x * x + y * y)) / 5;
    const inertia = [
      [moment(b, c), 0, 0],
      [0, moment(a, c), 0],
      [0, 0, moment(a, b)],
    ] as const;
    const shape = inertiaEllipsoid({ mass: 2, inertia });
    expect(shape.kind).toBe("ellipsoid");
    if (shape.kind !== "ellipsoid") return;
    expect([...shape.radii].sort()).toEqual([b, a, c].map((radius) => expect.closeTo(radius, 12)));
  });

  test("an inertia that a mass cannot have is drawn no larger than foam of that mass, in its own proportions", () => {
    // a camera of 10 mg: with 1e-6 kg·m² it would be drawn a metre wide
    const shape = inertiaEllipsoid({
      mass: 1e-5,
      inertia: [
        [1e-6, 0, 0],
        [0, 1e-6, 0],
        [0, 0, 1.5e-6],
      ],
    });
    if (shape.kind !== "ellipsoid") throw new Error(shape.kind);
    const [a, b, c] = shape.radii;
    expect(Math.max(a, b, c)).toBeLessThan(0.01 + 1e-12);
    // a² : c² as I₂ + I₃ − I₁ : I₁ + I₂ − I₃
    expect((a / c) ** 2).toBeCloseTo(3, 10);
    expect(a).toBeCloseTo(b, 12);
    const dummy = inertiaEllipsoid({
      mass: 1,
      inertia: [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
      ],
    });
    if (dummy.kind !== "ellipsoid") throw new Error(dummy.kind);
    expect((4 / 3) * Math.PI * dummy.radii[0] ** 3).toBeCloseTo(0.1, 10);
  });

  test("of a point is a small ball", () => {
    const zero = [0, 0, 0] as const;
    const shape = inertiaEllipsoid({ mass: 1, inertia: [zero, zero, zero] });
    expect(shape).toMatchObject({ radii: [0.01, 0.01, 0.01] });
  });
});

describe("the page of a replay", () => {
  const evil = '</script><script>alert("x")</script><!-- <b>&';
  const data = replayData(thrownBox(3, evil).trajectory, { notes: [{ label: evil, text: evil }] });
  const script = `const a = "</script>", b = /<!--x/, c = \`</SCRIPT\`; window.ok = a + b.test('<!--x') + c;`;
  const html = replayHtml(data, script);

  test("has exactly its own two scripts, whatever data and viewer contain", () => {
    expect(html.match(/<script/gi)).toHaveLength(2);
    expect(html.match(/<\/script/gi)).toHaveLength(2);
    expect(html).not.toContain("<!--");
    expect(html).toContain("<title>&lt;/script&gt;&lt;script&gt;alert(&quot;x&quot;)");
  });

  test("carries the data unchanged", () => {
    const json = /<script type="application\/json" id="replay-data">(.*?)<\/script>/s.exec(html)?.[1] ?? "";
    expect(JSON.parse(json)).toEqual(data);
  });

  test("carries the viewer with the same meaning", () => {
    const code = /<script>(.*?)<\/script>/s.exec(html)?.[1] ?? "";
    const window: { ok?: string } = {};
    new Function("window", code)(window);
    expect(window.ok).toBe("</script>true</SCRIPT");
  });

  test("names no address and forbids every connection", () => {
    expect(html).not.toMatch(/https?:/);
    expect(html).toContain("default-src 'none'");
  });

  test("has a theme only when asked", () => {
    expect(html).toContain('<html lang="en">');
    expect(replayHtml(data, "", { theme: "dark", title: "T" })).toContain('<html lang="en" data-theme="dark">');
    expect(replayHtml(data, "", { theme: "dark", title: "T" })).toContain("<title>T</title>");
    const theme = 'dark"><script>alert(1)</script>' as "dark";
    expect(() => replayHtml(data, "", { theme })).toThrow('unknown-name at options.theme: "dark');
  });
});
