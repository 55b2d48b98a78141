/** One push: the box stands at a distance, the arm does its motion, the box comes to rest. */
import { compile, type Mechanism, maximalState, Simulation, type Trajectory, type Vector3 } from "dojo-sim";
import { type Bend, bendAt, bendingJoints, outline, targetAt } from "./motion.ts";
import { scene, tipRadius } from "./scene.ts";

/** Where the box is, in the plane of the push. */
export interface BoxPlace {
  readonly x: number;
  readonly z: number;
  /** Positive where it leans forward. */
  readonly pitch: number;
}

/** Arm and box at one moment. */
export interface Picture {
  readonly bend: Bend;
  readonly box: BoxPlace;
}

/** Numbers that the paper does not print and that are fitted. */
export interface PushNumbers {
  /** Height of the centre of the tip above the floor, m. */
  readonly height: number;
  /** Speed of the tip, m/s, the mean of the move. */
  readonly speed: number;
  /** Between the box and the floor. */
  readonly friction: number;
}

export interface PushOutcome {
  /** Distance of the centre of the box from the base at the end, m. */
  readonly distance: number;
  readonly flipped: boolean;
  /** All steps solved, and the tip on the face, within its edges, whenever it pushed. */
  readonly sound: boolean;
  readonly pictures: readonly Picture[];
}

/** Edges of the box, m, and the distances of its starts [table:sim-to-real]. */
export const edges = [0.11, 0.13, 0.21] as const;
export const starts = [0.3, 0.35, 0.4, 0.45, 0.5] as const;

/** Where the tip begins, and how long a run lasts: not fitted. */
const tipStart = 0.18;
const runTime = 2;
/** A contact that pushes with less, N, does not touch. */
const leastPush = 0.01;

export class Pusher {
  readonly mechanism: Mechanism;
  /** Where the tip stops: midway between the near faces of the boxes at 45 cm, which was touched, and at 50 cm, which was not. */
  readonly reach: number;

  /** How many were simulated. */
  pushes = 0;

  private readonly simulation: Simulation;
  private readonly boxSize: Vector3;

  /** The box stands upright, with an edge of `depth` along the push. */
  constructor(depth: number, timestep = 0.01) {
    const [width] = edges.filter((edge) => edge !== depth);
    this.boxSize = [depth, width, edges[2]];
    this.mechanism = compile(scene({ timestep, boxSize: this.boxSize }));
    this.simulation = new Simulation(this.mechanism);
    this.reach = (starts[3] + starts[4]) / 2 - depth / 2 - tipRadius;
  }

  push({ height, speed, friction }: PushNumbers, start: number): PushOutcome {
    const { simulation, mechanism, boxSize } = this;
    this.pushes++;
    for (const { name } of mechanism.contacts) {
      if (name !== "push") simulation.setParameter(`contacts.${name}.frictionCoefficient`, friction);
    }
    const [from, to] = [bendAt(tipStart, height), bendAt(this.reach, height)];
    const duration = (this.reach - tipStart) / speed;
    const state = maximalState(mechanism, {
      ...Object.fromEntries(bendingJoints.map((name, i) => [name, { position: [from[i]] }])),
      boxBase: { position: [start, 0, boxSize[2] / 2, 0, 0, 0] },
    });
    const { timestep } = simulation;
    const entries = bendingJoints.map((name) => mechanism.inputNames.indexOf(`${name}.angle`));
    const trajectory = simulation.rollout(state, {
      steps: Math.round(runTime / timestep),
      controller: (_state, step, input) => {
        const target: Bend = targetAt(from, to, (step + 1) * timestep, duration);
        for (const [i, entry] of entries.entries()) input[entry] = target[i];
        return input;
      },
    });
    const boxes = trajectory.coordinates("boxBase").map(([x, , z, , pitch]): BoxPlace => ({ x, z, pitch }));
    const { x, pitch } = boxes[boxes.length - 1];
    const angles = bendingJoints.map((name) => trajectory.coordinates(name));
    const pictures = boxes.map(
      (box, k): Picture => ({ bend: [angles[0][k][0], angles[1][k][0], angles[2][k][0]], box }),
    );
    return {
      distance: x,
      flipped: Math.abs(pitch) > Math.PI / 4,
      sound: trajectory.solved && this.staysOnFace(trajectory, pictures),
      pictures,
    };
  }

  /** Whether the tip lies between the edges of the face wherever it pushes. */
  private staysOnFace(trajectory: Trajectory, pictures: readonly Picture[]): boolean {
    const half = this.boxSize[2] / 2;
    return trajectory.contact("push").every(({ normal }, k) => {
      if (normal < leastPush) return true;
      const { bend, box } = pictures[k + 1];
      const [x, z] = outline(bend)[5];
      const along = (x - box.x) * Math.sin(box.pitch) + (z - box.z) * Math.cos(box.pitch);
      return Math.abs(along) <= half;
    });
  }
}
