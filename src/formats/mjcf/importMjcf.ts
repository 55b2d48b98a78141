/**
 * MJCF, the files of MuJoCo → description. Bodies without joints merge with their parents, all joints of a body become one, geoms
 * give mass, looks and contact points against the file's planes, actuators become inputs, equalities gears and loops, keyframes
 * states. What cannot be simulated is in the warnings, with its line. See docs/mjcf.md.
 */
import { matrix3, quaternion, vector } from "../../math/index.ts";
import {
  assertDescription,
  type BodyDescription,
  compile,
  type JointDescription,
  type Matrix3,
  type MechanismDescription,
  optionNamesOf,
  orderOf,
  type Quaternion,
  requireOptionNames,
  type Shape,
  type Vector3,
} from "../../mechanism/index.ts";
import { HULL_VERTICES } from "../collisionHull.ts";
import type { FormatWarning } from "../formatError.ts";
import { withoutOverlaps } from "../overlaps.ts";
import { composePoses, type Pose, posedPoint } from "../pose.ts";
import { elementError } from "../xml.ts";
import { importActuators } from "./actuators.ts";
import { collidingShapes } from "./collidingShapes.ts";
import { importEqualities } from "./constraints.ts";
import { type ContactGeom, importContacts } from "./contacts.ts";
import { readDampratio } from "./dampingRatio.ts";
import { Defaults } from "./defaults.ts";
import { type ReadFile, readDocument } from "./document.ts";
import type { ImportedInput } from "./drives.ts";
import { shapeOf } from "./geoms.ts";
import type { ImportContext } from "./importContext.ts";
import { describeJoint } from "./jointBuilder.ts";
import { type CoordinateOf, type LinkJoint, linkJoints } from "./joints.ts";
import { importKeyframes } from "./keyframes.ts";
import { Ledger } from "./ledger.ts";
import { type Link, type LinkTable, makeLinks } from "./links.ts";
import { MeshTable, type ReadMesh } from "./meshes.ts";
import type { MjTree } from "./model.ts";
import { type DampingRatioMass, MovedInertias, springsOfTimeConstants } from "./movedInertia.ts";
import { type MujocoMap, makeMap } from "./stateMap.ts";
import { importTendons } from "./tendons.ts";
import { readTree } from "./tree.ts";

export interface MjcfImportOptions {
  /** The file's name for messages. Default "model.xml". */
  readonly fileName?: string;
  /** Default that of the file. */
  readonly timestep?: number;
  /** Whether geoms that collide touch anything. Default "collision". */
  readonly contacts?: "collision" | "none";
  /**
   * "floor": geoms get contact points against the file's planes. "shapes": all geoms that collide are shapes that touch each other and
   * what is fixed in the world, meshes as their convex hulls. Default "floor".
   */
  readonly collisions?: "floor" | "shapes";
  /** Most corners of a mesh's hull, with collisions: "shapes". Default 64, or the mesh's own `maxhullvert` where that is less. */
  readonly hullVertices?: number;
  /** Adds a floor at z = 0 when the file has no plane. Default false. */
  readonly floor?: boolean;
  /** Which geoms get contact points. Default all that collide. */
  readonly contactGeoms?: (geom: ContactGeom) => boolean;
  /**
   * Mass that a `dampratio` goes by. "coupled": what the servo moves while all other joints give way, as in MuJoCo 3.15 and later. "alone":
   * what it moves while they are held, as in MuJoCo up to 3.14. Default "coupled"; a warning names servos for which they differ.
   */
  readonly dampratio?: DampingRatioMass;
  /** Text of a file that <include> or <model> names, by its path from the main file. Default: such files are refused. */
  readonly readFile?: ReadFile;
  /** A mesh file as `parseMesh` gives it, by its path from the main file, `meshdir` and all. Default: none, no mass and no contacts. */
  readonly readMesh?: ReadMesh;
}

const optionNames = optionNamesOf<MjcfImportOptions>()(
  "fileName timestep contacts collisions hullVertices floor contactGeoms dampratio readFile readMesh",
);

/** A frame of the file in a body of the description. */
export interface MjcfFrame {
  /** "world" for what stands still. */
  readonly body: string;
  readonly position: Vector3;
  readonly orientation: Quaternion;
}

export interface MjcfImport {
  readonly description: MechanismDescription;
  readonly warnings: readonly FormatWarning[];
  /** What the names of the file became. */
  readonly names: {
    readonly bodies: Readonly<Record<string, MjcfFrame>>;
    readonly sites: Readonly<Record<string, MjcfFrame>>;
    /** The joint and its free axis; the file's coordinate is sign times ours. */
    readonly joints: Readonly<Record<string, { readonly joint: string; readonly axis: number; readonly sign: 1 | -1 }>>;
  };
  /** One an input of the mechanism: u = scale·ctrl + offset. */
  readonly inputs: readonly ImportedInput[];
  /** qpos, qvel and ctrl of the file ⇄ minimal states and inputs. */
  readonly map: MujocoMap;
}

/** Throws a `FormatError` with the line of what cannot be read, or a `DescriptionError` with every fault of the result. */
export function importMjcf(text: string, options: MjcfImportOptions = {}): MjcfImport {
  requireOptionNames("options", options, optionNames);
  const ledger = new Ledger();
  const document = readDocument(text, options.fileName ?? "model.xml", ledger, options.readFile);
  const defaults = new Defaults(
    document.root.children.filter(({ name }) => name === "default"),
    ledger,
  );
  const meshes = new MeshTable(document, defaults, ledger, options.readMesh);
  const tree = readTree(document, defaults, meshes, ledger);
  const links = makeLinks(tree, document, ledger);
  if (links.links.length === 1) {
    throw elementError(tree.bodies[0].element, "nothing in the file moves; add a <body> with a <joint> or <freejoint>");
  }

  const inertias = new MovedInertias(tree, links);
  springsOfTimeConstants(tree, inertias);

  // joints of links, in the order of the file
  const made = makeJoints(links.links, document.option.disabled, ledger);
  const coordinates = new Map(made.flatMap((joint) => [...joint.coordinates]));
  const context: ImportContext = {
    document,
    defaults,
    ledger,
    tree,
    links,
    coordinates,
    inertias,
    dampratio: readDampratio(options.dampratio),
  };
  const freeName = namesBeside(made.map(({ builder }) => builder.name));
  const actuators = importActuators(context, freeName);
  const { gears: ties, loops } = importEqualities(context, freeName);
  const gears = [...ties, ...importTendons(context, freeName), ...actuators.gears];
  noteDrag(context);
  const contactOptions = {
    contacts: options.contacts ?? "collision",
    floor: options.floor ?? false,
    contactGeoms: options.contactGeoms,
  };
  const touching =
    options.collisions === "shapes"
      ? collidingShapes(context, { ...contactOptions, hullVertices: options.hullVertices ?? HULL_VERTICES })
      : undefined;
  const contacts = touching ? [] : importContacts(context, contactOptions);
  const worldShapes = touching ? (touching.shapes.get("world") ?? []) : shownInWorld(links);

  const { option, modelName } = document;
  const fluid = option.density > 0 || option.viscosity > 0;
  const windy = option.wind.some((entry) => entry !== 0);
  const bodies = links.links
    .slice(1)
    .flatMap(({ name, description: body, hanging }) => [
      ...(hanging?.carriages ?? []).map((carriage) => [carriage.name, carriage.description] as const),
      [name, withShapes(body as BodyDescription, touching?.shapes.get(name))] as const,
    ]);
  const joints = [...made.map(({ builder }) => [builder.name, describeJoint(builder)] as const), ...loops];
  const names = {
    bodies: bodies.map(([name]) => name),
    joints: joints.map(([name]) => name),
    gears: gears.map(([name]) => name),
    thrusters: [...actuators.ofThruster.keys()],
  };
  const description: MechanismDescription = {
    ...(modelName !== undefined && { name: modelName }),
    timestep: options.timestep ?? option.timestep,
    gravity: option.gravity,
    bodies: Object.fromEntries(bodies),
    joints: Object.fromEntries<JointDescription>(joints),
    ...(contacts.length > 0 && { contacts }),
    ...(worldShapes.length > 0 && { shapes: worldShapes }),
    ...(touching && { collisions: touching.collisions }),
    ...(gears.length > 0 && { gears: Object.fromEntries(gears) }),
    ...(Object.keys(actuators.thrusters).length > 0 && { thrusters: actuators.thrusters }),
    ...(fluid && {
      fluid: { density: option.density, viscosity: option.viscosity, ...(windy && { wind: option.wind }) },
    }),
    ...orderOf(names),
  };

  // what the compiled mechanism numbers
  const mechanism = compile(description);
  const separated = touching && withoutOverlaps(description, drawnPoses(context), touching.apart);
  if (separated?.message !== undefined) ledger.add("adjusted", document.root, separated.message);
  if (separated && separated.left > 0) ledger.add("not-expressible", document.root, noBitsLeft);
  const inputs = [
    ...made.flatMap(({ builder }) => builder.axes.flatMap((axis) => actuators.ofAxis.get(axis) ?? [])),
    ...actuators.ofThruster.values(),
  ];
  const map = mapOf(made, tree, mechanism, inputs, actuators.count);
  const { states, stateNames, stateInputs } = importKeyframes(context, mechanism, map, inputs);
  const complete: MechanismDescription = {
    ...(separated?.description ?? description),
    states,
    ...(Object.keys(stateInputs).length > 0 && { stateInputs }),
    ...orderOf({ ...names, states: stateNames }),
  };
  assertDescription(complete);
  return {
    description: complete,
    warnings: ledger.warnings,
    names: namesOf(context),
    inputs,
    map,
  };
}

/** What stands still, for show: the base of an arm, a table. Planes are drawn as the floor that contacts make of them. */
function shownInWorld({ links: [world] }: LinkTable): Shape[] {
  return [...world.members].flatMap(([{ geoms }, pose]) =>
    geoms.flatMap((geom) => shapeOf(geom, pose, world.center) ?? []),
  );
}

function withShapes(body: BodyDescription, shapes: readonly Shape[] | undefined): BodyDescription {
  if (!shapes) return body;
  const { shapes: _, ...rest } = body;
  return shapes.length > 0 ? { ...rest, shapes } : rest;
}

function makeJoints(links: readonly Link[], disabled: ReadonlySet<string>, ledger: Ledger): LinkJoint[] {
  const freeName = namesBeside([]);
  return links.slice(1).flatMap((link) => linkJoints(link, freeName, disabled, ledger));
}

/** Gives names that nothing has yet. */
function namesBeside(used: readonly string[]): (name: string) => string {
  const taken = new Set(used);
  return (name) => {
    let free = name === "__proto__" ? "gear" : name;
    while (taken.has(free)) free += "_";
    taken.add(free);
    return free;
  };
}

function mapOf(
  made: readonly LinkJoint[],
  tree: MjTree,
  mechanism: ReturnType<typeof compile>,
  inputs: readonly ImportedInput[],
  ctrlCount: number,
): MujocoMap {
  const compiled = new Map(mechanism.joints.map((joint) => [joint.name, joint]));
  const entries = made.flatMap(({ builder, entries: own }) => {
    const joint = compiled.get(builder.name);
    if (!joint) throw new Error(`joint ${builder.name} was not compiled`);
    const { childFrame } = joint.frames;
    return own.map((entry) => {
      const coordinate = entry.coordinate + joint.coordinateOffset;
      if (entry.kind === "scalar") return { ...entry, coordinate };
      const left = quaternion.multiply(entry.left, childFrame);
      return { ...entry, coordinate, left, right: quaternion.conjugate(childFrame), rates: childFrame };
    });
  });
  return makeMap(
    entries,
    {
      coordinateCount: mechanism.coordinateCount,
      qposCount: tree.positionCount,
      dofCount: tree.velocityCount,
      ctrlCount,
    },
    inputs,
  );
}

const noBitsLeft = "some <exclude> of bodies that are welded to others have no effect: masks have 32 bits, all in use";

/** Where the file draws links. */
function drawnPoses({ links }: ImportContext): (name: string) => Pose | undefined {
  const named = new Map(links.links.map((link) => [link.name, link]));
  return (name) => {
    const link = named.get(name);
    return link && composePoses(link.root.world, { ...noShift, position: link.center });
  };
}

/** Drag goes by boxes of bodies: merged ones are one, carriages have their own, and equal moments leave the axes of a box open. */
function noteDrag({ links, document, ledger }: ImportContext): void {
  const { density, viscosity } = document.option;
  if (density === 0 && viscosity === 0) return;
  for (const link of links.links.slice(1)) {
    if (link.members.size > 1) {
      ledger.add("adjusted", link.root.element, "bodies welded together drag as one box, in MuJoCo as one each");
    }
    if (link.hanging && link.hanging.carriages.length > 0) {
      const reason = "the bodies between its joints have a thousandth of its mass each in a fluid, and drag a little";
      ledger.add("adjusted", link.root.element, reason);
    }
    if (density > 0 && hasEqualMoments(link)) ledger.add("adjusted", link.root.element, turnedBox);
  }
}

const turnedBox =
  "its inertia is the same about several axes: the box that it drags as may be turned about them, from how MuJoCo has it";
/** Relative to the largest moment: what rounding and six digits of a file leave. */
const EQUAL_MOMENTS = 1e-6;

function hasEqualMoments({ description }: Link): boolean {
  const [a, b, c] = matrix3.symmetricEigenvalues((description as BodyDescription).inertia as Matrix3);
  return Math.min(b - a, c - b) < EQUAL_MOMENTS * c;
}

function namesOf({ tree, links, coordinates }: ImportContext): MjcfImport["names"] {
  const frame = (body: Parameters<typeof links.place>[0], inner = noShift): MjcfFrame => {
    const { link, pose } = links.place(body);
    return {
      body: link.name,
      position: posedPoint(pose, inner.position),
      orientation: quaternion.normalize(quaternion.multiply(pose.orientation, inner.orientation)),
    };
  };
  return {
    bodies: Object.fromEntries([...tree.bodyNames.entries()].map(([name, body]) => [name, frame(body)])),
    sites: Object.fromEntries(
      [...tree.siteNames.entries()].map(([name, { body, placement }]) => [name, frame(body, placement)]),
    ),
    joints: Object.fromEntries(
      [...tree.jointNames.entries()].map(([name, joint]) => {
        const { builder, axis, sign } = coordinates.get(joint) as CoordinateOf;
        return [name, { joint: builder.name, axis, sign }];
      }),
    ),
  };
}

const noShift = { position: vector.zero, orientation: quaternion.identity };
