/** Jacobians in maximal coordinates out of the panels that hold the rows of v₊ and ω₊: those of x₊ and of the attitude error follow. */
import { type MaximalPlaces, panelIndex, type RowPlace, type System } from "../kernels/index.ts";
import {
  attitudeAt,
  bodyTangentSize,
  tangentAngularVelocityAt,
  tangentAt,
  tangentOffsets,
  tangentVelocityAt,
} from "../math/index.ts";

export class MaximalRows {
  private readonly system: System;
  private readonly places: MaximalPlaces;
  /** Which entry of (v₊, ω₊) of all bodies every vector in the panels is the row of. */
  private readonly rowPlace: Int32Array;
  private readonly width: number;

  constructor(system: System, places: MaximalPlaces, rows: readonly RowPlace[]) {
    this.system = system;
    this.places = places;
    this.rowPlace = Int32Array.from(rows, ({ index }) => index);
    this.width = bodyTangentSize * system.mechanism.bodies.length;
  }

  /** Row-major. False when they are not finite. */
  write(dNext_dState: Float64Array, dNext_dInput: Float64Array): boolean {
    const { system, places, width, rowPlace } = this;
    const { f64, mechanism } = system;
    const { inputSize, bodies } = mechanism;
    const h = f64[system.places.globals];
    const states = 6 * bodies.length;
    // names of other modules are read anew wherever they stand, which in the inner loops takes time
    const [perBody, velocities] = [bodyTangentSize, tangentOffsets.velocity];
    let finite = true;
    // rows of velocities and spins
    for (let vector = 0; vector < rowPlace.length; vector++) {
      const body = Math.floor(rowPlace[vector] / 6);
      const row = tangentVelocityAt(body) + (rowPlace[vector] - 6 * body);
      const pose = panelIndex(places.pose, states, 0, vector);
      const velocity = panelIndex(places.velocity, states, 0, vector);
      for (let i = 0, at = row * width; i < bodies.length; i++, at += perBody) {
        const from = 12 * i;
        for (let k = 0; k < 6; k++) {
          const byPose = f64[pose + from + 2 * k];
          const byVelocity = f64[velocity + from + 2 * k];
          if (byPose - byPose !== 0 || byVelocity - byVelocity !== 0) finite = false;
          dNext_dState[at + k] = byPose;
          dNext_dState[at + velocities + k] = byVelocity;
        }
      }
      const input = panelIndex(places.input, inputSize, 0, vector);
      for (let j = 0; j < inputSize; j++) {
        const byInput = f64[input + 2 * j];
        if (byInput - byInput !== 0) finite = false;
        dNext_dInput[row * inputSize + j] = byInput;
      }
    }
    // those of positions and attitudes follow
    for (const { index } of bodies) {
      this.writePoseRows(index, h, dNext_dState, width);
      this.writePoseRows(index, h, dNext_dInput, inputSize);
      const attitude = places.errorByAttitude + 10 * index;
      for (let i = 0; i < 3; i++) {
        dNext_dState[(tangentAt(index) + i) * width + tangentAt(index) + i] += 1;
        for (let j = 0; j < 3; j++)
          dNext_dState[(attitudeAt(index) + i) * width + attitudeAt(index) + j] += f64[attitude + 3 * i + j];
      }
    }
    return finite;
  }

  /** x₊ = x + h v₊ and φ₊ = … + (dφ₊/dω₊) ω₊ of a body, from the rows of v₊ and ω₊. */
  private writePoseRows(body: number, h: number, out: Float64Array, width: number): void {
    const { f64 } = this.system;
    const spin = this.places.errorBySpin + 10 * body;
    for (let k = 0; k < 3; k++) {
      const to = (tangentAt(body) + k) * width;
      const [a, b, c] = [f64[spin + 3 * k], f64[spin + 3 * k + 1], f64[spin + 3 * k + 2]];
      const angular = tangentAngularVelocityAt(body) * width;
      for (let j = 0; j < width; j++) {
        out[to + j] = h * out[to + 6 * width + j];
        out[to + 3 * width + j] =
          a * out[angular + j] + b * out[angular + width + j] + c * out[angular + 2 * width + j];
      }
    }
  }
}
