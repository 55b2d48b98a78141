/**
 * Description → MJCF, to run the same mechanism in MuJoCo. Bodies keep their frames (origin at the centre of mass; that of a free
 * body at its joint's anchor), contact points become spheres that collide with their half-space and nothing else, shapes geoms,
 * thrusters motors on sites, gears and loops equalities.
 *
 * What differs by nature: MuJoCo's contacts, limits, joint friction, gears and loops are soft, its springs explicit.
 */
import { matrix3, quaternion, vector } from "../../math/index.ts";
import {
  compile,
  entriesOf,
  type JointStateDescription,
  type Matrix3,
  type Mechanism,
  type MechanismBody,
  type MechanismDescription,
  namesOf,
  optionNamesOf,
  requireOptionNames,
  stateInput,
  type TreeEdge,
  type Vector3,
  worldIndex,
} from "../../mechanism/index.ts";
import type { FormatWarning } from "../formatError.ts";
import { lostParameters } from "../lostParameters.ts";
import { type Markup, markup, section, writeMarkup } from "../markup.ts";
import type { Pose } from "../pose.ts";
import { pointRadius } from "./contacts.ts";
import { type Counter, type ExportedCoordinate, exportJoint, isFree } from "./exportJoints.ts";
import { exportActuators, exportContacts, exportEqualities, type Parts } from "./exportParts.ts";
import { exportShapes } from "./exportShapes.ts";
import { withExportTree } from "./exportTree.ts";
import { ExportWarnings } from "./exportWarnings.ts";
import { initialState } from "./keyframes.ts";
import { controlsOf, type MujocoMap, makeMap, mujocoState, type RotationEntry, type ScalarEntry } from "./stateMap.ts";

export interface MjcfExportOptions {
  /** Default the description's. */
  readonly timestep?: number;
  /** Default MuJoCo's own, Euler. */
  readonly integrator?: "Euler" | "RK4" | "implicit" | "implicitfast" | "discrete";
  /** Radius of the spheres that stand for contact points of radius 0, in metres. Default 1e-5, which is read as 0 again. */
  readonly pointRadius?: number;
}

const optionNames = optionNamesOf<MjcfExportOptions>()("timestep integrator pointRadius");

export interface MjcfExport {
  readonly xml: string;
  /** Minimal states and inputs ⇄ qpos, qvel and ctrl; see `mujocoState` and `minimalFromMujoco`. */
  readonly map: MujocoMap;
  /** Where the frame of each exported body sits in the body's own; its directions are the same. */
  readonly origins: Readonly<Record<string, Vector3>>;
  readonly warnings: readonly FormatWarning[];
}

/** Throws a `DescriptionError`, or an `ArgumentError` for joints of the tree that MuJoCo does not have (the orbital kinds). */
export function toMjcf(description: MechanismDescription, options: MjcfExportOptions = {}): MjcfExport {
  requireOptionNames("options", options, optionNames);
  const mechanism = withExportTree(compile(description));
  const warnings = new ExportWarnings();
  for (const path of lostParameters(description)) warnings.add(`parameters["${path}"]`, "left out");
  const counter: Counter = { qpos: 0, dof: 0 };
  const entries: (ScalarEntry | RotationEntry)[] = [];
  const coordinates = new Map<number, ExportedCoordinate>();
  const shifts = bodyShifts(mechanism);
  const parts: Parts = { mechanism, coordinates, shifts, warnings, pointRadius: options.pointRadius ?? pointRadius };
  const geomsAndSites = exportContacts(parts);
  const shapes = exportShapes(description, mechanism, shifts, geomsAndSites.names, warnings);
  const equalities = exportEqualities(parts);
  const world = bodiesUnder(worldIndex);
  const actuators = exportActuators(parts);
  const { equality, tendon } = equalities.elements();
  const map = makeMap(
    entries,
    {
      coordinateCount: mechanism.coordinateCount,
      qposCount: counter.qpos,
      dofCount: counter.dof,
      ctrlCount: actuators.elements.length,
    },
    actuators.inputs,
  );
  const { fluid } = mechanism;
  const root = markup("mujoco", { model: mechanism.name }, [
    markup("compiler", { angle: "radian", autolimits: true, inertiafromgeom: false }),
    markup(
      "option",
      {
        timestep: options.timestep ?? mechanism.timestep,
        gravity: mechanism.gravity,
        integrator: options.integrator,
        density: fluid?.density,
        viscosity: fluid?.viscosity,
        wind: fluid?.wind,
      },
      shapes.adjacent ? [markup("flag", { filterparent: "disable" })] : [],
    ),
    section("asset", shapes.assets),
    markup("worldbody", {}, [
      ...shapes.of(worldIndex),
      ...geomsAndSites.of(worldIndex),
      ...equalities.sites(worldIndex),
      ...world,
      ...gravityMark(mechanism),
    ]),
    section("contact", [...geomsAndSites.pairs, ...shapes.contact]),
    section("tendon", tendon),
    section("equality", equality),
    section("actuator", actuators.elements),
    section("keyframe", keyframes(mechanism, map)),
  ]);
  const origins = Object.fromEntries(mechanism.bodies.map(({ name, index }) => [name, shifts[index]]));
  return { xml: writeMarkup(root), map, origins, warnings: warnings.warnings };

  function bodiesUnder(near: number): Markup[] {
    return mechanism.tree
      .filter((edge) => nearBody(mechanism, edge) === near)
      .map((edge) => {
        const body = mechanism.bodies[farBody(mechanism, edge)];
        const shift = shifts[body.index];
        const exported = exportJoint(mechanism, edge, shift, counter, warnings);
        entries.push(...exported.entries);
        const first = mechanism.joints[edge.joint].coordinateOffset;
        exported.coordinates.forEach((coordinate, i) => {
          coordinates.set(first + i, coordinate);
        });
        const pose =
          firstPose(mechanism, edge) ?? shifted(exported.pose, shift, near === worldIndex ? vector.zero : shifts[near]);
        const [[xx, xy, xz], [, yy, yz], [, , zz]] = roundedInertia(body.inertia);
        return markup(
          "body",
          { name: body.name, pos: pose.position, quat: pose.orientation, gravcomp: gravcompOf(body) },
          [
            markup("inertial", {
              pos: vector.scale(shift, -1),
              mass: body.mass,
              fullinertia: [xx, yy, zz, xy, xz, yz],
            }),
            ...exported.elements,
            ...shapes.of(body.index),
            ...geomsAndSites.of(body.index),
            ...equalities.sites(body.index),
            ...bodiesUnder(body.index),
          ],
        );
      });
  }
}

/** Where a free body's frame is in the first state. MuJoCo starts from what a file draws, and at zero they would all be in one place. */
function firstPose(mechanism: Mechanism, edge: TreeEdge): Pose | undefined {
  if (!isFree(mechanism, edge)) return undefined;
  const { name, frames } = mechanism.joints[edge.joint];
  const [first] = entriesOf(mechanism.description, "states");
  const position = first?.[1][name]?.position;
  if (!position) return undefined;
  const [x, y, z, a, b, c] = position;
  const turn = quaternion.fromRotationVector([a, b, c]);
  return {
    position: vector.add(frames.parentAnchor, [x, y, z]),
    orientation: quaternion.multiply(
      quaternion.multiply(frames.parentFrame, turn),
      quaternion.conjugate(frames.childFrame),
    ),
  };
}

/**
 * MuJoCo looks at `gravcomp` only where some body has one above 0: where bodies feel more than all of gravity and none feels less, an
 * empty body of the world says so.
 */
function gravityMark({ bodies }: Mechanism): Markup[] {
  const isMarked = bodies.some(({ gravityScale }) => gravityScale < 1);
  if (isMarked || bodies.every(({ gravityScale }) => gravityScale === 1)) return [];
  let name = "compensated";
  while (bodies.some((body) => body.name === name)) name += "_";
  return [markup("body", { name, gravcomp: 1 }, [])];
}

/** None for a body that feels all of gravity. */
function gravcompOf({ gravityScale }: MechanismBody): number | undefined {
  return gravityScale === 1 ? undefined : 1 - gravityScale;
}

function nearBody({ joints }: Mechanism, { joint, reversed }: TreeEdge): number {
  return reversed ? joints[joint].child : joints[joint].parent;
}

function farBody({ joints }: Mechanism, { joint, reversed }: TreeEdge): number {
  return reversed ? joints[joint].parent : joints[joint].child;
}

/** Where the exported frame of each body sits in ours. */
function bodyShifts(mechanism: Mechanism): Vector3[] {
  const shifts: Vector3[] = mechanism.bodies.map(() => vector.zero);
  for (const edge of mechanism.tree) {
    const { child, frames } = mechanism.joints[edge.joint];
    if (isFree(mechanism, edge)) shifts[child] = frames.childAnchor;
  }
  return shifts;
}

/** The pose of a body's exported frame in the exported frame it hangs on. */
function shifted({ position, orientation }: Pose, own: Vector3, outer: Vector3): Pose {
  return { position: vector.sub(vector.add(position, quaternion.rotate(orientation, own)), outer), orientation };
}

/**
 * MuJoCo refuses a largest moment that exceeds the sum of the others by a rounding error, as that of a flat body does: the smaller
 * ones grow by up to as much as validation allows.
 */
function roundedInertia(inertia: Matrix3): Matrix3 {
  const { values, vectors } = matrix3.symmetricEigen(inertia);
  const [a, b, c] = values;
  const lack = c - a - b + FLAT_MARGIN * c;
  if (lack <= 0) return inertia;
  return matrix3.rotateInertia(matrix3.diagonal(a + lack / 2, b + lack / 2, c), quaternion.fromMatrix(vectors));
}

/** Relative to the largest moment; MuJoCo's own decomposition rounds at 1e-14. */
const FLAT_MARGIN = 1e-12;

function keyframes(mechanism: Mechanism, map: MujocoMap): Markup[] {
  const states = mechanism.description.states ?? {};
  const keyOf = (state: string, name: string): Markup => {
    const minimal = new Float64Array(2 * mechanism.coordinateCount);
    for (const joint of mechanism.joints) {
      const given: JointStateDescription = states[state][joint.name] ?? {};
      minimal.set(given.position ?? [], joint.coordinateOffset);
      minimal.set(given.velocity ?? [], mechanism.coordinateCount + joint.coordinateOffset);
    }
    const { qpos, qvel } = mujocoState(map, minimal);
    const ctrl = controlsOf(map, stateInput(mechanism, state));
    const unlessZero = (values: Float64Array) => (values.some((value) => value !== 0) ? Array.from(values) : undefined);
    return markup("key", { name, qpos: Array.from(qpos), qvel: unlessZero(qvel), ctrl: unlessZero(ctrl) });
  };
  const keys = namesOf(mechanism.description, "states").map((name) => keyOf(name, name));
  const [first] = namesOf(mechanism.description, "states");
  // whoever reads the file starts from its drawing, unless a keyframe has that name
  if (first !== undefined && !(initialState in states) && !isDrawn(mechanism, first))
    keys.push(keyOf(first, initialState));
  return keys;
}

/** Whether the file draws a state: at rest, with all joints at zero but those of free bodies (`firstPose`). */
function isDrawn(mechanism: Mechanism, state: string): boolean {
  return Object.entries(mechanism.description.states?.[state] ?? {}).every(
    ([name, { position = [], velocity = [] }]) => {
      const edge = mechanism.tree.find(({ joint }) => mechanism.joints[joint].name === name);
      const isPlaced = edge !== undefined && isFree(mechanism, edge);
      return velocity.every((rate) => rate === 0) && (isPlaced || position.every((value) => value === 0));
    },
  );
}
