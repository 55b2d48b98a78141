/** The box of box.ts in the engine. */
import { box, boxCorners, compile, floating, frictionContact, maximalState, Simulation, stepGradients } from "dojo-sim";
import { type Direction, edge, frictionCoefficient, gravity, mass, timestep } from "./box.ts";

/** Index of the force in the input of a floating joint, and of the displacement in the state. */
const axisOf: Readonly<Record<Direction, number>> = { impact: 2, friction: 0 };

export class PushedBox {
  private readonly simulation: Simulation;
  private readonly start: Float64Array;
  private readonly input: Float64Array;

  /** On its four corners, or on one point below its centre (a box that cannot tip). */
  constructor(support: "corners" | "point") {
    const body = box({ size: [edge, edge, edge], mass });
    const mechanism = compile({
      timestep,
      gravity: [0, 0, -gravity],
      bodies: { box: body },
      joints: { base: floating({ parent: "world", child: "box", actuated: true }) },
      contacts: (support === "point"
        ? [[0, 0, -edge / 2] as const]
        : boxCorners(body).filter((point) => point[2] < 0)
      ).map((point) => frictionContact({ body: "box", point, frictionCoefficient })),
    });
    this.simulation = new Simulation(mechanism);
    this.start = maximalState(mechanism, { base: { position: [0, 0, edge / 2, 0, 0, 0] } });
    this.input = new Float64Array(mechanism.inputSize);
  }

  /** Where the box is after the step on the central path at κ. */
  displacement(direction: Direction, force: number, kappa: number): number {
    const axis = axisOf[direction];
    const { next, status } = this.simulation.step(this.start, this.push(direction, force), { kappa, exact: true });
    if (status !== "solved") throw new Error(`the box at ${force} N, κ = ${kappa}: ${status}`);
    return next[axis] - this.start[axis];
  }

  /** The sharp step: the engine's default. */
  sharp(direction: Direction, force: number): number {
    const axis = axisOf[direction];
    return this.simulation.step(this.start, this.push(direction, force)).next[axis] - this.start[axis];
  }

  gradient(direction: Direction, force: number, kappa: number): number {
    const axis = axisOf[direction];
    const { dNext_dInput } = stepGradients(this.simulation, this.start, this.push(direction, force), { kappa });
    return dNext_dInput[axis * this.input.length + axis];
  }

  private push(direction: Direction, force: number): Float64Array {
    this.input.fill(0);
    this.input[axisOf[direction]] = force;
    return this.input;
  }
}
