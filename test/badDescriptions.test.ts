/**
 * Every fault of a description, provoked once: it has a stable code, a path that says where, and words that say what to do. The table has an
 * entry for every code there is, so that a new one cannot go without.
 */
import { describe, expect, test } from "vitest";
import { compile, type FaultCode, type MechanismDescription } from "../src/index.ts";
import { faultsOf, foot, hinge, rod, valid } from "./provoked.ts";
import { crankRocker, fourBar } from "./toys/loops.ts";

/** A part of a valid description put in its place, whatever its type. */
function changed(part: Record<string, unknown>): MechanismDescription {
  return { ...valid, ...part } as MechanismDescription;
}
const withBody = (part: object) => changed({ bodies: { rod: { ...rod, ...part } } });
const withJoint = (part: object) => changed({ joints: { hinge: { ...hinge, ...part } } });
const withContact = (part: object) => changed({ contacts: [{ ...foot, ...part }] });
const withTerms = (...terms: object[]) => changed({ gears: { pair: { terms } } });
const inertia = (xx: number, yy: number, zz: number, xy = 0, yx = xy) => ({
  inertia: [
    [xx, xy, 0],
    [yx, yy, 0],
    [0, 0, zz],
  ],
});

describe("compile", () => {
  const cases: Record<FaultCode, readonly [description: MechanismDescription, path: string, wayOut: string]> = {
    "wrong-type": [withBody({ mass: "1" }), "bodies.rod.mass", "expected a number"],
    "not-finite": [withBody({ mass: Number.NaN }), "bodies.rod.mass", "give a finite number"],
    "missing-field": [withJoint({ child: undefined }), "joints.hinge.child", "needs it"],
    "unknown-field": [withJoint({ dampning: 1 }), "joints.hinge.dampning", "did you mean damping?"],
    "wrong-length": [withJoint({ stiffness: [1, 2] }), "joints.hinge.stiffness", "give 1, or one value for all"],
    "not-unit": [withJoint({ axis: [2, 0, 0] }), "joints.hinge.axis", "normalised it is [1, 0, 0]"],
    "non-positive": [changed({ timestep: 0 }), "timestep", "0.01 is a common one"],
    negative: [withJoint({ damping: -1 }), "joints.hinge.damping", "0 turns it off"],
    "out-of-range": [changed({ springConservation: 2 }), "springConservation", "0.9 is the default"],
    "inertia-not-symmetric": [withBody(inertia(1, 1, 1, 0.1, 0.2)), "bodies.rod.inertia", "their mean is 0.15"],
    "inertia-not-positive-definite": [withBody(inertia(1, 1, -1)), "bodies.rod.inertia", "check the signs"],
    "inertia-triangle": [withBody(inertia(1, 1, 3)), "bodies.rod.inertia", "raise the smaller ones"],
    "unknown-body": [withJoint({ child: "rodd" }), "joints.hinge.child", 'have: rod); did you mean "rod"?'],
    "unknown-joint": [withTerms({ joint: "hnge", ratio: 1 }), "gears.pair.terms[0].joint", 'did you mean "hinge"?'],
    "unknown-axis": [withTerms({ joint: "hinge", axis: 1, ratio: 1 }), "gears.pair.terms[0].axis", "axes count from 0"],
    "unknown-kind": [withJoint({ kind: "revolut" }), "joints.hinge.kind", 'did you mean "revolute"?'],
    "unknown-model": [withContact({ model: "soft" }), "contacts[0].model", "have:"],
    "unknown-state": [changed({ stateInputs: { rset: {} }, states: { rest: {} } }), "stateInputs.rset", '"rest"'],
    "unknown-input": [
      changed({ stateInputs: { rest: { "hinge.angel": 1 } }, states: { rest: {} } }),
      'stateInputs.rest["hinge.angel"]',
      'did you mean "hinge.angle"?',
    ],
    "reserved-name": [changed({ bodies: { rod, world: rod } }), "bodies.world", "choose another name"],
    "duplicate-name": [changed({ contacts: [foot, foot] }), "contacts[1].name", "rename one, or leave names out"],
    "no-bodies": [{ timestep: 0.01, bodies: {} }, "bodies", "add one"],
    "unreachable-body": [changed({ bodies: { rod, loose: rod } }), "bodies.loose", "add floating("],
    "self-joint": [
      changed({ joints: { hinge, knot: { ...hinge, parent: "rod" } } }),
      "joints.knot",
      "a joint needs two bodies",
    ],
    "world-as-child": [
      changed({ joints: { hinge, back: { ...hinge, parent: "rod", child: "world" } } }),
      "joints.back.child",
      "exchange parent and child",
    ],
    "serial-axes": [withJoint({ axes: [[1, 0, 0]] }), "joints.hinge.axes", 'use axis, or kind "serial"'],
    "limits-order": [withJoint({ limits: [1, -1] }), "joints.hinge.limits", "exchange them"],
    "no-free-axis": [
      withJoint({ kind: "fixed", axis: undefined, limits: undefined }),
      "joints.hinge.actuated",
      "leave it out",
    ],
    "self-contact": [
      withContact({ halfSpace: { body: "rod", normal: [0, 0, 1], offset: 0 } }),
      "contacts[0]",
      "name another body",
    ],
    "friction-without-model": [withContact({ model: "impact" }), "contacts[0].frictionCoefficient", 'use "cone"'],
    "contradictory-loop": [fourBar({ ...crankRocker, ground: 4 }), "joints.wrist", "check anchors and axes"],
    "empty-gear": [withTerms(), "gears.pair.terms", "remove it"],
    "contradictory-gear": [
      changed({ gears: { pair: { terms: [{ joint: "hinge", ratio: 1 }], offset: 1, range: [0, 1] } } }),
      "gears.pair",
      "make a gear of each",
    ],
    "zero-ratio": [withTerms({ joint: "hinge", ratio: 0 }), "gears.pair.terms[0].ratio", "remove it"],
    "flat-hull": [
      withBody({ shapes: [{ kind: "hull", points: [0, 1, 2, 3].map((i) => [i, i * i, i + i * i]) }] }),
      "bodies.rod.shapes[0].points",
      "give it some thickness",
    ],
    "absurd-size": [
      changed({ shapes: [{ kind: "box", size: [1, 1, 1e9], contact: true }] }),
      "shapes[0]",
      "check the units",
    ],
    "unknown-combination": [
      changed({ collisions: { combine: "mean" } }),
      "collisions.combine",
      "have: geometricMean, max, min, product",
    ],
    "unknown-shape": [
      changed({
        shapes: [{ kind: "halfSpace", name: "floor", contact: true }],
        bodies: { rod: { ...rod, shapes: [{ kind: "sphere", radius: 0.1, contact: true }] } },
        collisions: { pairs: [{ bodies: ["rod", "world"], shapes: ["shape0", "flor"] }] },
      }),
      "collisions.pairs[0].shapes[1]",
      'did you mean "floor"',
    ],
  };
  test.each(Object.entries(cases))("%s", (code, [description, path, wayOut]) => {
    const faults = faultsOf(() => compile(description));
    expect(faults).toEqual([{ code, path, message: expect.stringContaining(wayOut) }]);
  });

  test("lists every fault at once", () => {
    const broken = changed({
      timestep: -1,
      bodies: { rod: { ...rod, mass: 0 } },
      joints: { hinge: { ...hinge, parent: "wrld" } },
    });
    expect(faultsOf(() => compile(broken)).map(({ code }) => code)).toEqual([
      "non-positive",
      "non-positive",
      "unknown-body",
    ]);
  });
});
