/** Derivatives of steps and of recorded rollouts. */
import {
  ArgumentError,
  bodyTangentSize,
  checkGradients,
  costOf,
  type ExpressionSource,
  linearize,
  type Mechanism,
  type NamedCost,
  pullback,
  pushforward,
  rawOfCotangent,
  type Simulation,
  type StepGradients,
  stepGradients,
  type Trajectory,
} from "../../../index.ts";
import type { Parameters } from "../parameters.ts";
import type { MethodTable } from "../session.ts";
import { coordinateKinds, pathOf, tapeOf } from "./rollouts.ts";
import { rowsOf, simulationOf, stacked, stateOf } from "./simulations.ts";

/** The costs of a rollout's states. A number is an expression too. */
function costsOf({ steps }: Trajectory, parameters: Parameters): (step: number) => NamedCost | undefined {
  const { final, running } = parameters.record("costs") as {
    readonly final?: ExpressionSource;
    readonly running?: ExpressionSource;
  };
  const cost = (given: ExpressionSource | undefined): NamedCost | undefined =>
    typeof given === "number" ? `${given}` : given;
  return (step) => cost(step === steps ? final : running);
}

export const gradientMethods: MethodTable = {
  stepGradients: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const gradients = stepGradients(
      simulation,
      stateOf(simulation, parameters),
      inputOf(simulation, parameters.maybeArray("input")),
      {
        ...pathOf(parameters),
        coordinates: parameters.choice("coordinates", coordinateKinds),
        parameters: parameters.texts("parameters"),
        contacts: parameters.texts("contacts"),
        interval: parameters.maybeNumber("interval"),
      },
    );
    const { rows, next, parameterNames, contactNames, coordinates } = gradients;
    const impulses = 3 * contactNames.length;
    return {
      result: reportOf(gradients),
      arrays: {
        next,
        ...(coordinates === "minimal" && { minimalNext: gradients.minimalNext }),
        dNext_dState: { data: gradients.dNext_dState, shape: [rows, rows] },
        dNext_dInput: { data: gradients.dNext_dInput, shape: [rows, simulation.inputSize] },
        dNext_dParameter: { data: gradients.dNext_dParameter, shape: [rows, parameterNames.length] },
        ...(impulses > 0 && {
          impulses: { data: gradients.impulses, shape: [contactNames.length, 3] },
          dImpulse_dState: { data: gradients.dImpulse_dState, shape: [impulses, rows] },
          dImpulse_dInput: { data: gradients.dImpulse_dInput, shape: [impulses, simulation.inputSize] },
        }),
      },
    };
  },

  /** Largest errors beside differences with features held, and beside free ones, NaN where no shapes touch; corners as rows of three numbers. */
  checkGradients: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const { worst, entry, free, format } = checkGradients(
      simulation,
      stateOf(simulation, parameters),
      inputOf(simulation, parameters.maybeArray("input")),
      {
        ...pathOf(parameters),
        coordinates: parameters.choice("coordinates", coordinateKinds),
        parameters: parameters.texts("parameters"),
        interval: parameters.maybeNumber("interval"),
      },
    );
    const corners = free?.corners ?? [];
    return {
      result: {
        entries: [entry, free?.entry ?? ""],
        corners: corners.map((corner) => corner.entry),
        table: format(),
      },
      arrays: {
        worst: Float64Array.of(worst, free?.worst ?? Number.NaN),
        corners: {
          data: Float64Array.from(corners.flatMap(({ implicit, below, above }) => [implicit, below, above])),
          shape: [corners.length, 3],
        },
      },
    };
  },

  linearize: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const input = inputOf(simulation, parameters.maybeArray("input"));
    const { A, B, c, gradients } = linearize(simulation, stateOf(simulation, parameters), input, {
      ...pathOf(parameters),
      coordinates: parameters.choice("coordinates", ["minimal", "maximal"]),
      interval: parameters.maybeNumber("interval"),
    });
    const { rows } = gradients;
    return {
      result: reportOf(gradients),
      arrays: {
        A: { data: A, shape: [rows, rows] },
        B: { data: B, shape: [rows, simulation.inputSize] },
        c,
        next: gradients.next,
      },
    };
  },

  /** Cotangents of all states of all rollouts of a record → those of starts, inputs and parameters. */
  pullback: (session, parameters) => {
    const { trajectories } = tapeOf(session, parameters);
    const coordinates = parameters.choice("coordinates", coordinateKinds);
    const names = parameters.texts("parameters");
    const isRaw = parameters.flag("raw");
    const all = parameters.array("cotangents");
    const each = all.length / trajectories.length;
    const steps = trajectories[0].steps;
    requireWidth(trajectories[0].mechanism, coordinates, each / (steps + 1));
    const states: Float64Array[] = [];
    const inputs: Float64Array[] = [];
    const values: Float64Array[] = [];
    trajectories.forEach((trajectory, i) => {
      requireWhole(trajectory.solved, i);
      const rows = rowsOf("cotangents", all.subarray(i * each, (i + 1) * each), each / (steps + 1));
      const pulled = pullback(
        trajectory,
        rows.map((row) => (row.some((entry) => entry !== 0) ? row : undefined)),
        { coordinates, parameters: names },
      );
      const { state, parameters: byName } = coordinates === "minimal" ? pulled.minimal() : pulled;
      states.push(isRaw ? rawOfCotangent(trajectory.states[0], state) : state);
      inputs.push(...pulled.inputs);
      values.push(Float64Array.from(names, (name) => byName[name]));
    });
    const inputSize = trajectories[0].mechanism.inputSize;
    return {
      arrays: {
        state: stacked(states),
        inputs: { data: stacked(inputs).data, shape: [trajectories.length, steps, inputSize] },
        parameters: { data: stacked(values).data, shape: [trajectories.length, names.length] },
      },
    };
  },

  /** The value of a cost of one rollout: `final` of the last state, `running` of all before it, as expressions. */
  cost: (session, parameters) => {
    const [trajectory] = tapeOf(session, parameters).trajectories;
    return { result: { value: costOf(trajectory, costsOf(trajectory, parameters)) } };
  },

  /** Its gradient by the start, the inputs and parameters. */
  gradient: (session, parameters) => {
    const [trajectory] = tapeOf(session, parameters).trajectories;
    requireWhole(trajectory.solved, 0);
    const names = parameters.texts("parameters");
    const pulled = pullback(trajectory, costsOf(trajectory, parameters), { parameters: names });
    const { inputSize } = trajectory.mechanism;
    return {
      arrays: {
        state: pulled.state,
        inputs: { data: stacked(pulled.inputs).data, shape: [trajectory.steps, inputSize] },
        parameters: Float64Array.from(names, (name) => pulled.parameters[name]),
      },
    };
  },

  /** Tangents of the start, the inputs and parameters of one rollout → those of all its states. */
  pushforward: (session, parameters) => {
    const [trajectory] = tapeOf(session, parameters).trajectories;
    const { inputSize } = trajectory.mechanism;
    const state = parameters.maybeArray("state");
    const inputs = parameters.maybeArray("inputs");
    const tangents = pushforward(
      trajectory,
      {
        ...(state && { state }),
        ...(inputs && inputSize > 0 && { inputs: rowsOf("inputs", inputs, inputSize) }),
        parameters: numbersOf(parameters.record("parameters")),
      },
      { coordinates: parameters.choice("coordinates", coordinateKinds) },
    );
    return { arrays: { states: stacked(tangents) } };
  },
};

function inputOf({ inputSize }: Simulation, given: Float64Array | undefined): Float64Array {
  return given ?? new Float64Array(inputSize);
}

function reportOf({ status, iterations, substeps, interval, kappa, relativeKappa, smoothing }: StepGradients) {
  const where = { kappa: kappa ?? null, relativeKappa: relativeKappa ?? null, smoothing: smoothing ?? null };
  return { status, iterations, substeps, interval, ...where };
}

/** Rows of zeros are left out on the way, so their width is looked at before. */
function requireWidth(mechanism: Mechanism, coordinates: (typeof coordinateKinds)[number], width: number): void {
  const { stateSize, bodies, coordinateCount } = mechanism;
  const widths = coordinates === "minimal" ? [2 * coordinateCount] : [stateSize, bodyTangentSize * bodies.length];
  if (widths.includes(width)) return;
  const message = `have ${width} numbers per state; give ${widths.join(" or ")} in ${coordinates} coordinates`;
  throw new ArgumentError("wrong-size", "cotangents", message);
}

function requireWhole(solved: boolean, i: number): void {
  if (solved) return;
  throw new ArgumentError("not-solved", `rollouts[${i}]`, "a step was not solved, so it has no gradients");
}

function numbersOf(record: Readonly<Record<string, unknown>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      if (typeof value === "number") return [name, value];
      throw new ArgumentError("wrong-type", `parameters.${name}`, "give a number");
    }),
  );
}
