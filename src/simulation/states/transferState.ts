/** States whose velocities are means over one interval, as states of another. */
import { ArgumentError, type Mechanism } from "../../mechanism/index.ts";
import { isSteppable, requireSteppable } from "./stateChecks.ts";
import { basicFaults, StateError } from "./stateFaults.ts";
import type { StateWriter } from "./stateWriter.ts";
import { changeIntervalInto } from "./timestepChange.ts";

/** The same motion in another interval, with the interval momentum kept (timestepChange.ts). Throws where no state of `timestep` has it. */
export function transferredState(
  mechanism: Mechanism,
  writer: StateWriter,
  state: Float64Array,
  timestep: number,
  interval: number,
): Float64Array {
  requireInterval("timestep", timestep);
  requireInterval("interval", interval);
  requireSteppable(mechanism, state, interval);
  const changed = Float64Array.from(state);
  for (const { index } of mechanism.bodies)
    changeIntervalInto(changed, index, writer.inertia(index), interval, timestep);
  if (isSteppable(mechanism, changed, timestep)) return changed;
  const faults = [state, changed].map((entry) => basicFaults(mechanism, entry, timestep));
  throw new StateError(
    faults[0].length > 0 ? faults[0] : faults[1],
    `the state cannot be taken over to a time step of ${timestep} s:`,
  );
}

function requireInterval(path: string, value: number): void {
  if (value > 0 && Number.isFinite(value)) return;
  throw new ArgumentError("out-of-range", path, `${value}; give a time in seconds, more than 0`);
}
