/** Distances of shapes by MuJoCo: two mocap bodies with one geom each, whose poses are set for every question. */
import loadMujoco from "@mujoco/mujoco";
import type { ShapeDimensions } from "../../src/geometry/index.ts";

export type Mujoco = Awaited<ReturnType<typeof loadMujoco>>;

export async function loadDistanceOracle(): Promise<Mujoco> {
  return loadMujoco();
}

/** A pair of shapes in MuJoCo. `distance` takes poses of 7 numbers; `free` gives the memory back. */
export interface DistanceOracle {
  distance(poseA: ArrayLike<number>, poseB: ArrayLike<number>): number;
  free(): void;
}

/** Beyond this MuJoCo says no more than that shapes are apart. */
const FAR = 1e4;

function geom(shape: ShapeDimensions, name: string): { asset: string; geom: string } {
  const half = (values: readonly number[]): string => values.map((value) => value / 2).join(" ");
  switch (shape.kind) {
    case "sphere":
      return { asset: "", geom: `<geom name="${name}" type="sphere" size="${shape.radius}"/>` };
    case "capsule":
    case "cylinder":
      return {
        asset: "",
        geom: `<geom name="${name}" type="${shape.kind}" size="${shape.radius} ${shape.length / 2}"/>`,
      };
    case "box":
      return { asset: "", geom: `<geom name="${name}" type="box" size="${half(shape.size)}"/>` };
    case "ellipsoid":
      return { asset: "", geom: `<geom name="${name}" type="ellipsoid" size="${shape.radii.join(" ")}"/>` };
    case "halfSpace":
      return { asset: "", geom: `<geom name="${name}" type="plane" size="1 1 1"/>` };
    case "hull":
      return {
        asset: `<mesh name="${name}" vertex="${shape.points.flat().join(" ")}"/>`,
        geom: `<geom name="${name}" type="mesh" mesh="${name}"/>`,
      };
    case "heightField":
      throw new RangeError("height fields have no distance in MuJoCo");
  }
}

export function distanceOracle(mujoco: Mujoco, a: ShapeDimensions, b: ShapeDimensions): DistanceOracle {
  const [first, second] = [geom(a, "a"), geom(b, "b")];
  const model = mujoco.MjModel.from_xml_string(`<mujoco>
  <option ccd_tolerance="1e-10" ccd_iterations="1000"><flag contact="disable"/></option>
  <asset>${first.asset}${second.asset}</asset>
  <worldbody>
    <body name="a" mocap="true">${first.geom}</body>
    <body name="b" mocap="true">${second.geom}</body>
  </worldbody>
</mujoco>`);
  if (!model) throw new Error("MuJoCo refuses the shapes");
  const data = new mujoco.MjData(model);
  return {
    distance(poseA, poseB) {
      for (const [i, pose] of [poseA, poseB].entries()) {
        for (let k = 0; k < 3; k++) data.mocap_pos[3 * i + k] = pose[k];
        for (let k = 0; k < 4; k++) data.mocap_quat[4 * i + k] = pose[3 + k];
      }
      mujoco.mj_kinematics(model, data);
      return mujoco.mj_geomDistance(model, data, 0, 1, FAR, null);
    },
    free() {
      data.delete();
      model.delete();
    },
  };
}
