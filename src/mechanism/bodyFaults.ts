/** Faults of bodies: mass and inertia. */
import { matrix3 } from "../math/index.ts";
import type { BodyDescription, Matrix3 } from "./description.ts";
import { type FaultList, fieldsOf, showNumbers } from "./faults.ts";
import { checkShapes } from "./shapeFaults.ts";

/** Relative to the largest moment: rounding of sums and rotations, no more. */
const INERTIA_TOLERANCE = 1e-9;
/** A moment below this fraction of the largest is zero: its row of the equations of motion would be noise. */
const SMALLEST_MOMENT = 1e-12;

const bodyFields = fieldsOf<BodyDescription>()("mass! inertia! gravityScale shapes");

/** Names no body may have, and why. */
const reservedNames: Readonly<Record<string, string>> = {
  world: "is the fixed frame, which is always there; choose another name",
  ["__proto__"]: "cannot be the name of a property; choose another name",
};

export function checkBody(faults: FaultList, path: string, name: string, value: unknown): void {
  if (Object.hasOwn(reservedNames, name)) faults.add("reserved-name", path, `"${name}" ${reservedNames[name]}`);
  const body = faults.record(path, value, bodyFields, "a body");
  if (!body) return;
  if (body.get("mass") !== undefined) {
    faults.positive(`${path}.mass`, body.get("mass"), "merge a massless body with a neighbour, or give it its mass");
  }
  if (body.get("inertia") !== undefined) checkInertia(faults, `${path}.inertia`, body.get("inertia"));
  if (body.get("gravityScale") !== undefined) faults.number(`${path}.gravityScale`, body.get("gravityScale"));
  if (body.get("shapes") !== undefined) checkShapes(faults, `${path}.shapes`, body.get("shapes"));
}

/** Symmetric; principal moments positive; none above the sum of the others (Σ m (y²+z²) and so on cannot give that). */
function checkInertia(faults: FaultList, path: string, value: unknown): void {
  const entries = faults.array(path, value, "three rows of three numbers");
  if (!entries) return;
  if (entries.length !== 3) {
    faults.add("wrong-length", path, `has ${entries.length} rows; give 3`);
    return;
  }
  const rows = Array.from(entries, (row, i) => faults.vector3(`${path}[${i}]`, row));
  if (!rows.every((row) => row !== undefined)) return;
  const inertia = rows as unknown as Matrix3;

  const size = Math.max(...rows.flatMap((row) => row.map(Math.abs)));
  for (const [i, j] of [
    [0, 1],
    [0, 2],
    [1, 2],
  ] as const) {
    const mean = (inertia[i][j] + inertia[j][i]) / 2;
    if (Math.abs(inertia[i][j] - inertia[j][i]) <= INERTIA_TOLERANCE * size) continue;
    const pair = `[${i}][${j}] = ${inertia[i][j]} and [${j}][${i}] = ${inertia[j][i]} must be equal`;
    faults.add("inertia-not-symmetric", path, `${pair}; their mean is ${mean}`);
    return;
  }

  const moments = matrix3.symmetricEigenvalues(inertia);
  const shown = `principal moments ${showNumbers(moments)}`;
  if (!(moments[0] > SMALLEST_MOMENT * moments[2])) {
    const wayOut =
      moments[0] < -SMALLEST_MOMENT * size
        ? "check the signs of the products of inertia"
        : "a body without thickness cannot be simulated: give it a small radius, as capsule() does";
    faults.add("inertia-not-positive-definite", path, `${shown} must all be above 0; ${wayOut}`);
    return;
  }
  if (moments[2] - moments[1] - moments[0] > INERTIA_TOLERANCE * moments[2]) {
    const wayOut = "no distribution of mass has that; check units and rounding, or raise the smaller ones";
    faults.add("inertia-triangle", path, `${shown}: the largest exceeds the sum of the others; ${wayOut}`);
  }
}
