/**
 * Files that were dropped → a description. A zip archive is its files. Of several robot files the one that no other includes and
 * that lies highest is taken; meshes are found by the end of their path.
 */

import {
  fromJson,
  importMjcf,
  importUrdf,
  isMeshFile,
  type MechanismDescription,
  type Mesh,
  parseMesh,
} from "dojo-sim";
import { unzipSync } from "fflate";
import type { Collisions, GivenFile } from "../protocol.ts";

export interface LoadedRobot {
  readonly name: string;
  readonly description: MechanismDescription;
  readonly notes: readonly string[];
  /** What its bodies touch; null where the file says it all. */
  readonly collisions: Collisions | null;
}

/** All files together, unpacked. */
const mostBytes = 200e6;

/** Where it is left open what bodies touch, loose ones touch one another, and what is fixed in the world. */
export function loadRobot(given: readonly GivenFile[], asked?: Collisions): LoadedRobot {
  const files = unpacked(given);
  const { robot, others } = chooseRobot(files, given);
  const onFloor = describe(robot, files, asked ?? "floor");
  const { description, notes, collisions } =
    asked === undefined && onFloor.collisions && hasLooseBodies(onFloor.description)
      ? describe(robot, files, "shapes")
      : onFloor;
  const name = description.name ?? baseName(robot.name).replace(/\.[^.]*$/, "");
  const left = others.length > 0 ? [`${robot.name} was taken, and not ${others.slice(0, 3).join(", ")}`] : [];
  return { name, description, notes: [...left, ...notes], collisions };
}

function hasLooseBodies({ joints = {}, shapes = [] }: MechanismDescription): boolean {
  const loose = Object.values(joints).filter(({ kind }) => kind === "floating").length;
  return loose > 1 || (loose === 1 && shapes.some(({ kind }) => kind !== "halfSpace"));
}

function unpacked(given: readonly GivenFile[]): GivenFile[] {
  let total = 0;
  const count = (size: number): void => {
    total += size;
    if (total > mostBytes)
      throw new RangeError(`The files are larger than ${mostBytes / 1e6} MB; leave out what is not the robot's.`);
  };
  const files = given.flatMap((file) => {
    // MuJoCo calls its archives mjz
    if (!/\.(zip|mjz)$/i.test(file.name)) {
      count(file.bytes.length);
      return [file];
    }
    try {
      const wanted = /\.(urdf|srdf|xml|mjcf|json|stl|obj|dae|msh|xacro)$/i;
      const filter = ({ name, originalSize }: { name: string; originalSize: number }): boolean => {
        const take = wanted.test(name) && !/(^|\/)(__MACOSX|\.)/.test(name);
        if (take) count(originalSize);
        return take;
      };
      return Object.entries(unzipSync(file.bytes, { filter })).map(([name, bytes]) => ({ name, bytes }));
    } catch (error) {
      if (error instanceof RangeError) throw error;
      throw new RangeError(`${file.name} is no zip archive that can be read; pack it again without encryption.`);
    }
  });
  return files.map(({ name, bytes }) => ({ name: plainName(name), bytes }));
}

/** With / between folders, and accents as part of their letters: archives and file systems differ in both. */
const plainName = (name: string): string => name.replaceAll("\\", "/").normalize("NFC");

/** `files` are those of `given` with archives unpacked, as far as they can be of use. */
function chooseRobot(
  files: readonly GivenFile[],
  given: readonly GivenFile[],
): { robot: GivenFile; others: readonly string[] } {
  const readable = files.filter(({ name }) => /\.(urdf|xml|mjcf|json)$/i.test(name));
  const texts = new Map(readable.map((file) => [file, textOf(file)]));
  const included = new Set<GivenFile>();
  for (const [file, text] of texts) {
    for (const [, , name] of text.matchAll(/<(?:include|model)\b[^>]*?\bfile\s*=\s*(["'])(.*?)\1/g)) {
      const found = findFile(readable, name);
      if (found && found !== file) included.add(found);
    }
  }
  const candidates = readable
    .filter((file) => !included.has(file))
    .filter((file) => readable.length === 1 || isRobot(file.name, texts.get(file) ?? ""))
    .sort((a, b) => depth(a.name) - depth(b.name) || rank(a.name) - rank(b.name) || a.name.localeCompare(b.name));
  if (candidates.length > 0) return { robot: candidates[0], others: candidates.slice(1).map(({ name }) => name) };
  if (files.some(({ name }) => /\.xacro$/i.test(name))) {
    throw new RangeError("A xacro file must be expanded first: xacro robot.xacro > robot.urdf");
  }
  const looked = files.length > 0 ? files : given;
  const names = looked.map(({ name }) => name).slice(0, 3);
  throw new RangeError(
    `There is no robot in ${names.join(", ") || "nothing"}; give a URDF, MJCF or JSON file, or a zip archive with one.`,
  );
}

const depth = (name: string): number => name.split("/").length;
const rank = (name: string): number =>
  [".urdf", ".xml", ".mjcf", ".json"].findIndex((ending) => name.toLowerCase().endsWith(ending));
const baseName = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

function textOf({ bytes }: GivenFile): string {
  const [first, second] = bytes;
  const wide =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(wide).decode(bytes);
}

/** Whether one of many files looks like a robot: archives hold other XML and JSON too. */
function isRobot(name: string, text: string): boolean {
  if (/\.json$/i.test(name)) return text.includes('"dojo-sim"');
  return /<(robot|mujoco)[\s>]/.test(text);
}

function describe(robot: GivenFile, files: readonly GivenFile[], collisions: Collisions): Omit<LoadedRobot, "name"> {
  const text = textOf(robot);
  if (/\.json$/i.test(robot.name)) return { description: fromJson(text, robot.name), notes: [], collisions: null };
  const missing = new Set<string>();
  const readMesh = (name: string): Mesh | undefined => {
    if (!isMeshFile(name)) return undefined;
    const found = findFile(files, name);
    if (!found) missing.add(baseName(name));
    return found && parseMesh(found.bytes, found.name);
  };
  const readFile = (name: string): string => {
    const found = findFile(files, name);
    if (!found)
      throw new RangeError(`${robot.name} includes ${name}, which is not there; drop both, or a zip archive.`);
    return textOf(found);
  };
  const isUrdf = /\.urdf$/i.test(robot.name) || /<robot[\s>]/.test(text);
  const srdf = collisions === "shapes" ? files.find(({ name }) => /\.srdf$/i.test(name)) : undefined;
  const { description, warnings } = isUrdf
    ? importUrdf(text, { fileName: robot.name, readMesh, collisions, ...(srdf && { srdf: textOf(srdf) }) })
    : importMjcf(text, { fileName: robot.name, readMesh, readFile, floor: true, collisions });
  const lost =
    missing.size > 0 ? [`meshes that were not given have no contacts: ${[...missing].slice(0, 4).join(", ")}`] : [];
  return { description, notes: [...lost, ...warnings.map(({ message }) => message)], collisions };
}

/** The file whose path has the longest end in common with the name, at least all of its own name; also where %20 stands for a blank. */
function findFile(files: readonly GivenFile[], name: string): GivenFile | undefined {
  return fileNamed(files, name) ?? fileNamed(files, unescaped(name));
}

function unescaped(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function fileNamed(files: readonly GivenFile[], name: string): GivenFile | undefined {
  const wanted = plainName(name.replace(/^\w+:\/\//, ""))
    .split("/")
    .reverse();
  let best: GivenFile | undefined;
  let longest = 0;
  for (const file of files) {
    const parts = file.name.split("/").reverse();
    let same = 0;
    while (same < wanted.length && same < parts.length && wanted[same].toLowerCase() === parts[same].toLowerCase())
      same++;
    if (same > longest) [best, longest] = [file, same];
  }
  return best;
}
