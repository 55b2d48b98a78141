/** Scenes of bodies that touch each other in three engines, behind one face. States are ours: 13 numbers per body. */
import rapier from "@dimforge/rapier3d-deterministic-compat";
import {
  bodyStateSize,
  compile,
  type MechanismDescription,
  maximalFromMinimal,
  maximalState,
  minimalState,
  type Shape,
  Simulation,
  stateAt,
  stateInput,
} from "dojo-sim";
import { loadMujoco, MujocoPeer, type MujocoSettings } from "../peers/mujoco.ts";

export interface SceneRun {
  step(): void;
  /** State of all bodies now. */
  readonly state: Float64Array;
  /** Iterations of the last step; NaN where the engine does not say. */
  readonly iterations: number;
  /** Whether all steps so far were solved, or none had to be reset. */
  readonly sound: boolean;
  end(): void;
}

/** A scene in the state of this name. */
export interface Case {
  readonly description: MechanismDescription;
  readonly start: string;
}

export function ours({ description, start }: Case): SceneRun {
  const simulation = new Simulation(compile(description));
  const input = stateInput(simulation.mechanism, start);
  let state = stateAt(simulation, description.states?.[start], { input });
  let [iterations, sound] = [0, true];
  return {
    step() {
      const { next, ...report } = simulation.step(state, input);
      state = next.slice();
      iterations = report.iterations;
      sound &&= report.status === "solved";
    },
    get state() {
      return state;
    },
    get iterations() {
      return iterations;
    },
    get sound() {
      return sound;
    },
    end() {},
  };
}

export async function mujoco({ description, start }: Case, settings: MujocoSettings = {}): Promise<SceneRun> {
  const peer = new MujocoPeer(await loadMujoco(), description, settings);
  const simulation = new Simulation(compile(description));
  // at this instant, where ours is a mean over the step before
  peer.setState(minimalState(simulation.mechanism, maximalState(simulation.mechanism, description.states?.[start])));
  peer.setInput(stateInput(simulation.mechanism, start));
  return {
    step: () => peer.step(),
    get state() {
      return maximalFromMinimal(simulation.mechanism, peer.state);
    },
    get iterations() {
      return peer.data.solver_niter[0];
    },
    get sound() {
      return !peer.diverged;
    },
    end: () => peer.delete(),
  };
}

let loaded: Promise<void> | undefined;

/** Free bodies alone: Rapier has no joints here. Ellipsoids are hulls of 162 points on them. */
export async function rapierRun({ description, start }: Case): Promise<SceneRun> {
  loaded ??= rapier.init();
  await loaded;
  const simulation = new Simulation(compile(description));
  const state = maximalState(simulation.mechanism, description.states?.[start]);
  const [x, y, z] = description.gravity ?? [0, 0, -9.81];
  const world = new rapier.World({ x, y, z });
  world.timestep = description.timestep;
  for (const shape of description.shapes ?? []) world.createCollider(colliderOf(shape));
  const names = simulation.mechanism.bodies.map(({ name }) => name);
  const bodies = names.map((name, i) => {
    const at = state.subarray(bodyStateSize * i, bodyStateSize * (i + 1));
    const turned = { w: at[3], x: at[4], y: at[5], z: at[6] };
    const body = world.createRigidBody(
      rapier.RigidBodyDesc.dynamic()
        .setTranslation(at[0], at[1], at[2])
        .setRotation(turned)
        .setLinvel(at[7], at[8], at[9])
        .setAngvel(spun(turned, [at[10], at[11], at[12]]))
        .setCanSleep(false),
    );
    const { mass, shapes = [] } = description.bodies[name];
    for (const shape of shapes) world.createCollider(colliderOf(shape).setMass(mass / shapes.length), body);
    return body;
  });
  return {
    step: () => world.step(),
    get state() {
      bodies.forEach((body, i) => {
        const [p, q, v] = [body.translation(), body.rotation(), body.linvel()];
        state.set([p.x, p.y, p.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z], bodyStateSize * i);
      });
      return state;
    },
    iterations: Number.NaN,
    sound: true,
    end: () => world.free(),
  };
}

/** Angular velocity in the world. */
function spun(q: { w: number; x: number; y: number; z: number }, v: readonly number[]): rapier.Vector3 {
  const [tx, ty, tz] = [2 * (q.y * v[2] - q.z * v[1]), 2 * (q.z * v[0] - q.x * v[2]), 2 * (q.x * v[1] - q.y * v[0])];
  return new rapier.Vector3(
    v[0] + q.w * tx + q.y * tz - q.z * ty,
    v[1] + q.w * ty + q.z * tx - q.x * tz,
    v[2] + q.w * tz + q.x * ty - q.y * tx,
  );
}

const slab = 100;

function colliderOf(shape: Shape): rapier.ColliderDesc {
  const { position = [0, 0, 0], orientation = [1, 0, 0, 0], contact } = shape;
  const friction = typeof contact === "object" ? (contact.frictionCoefficient ?? 0.8) : 0.8;
  const [w, x, y, z] = orientation;
  const desc = formOf(shape);
  const half = shape.kind === "halfSpace" ? 1 : 0;
  return desc
    .setTranslation(position[0], position[1], position[2] - half)
    .setRotation(multiplied({ w, x, y, z }, desc.rotation))
    .setFriction(friction);
}

function formOf(shape: Shape): rapier.ColliderDesc {
  // capsules and cylinders lie along y there
  const upright = { w: Math.SQRT1_2, x: Math.SQRT1_2, y: 0, z: 0 };
  const hull = (points: readonly (readonly number[])[]): rapier.ColliderDesc =>
    rapier.ColliderDesc.convexHull(Float32Array.from(points.flat())) as rapier.ColliderDesc;
  switch (shape.kind) {
    case "box":
      return rapier.ColliderDesc.cuboid(shape.size[0] / 2, shape.size[1] / 2, shape.size[2] / 2);
    case "sphere":
      return rapier.ColliderDesc.ball(shape.radius);
    case "capsule":
      return rapier.ColliderDesc.capsule(shape.length / 2, shape.radius).setRotation(upright);
    case "cylinder":
      return rapier.ColliderDesc.cylinder(shape.length / 2, shape.radius).setRotation(upright);
    case "halfSpace":
      return rapier.ColliderDesc.cuboid(slab, slab, 1);
    case "hull":
      return hull(shape.points);
    case "ellipsoid":
      return hull(spherePoints().map((point) => point.map((entry, k) => entry * shape.radii[k])));
    case "heightField": {
      const [rows, columns] = [shape.heights.length - 1, shape.heights[0].length - 1];
      const vertices = shape.heights.flatMap((row, j) =>
        row.flatMap((height, i) => [shape.size[0] * (i / columns - 0.5), shape.size[1] * (j / rows - 0.5), height]),
      );
      const triangles = Array.from({ length: rows * columns }, (_, cell) => {
        const at = Math.floor(cell / columns) * (columns + 1) + (cell % columns);
        return [at, at + 1, at + columns + 2, at, at + columns + 2, at + columns + 1];
      });
      return rapier.ColliderDesc.trimesh(Float32Array.from(vertices), Uint32Array.from(triangles.flat()));
    }
  }
}

/** Points on the unit sphere, evenly by rings. */
function spherePoints(): number[][] {
  const rings = 9;
  return Array.from({ length: rings * 18 }, (_, k) => {
    const height = (2 * (Math.floor(k / 18) + 0.5)) / rings - 1;
    const angle = (2 * Math.PI * ((k % 18) + (Math.floor(k / 18) % 2) / 2)) / 18;
    const out = Math.sqrt(1 - height ** 2);
    return [out * Math.cos(angle), out * Math.sin(angle), height];
  });
}

function multiplied(a: rapier.Rotation, b: rapier.Rotation): rapier.Rotation {
  return {
    w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
    y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
    z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
  };
}
