/** The settings of <compiler>: units, conventions, and what is made of masses and files. */
import {
  attributeError,
  readBoolean,
  readChoice,
  readNonNegative,
  readNumber,
  readNumbers,
  readString,
  type XmlElement,
} from "../xml.ts";
import type { Ledger } from "./ledger.ts";

export interface MjcfCompiler {
  /** Radians of an angle of the file. */
  readonly angleUnit: number;
  readonly eulerSequence: string;
  readonly autoLimits: boolean;
  readonly inertiaFromGeom: "auto" | "true" | "false";
  readonly inertiaGroups: readonly [number, number];
  readonly boundMass: number;
  readonly boundInertia: number;
  readonly balanceInertia: boolean;
  /** Whether free joints ask for the frame of their body's inertia unless they say otherwise. */
  readonly alignFree: boolean;
  /** Undefined for masses as they stand. */
  readonly totalMass: number | undefined;
  /** Whether shapes are fitted to the bounding boxes of meshes, not to their boxes of inertia. */
  readonly fitBoundingBoxes: boolean;
  readonly files: MjcfFiles;
}

/** The settings that an element was written for: those of the main file, or of the model that brought it. */
export type CompilerOf = (element: XmlElement) => MjcfCompiler;

/** Where the files are that a model names. */
export interface MjcfFiles {
  /** Folder of the main file, as in messages. */
  readonly folder: string;
  /** Folder of meshes, seen from the main file. */
  readonly meshFolder: string;
  /** Whether files are looked for without the folders that they are named with. */
  readonly stripPath: boolean;
}

/** The last element that has the attribute. */
export function last<T>(elements: readonly XmlElement[], read: (element: XmlElement, name: string) => T | undefined) {
  return (name: string, absent: T): T => {
    let value = absent;
    for (const element of elements) value = read(element, name) ?? value;
    return value;
  };
}

const readAngleUnit = readChoice(["degree", "radian"]);
const readCoordinate = readChoice(["local", "global"]);
const readAuto = readChoice(["auto", "true", "false"]);

export function readCompiler(elements: readonly XmlElement[], folder: string, ledger: Ledger): MjcfCompiler {
  for (const element of elements) {
    ledger.addAttributes(element, [
      "angle",
      "eulerseq",
      "coordinate",
      "autolimits",
      "inertiafromgeom",
      "inertiagrouprange",
      "boundmass",
      "boundinertia",
      "balanceinertia",
      "settotalmass",
      "meshdir",
      "assetdir",
      "strippath",
      "fitaabb",
      "alignfree",
    ]);
    for (const child of element.children) ledger.add("ignored", child, "length ranges are for muscles");
    if (readCoordinate(element, "coordinate") === "global") {
      throw attributeError(element, "coordinate", "was dropped by MuJoCo; save the model with local coordinates");
    }
  }
  const sequence = last(elements, readEulerSequence)("eulerseq", "xyz");
  const total = last(elements, readNumber)("settotalmass", -1);
  const groups = last(elements, (element, name) => readNumbers(element, name, 2))("inertiagrouprange", [0, 5]);
  return {
    angleUnit: last(elements, readAngleUnit)("angle", "degree") === "degree" ? Math.PI / 180 : 1,
    eulerSequence: sequence,
    autoLimits: last(elements, readBoolean)("autolimits", true),
    inertiaFromGeom: last(elements, readAuto)("inertiafromgeom", "auto"),
    inertiaGroups: [groups[0], groups[1]],
    boundMass: last(elements, readNonNegative)("boundmass", 0),
    boundInertia: last(elements, readNonNegative)("boundinertia", 0),
    balanceInertia: last(elements, readBoolean)("balanceinertia", false),
    alignFree: last(elements, readBoolean)("alignfree", false),
    totalMass: total > 0 ? total : undefined,
    fitBoundingBoxes: last(elements, readBoolean)("fitaabb", false),
    files: {
      folder,
      meshFolder: last(elements, readString)("meshdir", last(elements, readString)("assetdir", "")),
      stripPath: last(elements, readBoolean)("strippath", false),
    },
  };
}

function readEulerSequence(element: XmlElement, name: string): string | undefined {
  const value = element.attributes.get(name);
  if (value === undefined || /^[xyzXYZ]{3}$/.test(value)) return value;
  throw attributeError(element, name, "is no sequence of three axes; write xyz");
}
