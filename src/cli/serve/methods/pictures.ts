/** Pictures of states. */
import {
  type Camera,
  cameraOf,
  following,
  pictureOf,
  type Scene,
  type Simulation,
  sceneOf,
  type Vector3,
} from "../../../index.ts";
import type { Shaped } from "../frame.ts";
import type { Parameters } from "../parameters.ts";
import type { MethodTable } from "../session.ts";
import { requireState, simulationOf, stateOf } from "./simulations.ts";

/** Radius of the ball where an environment's goal is, m. */
const markRadius = 0.05;

/** What a simulation looks like, from a place that follows its bodies. */
export class Photographer {
  private readonly scene: Scene;
  private readonly camera: Camera;

  constructor({ mechanism }: Simulation, state: Float64Array, goal?: Vector3) {
    this.scene = sceneOf(mechanism);
    this.camera = cameraOf(this.scene, state, goal && [goal]);
  }

  picture(state: Float64Array, parameters: Parameters, goal?: Vector3): Shaped {
    const { scene } = this;
    const [width, height] = [parameters.maybeNumber("width"), parameters.maybeNumber("height")];
    const size = { ...(width !== undefined && { width }), ...(height !== undefined && { height }) };
    const marks = goal ? [{ position: goal, radius: markRadius }] : [];
    const taken = pictureOf(scene, state, following(this.camera, scene, state), { ...size, marks });
    return { data: taken.pixels, shape: [taken.height, taken.width, 3] };
  }
}

export const pictureMethods: MethodTable = {
  /** A picture from a place that sees all of `seen`, by default the state itself, and follows. */
  picture: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const state = stateOf(simulation, parameters);
    const seen = parameters.maybeArray("seen");
    const photographer = new Photographer(simulation, seen ? requireState(simulation, seen, "seen") : state);
    return { arrays: { picture: photographer.picture(state, parameters) } };
  },
};
