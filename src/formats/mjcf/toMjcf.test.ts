/** Exported files: which first states need a keyframe, and which joints a loop keeps in its tree. */
import { expect, test } from "vitest";
import {
  capsule,
  floating,
  type MechanismDescription,
  prismatic,
  type Quaternion,
  revolute,
  sphere,
} from "../../mechanism/index.ts";
import { toMjcf } from "./toMjcf.ts";

const turned = (angle: number): Quaternion => [Math.cos(angle / 2), Math.sin(angle / 2), 0, 0];

test("a first state that is drawn needs no keyframe to start from: at rest, with all joints at zero but free ones", () => {
  const bead = sphere({ radius: 0.1, mass: 1 });
  const keys = (states: MechanismDescription["states"]): string[] => {
    const joints = {
      base: floating({ parent: "world", child: "bead" }),
      slide: prismatic({ parent: "bead", child: "other", axis: [1, 0, 0] }),
    };
    const { xml } = toMjcf({ timestep: 0.01, bodies: { bead, other: bead }, joints, states });
    return Array.from(xml.matchAll(/<key name="(\w+)"/g), ([, name]) => name);
  };
  expect(keys({ up: { base: { position: [0, 0, 2, 0, 0, 0] } } })).toEqual(["up"]);
  expect(keys({ up: { base: { velocity: [0, 0, 1, 0, 0, 0] } } })).toEqual(["up", "initial"]);
  expect(keys({ out: { slide: { position: [0.5] } } })).toEqual(["out", "initial"]);
  expect(keys({ out: { slide: { position: [0] } }, more: { slide: { position: [1] } } })).toEqual(["out", "more"]);
});

test("a file with a loop keeps in the tree what only joints of a tree can have, in whichever order they come", () => {
  const rod = capsule({ radius: 0.05, length: 1, mass: 1 });
  const ends = { parentAnchor: [0, 0, 0.5], childAnchor: [0, 0, -0.5] } as const;
  const axis = [1, 0, 0] as const;
  const joints = {
    first: { parent: "world", child: "a", childAnchor: [0, 0, -0.5], axis },
    second: { parent: "a", child: "b", ...ends, axis, orientation: turned(Math.PI / 2) },
    third: { parent: "b", child: "c", ...ends, axis, orientation: turned(Math.PI / 2) },
    fourth: {
      parent: "world",
      child: "c",
      parentAnchor: [0, -1, 0],
      childAnchor: [0, 0, 0.5],
      axis,
      orientation: turned(Math.PI),
    },
  } as const;
  const names = Object.keys(joints) as (keyof typeof joints)[];
  for (const plain of names) {
    for (const order of [names, [...names].reverse()]) {
      const made = order.map((name) => [name, revolute({ ...joints[name], damping: name === plain ? 0 : 1 })]);
      const { xml, warnings } = toMjcf({
        timestep: 0.01,
        bodies: { a: rod, b: rod, c: rod },
        joints: Object.fromEntries(made),
      });
      expect(warnings.filter(({ message }) => message.includes("damping"))).toEqual([]);
      const inTree = Array.from(xml.matchAll(/<joint name="(\w+)"/g), ([, name]) => name).sort();
      expect(inTree).toEqual(names.filter((name) => name !== plain).sort());
    }
  }
});
