/**
 * For every kind of joint, states are what rotation matrices make of the coordinates (test/physics/jointOracle.ts), and kernels give the
 * very numbers that the equations give at plain numbers.
 */
import { describe, expect, it } from "vitest";
import { jointCases } from "../../test/physics/jointCases.ts";
import { flatState, matrixOf, plainState } from "../../test/physics/jointOracle.ts";
import { interpreter, javascript, webassembly } from "../codegen/index.ts";
import { Random } from "../math/index.ts";
import { box, compile, floating, type Mechanism } from "../mechanism/index.ts";
import { models } from "../models/index.ts";
import { CoordinateKernels } from "./coordinateKernels.ts";
import { maximalFromMinimal, maximalFromMinimalInto, minimalState, minimalStateInto } from "./minimalState.ts";

const body = box({ size: [0.1, 0.2, 0.3], mass: 1 });

/** A floating base, two limbs of the same kind, and one that hangs on the world. */
function mechanismOf(form: (typeof jointCases)[number]["form"]): Mechanism {
  const anchors = {
    parentAnchor: [0.1, 0.2, -0.1],
    childAnchor: [0, 0.1, 0.2],
    orientation: [0.8, 0.36, 0, 0.48],
  } as const;
  return compile({
    timestep: 0.02,
    bodies: { base: body, left: body, right: body, third: body, alone: body },
    joints: {
      base: floating({ parent: "world", child: "base" }),
      left: { ...form, ...anchors, parent: "base", child: "left" },
      right: { ...form, ...anchors, parent: "right", child: "base" },
      third: { ...form, ...anchors, parent: "left", child: "third" },
      alone: { ...form, ...anchors, parent: "world", child: "alone" },
    },
  });
}

function randomMinimal({ coordinateCount }: Mechanism, seed: number): Float64Array {
  const random = new Random(seed);
  return Float64Array.from({ length: 2 * coordinateCount }, () => random.uniform(-0.7, 0.7));
}

/** Half a dozen products of rotations; rates are differences over 0.02 s. */
const rounding = 1e-13;

function farthest(values: ArrayLike<number>, wanted: ArrayLike<number>): number {
  expect(values.length).toBe(wanted.length);
  return Math.max(...Array.from(values, (value, i) => Math.abs(value - wanted[i])));
}

describe("states of bodies and joint coordinates", () => {
  for (const { name, form } of jointCases) {
    it(`${name}: as rotation matrices have them, both ways`, () => {
      const mechanism = mechanismOf(form);
      const { coordinateCount: c, joints, timestep: h } = mechanism;
      const x = randomMinimal(mechanism, 5);
      const wanted = plainState(mechanism, x, h);
      const kernels = new CoordinateKernels(mechanism);
      const state = new Float64Array(mechanism.stateSize);
      kernels.maximalInto(state, joints, x, h);
      wanted.forEach((body, i) => {
        const at = state.subarray(13 * i, 13 * (i + 1));
        expect(farthest(at.subarray(0, 3), body.position)).toBeLessThan(rounding);
        expect(farthest(matrixOf(at.subarray(3, 7)).flat(), body.rotation.flat())).toBeLessThan(rounding);
        expect(farthest(at.subarray(7, 10), body.velocity)).toBeLessThan(rounding / h);
        expect(farthest(at.subarray(10), body.angularVelocity)).toBeLessThan(rounding / h);
      });
      const minimal = new Float64Array(2 * c);
      kernels.minimalInto(minimal, joints, flatState(wanted), h);
      expect(farthest(minimal.subarray(0, c), x.subarray(0, c))).toBeLessThan(rounding);
      expect(farthest(minimal.subarray(c), x.subarray(c))).toBeLessThan(rounding / h);
    });
  }

  for (const { name, form } of jointCases) {
    it(`${name}: to the bit`, () => {
      const mechanism = mechanismOf(form);
      const { coordinateCount: c, joints, stateSize, timestep: h } = mechanism;
      const x = randomMinimal(mechanism, 3);
      // first calls are at plain numbers
      const exact = maximalFromMinimal(mechanism, x);
      const read = minimalState(mechanism, exact);
      for (const target of [webassembly, javascript, interpreter]) {
        const kernels = new CoordinateKernels(mechanism, target);
        const state = new Float64Array(stateSize);
        const minimal = new Float64Array(2 * c);
        expect(kernels.maximalInto(state, joints, x, h)).toBeUndefined();
        expect(state).toEqual(exact);
        kernels.minimalInto(minimal, joints, state, h);
        expect(minimal).toEqual(read);
      }
    });
  }

  it("go on from call to call, whichever way they are computed, also where frames have changed", () => {
    const mechanism = compile(models.a1());
    const x = randomMinimal(mechanism, 4);
    const moved = {
      ...mechanism,
      joints: mechanism.joints.map((joint) => ({
        ...joint,
        frames: { ...joint.frames, parentAnchor: [0.3, 0, 0] as const },
      })),
    };
    for (const subject of [mechanism, moved]) {
      const states = Array.from({ length: 20 }, () => {
        const state = new Float64Array(mechanism.stateSize);
        maximalFromMinimalInto(state, subject, x);
        return state;
      });
      for (const state of states) expect(state).toEqual(states[0]);
      const back = new Float64Array(x.length);
      minimalStateInto(back, subject, states[0]);
      back.forEach((value, i) => {
        expect(Math.abs(value - x[i])).toBeLessThan(1e-12);
      });
    }
  });

  it("a body that turns too far in a step is named, by kernels too", () => {
    const spinning = compile(models.sphere());
    const x = new Float64Array(12);
    x[9] = 1e3;
    for (let call = 0; call < 20; call++) {
      expect(() => maximalFromMinimalInto(new Float64Array(13), spinning, x)).toThrow(/too-fast/);
    }
  });
});
