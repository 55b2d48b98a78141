import { ArgumentError, nearestName } from "../mechanism/index.ts";
import type { Scalar } from "../symbolic/index.ts";
import type { Quantities } from "./quantities.ts";

/**
 * The quantity that a name stands for, or the entries of a vector. It may be a path ("bodies.torso.position.z"), or shorter where it can mean
 * but one thing: the kind may be left out of bodies, joints and contacts ("torso.velocity.x", "hinge.angle"), the letter for all three ("torso.velocity"), and the position
 * of a body ("torso.z"; where a joint has the same name and such a coordinate, that is meant). "input", "coordinates" and "rates" are all of them, and "input.hinge.angle" is one. `at` is where an error says that the name stands.
 */
export function quantityNamed(q: Quantities, name: string, at: string): Scalar | readonly Scalar[] {
  const whole = wholes.get(name);
  if (whole) return whole(q);
  const known = new Set(q.names);
  const body = /^(.+)\.([xyz])$/.exec(name);
  const input = /^input\.(.+)$/.exec(name);
  const tiers = [
    [name],
    ["bodies.", "joints.", "contacts."].map((kind) => kind + name),
    input ? [`inputs.${input[1]}`] : [],
    body ? [`${body[1]}.position.${body[2]}`, `bodies.${body[1]}.position.${body[2]}`] : [],
  ];
  const meanings = tiers.map((paths) => paths.flatMap((path) => meaningOf(path, known) ?? []));
  const [first, second] = meanings.find((found) => found.length > 0) ?? [];
  if (first === undefined) {
    throw new ArgumentError("unknown-quantity", at, `there is no quantity "${name}"; ${hintOf(name, q)}`);
  }
  if (second !== undefined) {
    throw new ArgumentError(
      "ambiguous",
      at,
      `"${name}" may be ${first.name} or ${second.name}; write the one you mean`,
    );
  }
  const values = first.paths.map((path) => q.named(path));
  return first.paths[0] === first.name ? values[0] : values;
}

const letters = ["w", "x", "y", "z"];

const wholes = new Map<string, (q: Quantities) => readonly Scalar[]>([
  ["input", (q) => q.inputs],
  ["inputs", (q) => q.inputs],
  ["coordinates", (q) => q.minimalState.slice(0, q.minimalState.length / 2)],
  ["rates", (q) => q.minimalState.slice(q.minimalState.length / 2)],
]);

/** A hint for an unknown name: the nearest one, or the quantities of the body or joint that it begins with. */
function hintOf(name: string, q: Quantities): string {
  const short = new Set(q.names.map((path) => path.replace(/^(bodies|joints|contacts)\./, "")));
  for (const { name: body } of q.mechanism.bodies)
    for (const letter of letters.slice(1)) short.add(`${body}.${letter}`);
  const nearest = nearestName(name, [...short]);
  if (nearest !== undefined) return `did you mean "${nearest}"?`;
  const owner = [...q.mechanism.bodies, ...q.mechanism.joints].find((thing) => name.startsWith(`${thing.name}.`))?.name;
  if (owner === undefined) return "quantityNames lists all, and so does dojo inspect --names";
  const own = [...short].filter((path) => path.startsWith(`${owner}.`)).map((path) => path.slice(owner.length + 1));
  return `${owner} has ${[...new Set(own.map((path) => path.replace(/\.[wxyz]$/, "")))].join(", ")}`;
}

interface Meaning {
  readonly name: string;
  readonly paths: readonly string[];
}

/** The quantity of a path, or the vector whose entries have a letter more; nothing where there is neither. */
function meaningOf(name: string, known: ReadonlySet<string>): Meaning[] | undefined {
  if (known.has(name)) return [{ name, paths: [name] }];
  const paths = letters.map((letter) => `${name}.${letter}`).filter((path) => known.has(path));
  return paths.length > 1 ? [{ name, paths }] : undefined;
}
