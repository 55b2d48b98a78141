/** Where things sit: pos with one of quat, axisangle, euler, xyaxes, zaxis. */
import { matrix3, quaternion, vector } from "../../math/index.ts";
import type { Quaternion, Vector3 } from "../../mechanism/index.ts";
import type { Pose } from "../pose.ts";
import { attributeError, readNumbers, readQuaternion, readVector3, type XmlElement } from "../xml.ts";
import type { MjcfCompiler } from "./compiler.ts";

export const placementAttributes = ["pos", "quat", "axisangle", "euler", "xyaxes", "zaxis"];

export function readPlacement(element: XmlElement, compiler: MjcfCompiler): Pose {
  return {
    position: readVector3(element, "pos") ?? vector.zero,
    orientation: readOrientation(element, compiler) ?? quaternion.identity,
  };
}

export function readOrientation(element: XmlElement, compiler: MjcfCompiler): Quaternion | undefined {
  return (
    readAxisAngle(element, compiler) ??
    readEuler(element, compiler) ??
    readXyAxes(element) ??
    readZAxis(element) ??
    readQuaternion(element, "quat")
  );
}

/** The shortest turn from z to a direction; a half turn about x where it is opposite. */
export function turnFromZ(direction: Vector3): Quaternion {
  const z = vector.normalize(direction);
  if (z[2] < -1 + 1e-12) return [0, 1, 0, 0];
  return quaternion.betweenVectors(vector.unitZ, z);
}

function readAxisAngle(element: XmlElement, { angleUnit }: MjcfCompiler): Quaternion | undefined {
  const numbers = readNumbers(element, "axisangle", 4);
  if (!numbers) return undefined;
  const axis = numbers.slice(0, 3) as unknown as Vector3;
  if (axis.every((entry) => entry === 0)) throw attributeError(element, "axisangle", "has no axis; write 0 0 1 90");
  return quaternion.fromAxisAngle(vector.normalize(axis), numbers[3] * angleUnit);
}

function readEuler(element: XmlElement, { angleUnit, eulerSequence }: MjcfCompiler): Quaternion | undefined {
  const angles = readVector3(element, "euler");
  if (!angles) return undefined;
  let turn = quaternion.identity;
  [...eulerSequence].forEach((letter, i) => {
    const axis = [vector.unitX, vector.unitY, vector.unitZ]["xyz".indexOf(letter.toLowerCase())];
    const one = quaternion.fromAxisAngle(axis, angles[i] * angleUnit);
    // small letters turn about axes that move along, capitals about fixed ones
    turn = letter === letter.toLowerCase() ? quaternion.multiply(turn, one) : quaternion.multiply(one, turn);
  });
  return quaternion.normalize(turn);
}

function readXyAxes(element: XmlElement): Quaternion | undefined {
  const numbers = readNumbers(element, "xyaxes", 6);
  if (!numbers) return undefined;
  const [x, y] = [numbers.slice(0, 3), numbers.slice(3)] as unknown as [Vector3, Vector3];
  if (!(vector.norm(vector.cross(x, y)) > 1e-12 * vector.norm(x) * vector.norm(y))) {
    throw attributeError(element, "xyaxes", "needs two directions that are not parallel; write 1 0 0 0 1 0");
  }
  const first = vector.normalize(x);
  const second = vector.normalize(vector.sub(y, vector.scale(first, vector.dot(first, y))));
  return quaternion.fromMatrix(matrix3.transpose([first, second, vector.cross(first, second)]));
}

function readZAxis(element: XmlElement): Quaternion | undefined {
  const axis = readVector3(element, "zaxis");
  if (!axis) return undefined;
  if (axis.every((entry) => entry === 0)) throw attributeError(element, "zaxis", "has no direction; write 0 0 1");
  return turnFromZ(axis);
}
