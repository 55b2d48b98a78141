/** Fits of small data: what is found, what is warned of, and that inertias stay physical. */
import { describe, expect, it } from "vitest";
import { maximalState, minimalState } from "../coordinates/index.ts";
import { matrix3, Random } from "../math/index.ts";
import { box, capsule, floating, type MechanismDescription, prismatic, revolute } from "../mechanism/index.ts";
import { compile, Simulation } from "../simulation/index.ts";
import { fitParameters } from "./fit.ts";
import { requireAboveGround } from "./groundCheck.ts";
import { fitThroughHorizons } from "./horizons.ts";
import type { Loss } from "./loss.ts";
import { namedParameters } from "./namedParameters.ts";
import { ParameterMap, type ParameterSet, startedFrom } from "./parameterSet.ts";
import type { Recording } from "./recording.ts";
import { tossedCubeDescription } from "./tossedCube.ts";

const interval = 0.002;
const arm = (timestep: number, mass = 1): MechanismDescription => ({
  timestep,
  bodies: { rod: capsule({ radius: 0.03, length: 0.5, mass }) },
  joints: {
    hinge: revolute({ parent: "world", child: "rod", axis: [1, 0, 0], childAnchor: [0, 0, 0.25], damping: 0.02 }),
  },
});
const model = new Simulation(compile(arm(interval)));

/** The angle of a swing that was simulated with a quarter of the interval. */
const swingOf = (mass: number): Recording => {
  const simulation = new Simulation(compile(arm(interval / 4, mass)));
  const frames = 200;
  const { states } = simulation.rollout(maximalState(simulation.mechanism, { hinge: { position: [1.5] } }), {
    steps: 4 * (frames - 1),
  });
  const angles = states.filter((_, k) => k % 4 === 0).map((state) => minimalState(simulation.mechanism, state)[0]);
  const coordinates = { "hinge.angle": Float64Array.from(angles) };
  return { name: "swing", frames, interval, poses: {}, coordinates, inputs: {}, lines: [] };
};
const swing = swingOf(1);

const fitted = (set: ParameterSet, maxIterations = 30) =>
  fitParameters(
    { description: arm(interval), set, recordings: [swing], sampling: { window: "whole" }, starts: "free" },
    { maxIterations },
  );

describe("a fit", () => {
  it("finds damping and inertia within 0.1% from starts 30% off", async () => {
    const names = ["joints.hinge.damping.0", "bodies.rod.inertia.xx"];
    const set = namedParameters(model, names);
    const starts = Object.fromEntries(
      names.map((name, i) => [name, set.parameters[name].start * (i === 0 ? 0.7 : 1.3)]),
    );
    const { parameters, end, warnings } = await fitted(startedFrom(set, starts));
    expect(end).toBe("converged");
    // there is no noise: what is left is the model's coarser step
    expect(warnings.map(({ code }) => code)).toEqual(["correlated-residuals"]);
    for (const name of names) {
      expect(Math.abs(parameters[name].value / set.parameters[name].start - 1), name).toBeLessThan(1e-3);
    }
  });

  it("through growing horizons finds the same, counts its iterations through, and is refused for short windows", async () => {
    const names = ["joints.hinge.damping.0", "bodies.rod.inertia.xx"];
    const truth = namedParameters(model, names);
    const set = startedFrom(truth, { "bodies.rod.inertia.xx": truth.parameters["bodies.rod.inertia.xx"].start * 1.3 });
    const context = { description: arm(interval), set, recordings: [swing], starts: "free" } as const;
    const counts: number[] = [];
    const { parameters, iterations, history } = await fitThroughHorizons(
      { ...context, sampling: { window: "whole" } },
      [20, 60],
      { onIteration: ({ iteration }) => counts.push(iteration) },
    );
    for (const name of names) {
      expect(Math.abs(parameters[name].value / truth.parameters[name].start - 1), name).toBeLessThan(1e-3);
      expect(parameters[name].start).toBe(set.parameters[name].start);
    }
    expect(counts).toEqual(history.map(({ iteration }) => iteration));
    expect(Math.max(...counts)).toBe(iterations);
    await expect(fitThroughHorizons({ ...context, sampling: { window: 20 } }, [10])).rejects.toThrow(
      "horizons are for whole recordings",
    );
  });

  it("refuses angles in degrees, faster than any step can follow, with the frame and what may be wrong", async () => {
    const coordinates = {
      "hinge.angle": (swing.coordinates["hinge.angle"] as Float64Array).map((angle) => 180 * angle),
    };
    const set = namedParameters(model, ["joints.hinge.damping.0"]);
    for (const starts of ["fixed", "free"] as const) {
      const recordings = [
        { ...swing, name: "swing.csv", coordinates, lines: Array.from({ length: swing.frames }, (_, k) => k + 2) },
      ];
      const fit = fitParameters({ description: arm(interval), set, recordings, sampling: { window: 20 }, starts });
      await expect(fit).rejects.toThrow(/no-start at swing\.csv:\d+: .* too-fast at bodies\.rod.* radians/);
    }
  });

  it("warns of parameters that only their ratio is seen of, that nothing uses, and that end on a bound", async () => {
    const set: ParameterSet = {
      parameters: {
        mass: { start: 1 },
        gravity: { start: 9.81 },
        inertia: { start: 0.02 },
        damping: { start: 0.01, lower: 0, upper: 0.012 },
        idle: { start: 3 },
      },
      values: {
        "bodies.rod.mass": "mass",
        "gravity.z": "-gravity",
        "bodies.rod.inertia.xx": "inertia",
        "joints.hinge.damping.0": "damping * mass",
      },
    };
    const { warnings, parameters } = await fitted(set, 8);
    const codes = Object.fromEntries(warnings.map(({ code, parameter }) => [parameter, code]));
    expect(codes.damping).toBe("at-bound");
    expect(parameters.damping.interval).toBeNull();
    expect(codes.idle).toBe("unused");
    // masses, inertias and dampers times any number swing the same: neither has an interval, though each has one while the other is held
    for (const name of ["mass", "inertia"]) {
      expect(codes[name], name).toBe("undetermined");
      expect(parameters[name].interval, name).toBeNull();
    }
    expect(warnings.find(({ parameter }) => parameter === "mass")?.message).toContain("these data beside inertia;");
    expect(codes.gravity).toBeUndefined();
    expect(parameters.gravity.interval).not.toBeNull();
  });
});

describe("intervals", () => {
  const sigma = 1e-3;
  const damping = "joints.hinge.damping.0";
  /** The swing as a sensor has it. */
  const fitOf = async (error: () => number, loss: Loss["kind"] = "squared") => {
    const angles = (swing.coordinates["hinge.angle"] as Float64Array).map((angle) => angle + sigma * error());
    const { parameters, warnings } = await fitParameters({
      description: arm(interval),
      set: namedParameters(model, [damping]),
      recordings: [{ ...swing, coordinates: { "hinge.angle": angles } }],
      sampling: { window: "whole" },
      starts: "free",
      noise: { coordinates: sigma },
      loss: { kind: loss },
    });
    const [from, to] = parameters[damping].interval as readonly [number, number];
    return { width: to - from, codes: warnings.map(({ code }) => code) };
  };

  it("by a robust loss are hardly widened by frames far out, as those by squares are", async () => {
    const random = new Random(5);
    const clean = Array.from({ length: swing.frames }, () => random.normal());
    const wild = clean.map((error, k) => (k % 20 === 7 ? 30 * error : error));
    const along = (errors: readonly number[]) => {
      let k = 0;
      return () => errors[k++];
    };
    const { width, codes } = await fitOf(along(clean));
    expect(codes).toEqual([]);
    expect((await fitOf(along(wild))).width).toBeGreaterThan(4 * width);
    for (const loss of ["huber", "cauchy"] as const) {
      const robust = (await fitOf(along(wild), loss)).width;
      expect(robust / width, loss).toBeGreaterThan(0.8);
      expect(robust / width, loss).toBeLessThan(1.5);
    }
  });

  it("are told to be too narrow where a sensor errs slowly", async () => {
    const random = new Random(6);
    let error = random.normal();
    const { codes } = await fitOf(() => {
      error = 0.9 * error + Math.sqrt(0.19) * random.normal();
      return error;
    });
    expect(codes).toEqual(["correlated-residuals"]);
  });
});

describe("a mass", () => {
  const heavy = swingOf(1.5);
  const found = (name: string) =>
    fitParameters({
      description: arm(interval),
      set: namedParameters(model, [name]),
      recordings: [heavy],
      sampling: { window: "whole", stepsPerFrame: 4 },
      starts: "free",
    });

  it("is found with its inertia in proportion as massAndInertia", async () => {
    const { parameters, warnings } = await found("bodies.rod.massAndInertia");
    expect(Math.abs(parameters["bodies.rod.massAndInertia"].value / 1.5 - 1)).toBeLessThan(1e-3);
    expect(warnings).toEqual([]);
  });

  it("by itself is another one, and the fit says that the inertia was held", async () => {
    const { parameters, warnings } = await found("bodies.rod.mass");
    expect(Math.abs(parameters["bodies.rod.mass"].value / 1.5 - 1)).toBeGreaterThan(0.05);
    expect(warnings.map(({ code }) => code)).toEqual(["inertia-held", "correlated-residuals"]);
    expect(warnings[0].message).toContain("bodies.rod.massAndInertia");
  });

  it("is found once: beside massAndInertia it is refused, and so is the inertia", () => {
    for (const name of ["bodies.rod.mass", "bodies.rod.inertia", "bodies.rod.inertia.xx"]) {
      expect(() => namedParameters(model, [name, "bodies.rod.massAndInertia"]), name).toThrow("both-given");
      expect(() => namedParameters(model, ["bodies.rod.massAndInertia", name]), name).toThrow("both-given");
    }
  });

  it("of a body that cannot turn has no inertia to speak of", () => {
    const cart = new Simulation(
      compile({
        timestep: interval,
        bodies: { cart: box({ size: [0.1, 0.1, 0.1], mass: 1 }) },
        joints: { rail: prismatic({ parent: "world", child: "cart", axis: [1, 0, 0] }) },
      }),
    );
    const massesAlone = (simulation: Simulation, name: string) =>
      new ParameterMap(simulation, namedParameters(simulation, [name]), []).massesAlone;
    expect(massesAlone(cart, "bodies.cart.mass")).toEqual([]);
    expect(massesAlone(model, "bodies.rod.mass")).toEqual([{ body: "rod", parameter: "bodies.rod.mass" }]);
  });
});

describe("inertias by Cholesky factors", () => {
  const crate = {
    timestep: 0.01,
    bodies: { crate: box({ size: [0.3, 0.2, 0.1], mass: 2 }) },
    joints: { base: floating({ parent: "world", child: "crate" }) },
  };
  const simulation = new Simulation(compile(crate));
  const set = namedParameters(simulation, ["bodies.crate.inertia", "bodies.crate.centerOfMass"]);
  const inertiaNow = () => {
    const [xx, yy, zz, xy, xz, yz] = ["xx", "yy", "zz", "xy", "xz", "yz"].map((name) =>
      simulation.parameter(`bodies.crate.inertia.${name}`),
    );
    return matrix3.symmetricEigenvalues([
      [xx, xy, xz],
      [xy, yy, yz],
      [xz, yz, zz],
    ]);
  };

  it("start at the body's own", () => {
    const before = inertiaNow();
    const map = new ParameterMap(simulation, set, ["crate"]);
    map.apply(map.start);
    inertiaNow().forEach((moment, i) => {
      expect(moment).toBeCloseTo(before[i], 12);
    });
  });

  it("are those of a rigid body wherever a search may go", () => {
    const map = new ParameterMap(simulation, set, ["crate"]);
    const random = new Random(2);
    for (let trial = 0; trial < 50; trial++) {
      map.apply(map.start.map((value, i) => Math.max(map.lower[i], value + 0.1 * random.normal())));
      const [a, b, c] = [...inertiaNow()].sort((x, y) => x - y);
      expect(a).toBeGreaterThan(0);
      expect(a + b).toBeGreaterThanOrEqual(c * (1 - 1e-12));
    }
  });
});

describe("poses below the ground", () => {
  it("are refused with file and line", () => {
    const recording = (z: number): Recording => ({
      ...{ name: "toss.csv", frames: 1, interval: 0.01, coordinates: {}, inputs: {}, lines: [7] },
      poses: { cube: Float64Array.of(0, 0, z, 1, 0, 0, 0) },
    });
    const cube = compile(tossedCubeDescription());
    expect(() => requireAboveGround(cube, [recording(0.05)])).not.toThrow();
    expect(() => requireAboveGround(cube, [recording(0.01)])).toThrow("below-ground at toss.csv:7");
  });
});
