/** What an MJCF file has, with defaults and frames worked in: bodies, joints, geoms and sites. */
import type { Matrix3, Vector3 } from "../../mechanism/index.ts";
import type { Pose } from "../pose.ts";
import type { XmlElement } from "../xml.ts";
import type { NameTable } from "./document.ts";
import type { MjJointType } from "./jointTypes.ts";
import type { MeshAsset } from "./meshes.ts";

export const geomTypes = [
  "plane",
  "hfield",
  "sphere",
  "capsule",
  "ellipsoid",
  "cylinder",
  "box",
  "mesh",
  "sdf",
] as const;
export type GeomType = (typeof geomTypes)[number];

export type Dimensions =
  | { readonly kind: "box"; readonly size: Vector3 }
  | { readonly kind: "sphere"; readonly radius: number }
  | { readonly kind: "capsule"; readonly radius: number; readonly length: number }
  | { readonly kind: "cylinder"; readonly radius: number; readonly length: number }
  | { readonly kind: "ellipsoid"; readonly radii: Vector3 };

export interface MjGeom {
  readonly element: XmlElement;
  readonly name: string | undefined;
  readonly body: MjBody;
  readonly type: GeomType;
  /** Place in the body's frame. */
  readonly placement: Pose;
  /** Undefined for planes, meshes and height fields. */
  readonly dimensions: Dimensions | undefined;
  /** What a geom of type mesh has where it could be read. */
  readonly mesh: MeshAsset | undefined;
  /** What to do for its mesh to be read, where it could not be. */
  readonly unread: string | undefined;
  /** Undefined where the density decides. */
  readonly mass: number | undefined;
  /** kg/m³, of a shell kg/m². */
  readonly density: number;
  /** Whether the mass lies on the surface. */
  readonly shell: boolean;
  readonly group: number;
  readonly contactType: number;
  readonly contactAffinity: number;
  /** 1 is without friction. */
  readonly contactDimension: number;
  readonly priority: number;
  readonly friction: number;
  /** Torsional and rolling, metres. */
  readonly otherFrictions: readonly [number, number];
  readonly color: string | undefined;
}

export interface MjJoint {
  readonly element: XmlElement;
  readonly name: string | undefined;
  readonly body: MjBody;
  readonly type: MjJointType;
  readonly position: Vector3;
  /** Unit vector in the body's frame. */
  readonly axis: Vector3;
  /** Radians or metres. */
  readonly range: readonly [number, number] | undefined;
  readonly ref: number;
  /** Stiffness of the file, or what a time constant makes of the inertia that it moves. */
  stiffness: number;
  damping: number;
  readonly springRef: number;
  /** Time constant and damping ratio, both above 0. */
  readonly springDamper: readonly [number, number] | undefined;
  readonly armature: number;
  readonly friction: number;
  readonly actuatorForce: readonly [number, number] | undefined;
  /** Where its numbers start in qpos and qvel. */
  readonly qpos: number;
  readonly dof: number;
}

export interface MjSite {
  readonly name: string | undefined;
  readonly body: MjBody;
  readonly placement: Pose;
}

/** Mass and its moments about the centre of mass, in the body's directions. */
export interface MassProperties {
  readonly mass: number;
  readonly center: Vector3;
  readonly inertia: Matrix3;
}

export interface MjBody {
  readonly element: XmlElement;
  readonly name: string;
  readonly parent: MjBody | undefined;
  /** Place in the parent's frame. */
  readonly placement: Pose;
  /** Place in the world, before anything moves. */
  readonly world: Pose;
  readonly joints: MjJoint[];
  readonly geoms: MjGeom[];
  readonly sites: MjSite[];
  inertial: MassProperties | undefined;
  /** Share of its weight that is compensated. */
  readonly gravityCompensation: number;
}

export interface MjTree {
  /** The world first, every parent before its children. */
  readonly bodies: readonly MjBody[];
  readonly bodyNames: NameTable<MjBody>;
  readonly jointNames: NameTable<MjJoint>;
  readonly geomNames: NameTable<MjGeom>;
  readonly siteNames: NameTable<MjSite>;
  readonly joints: readonly MjJoint[];
  readonly positionCount: number;
  readonly velocityCount: number;
}
