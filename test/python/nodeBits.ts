/**
 * Runs every model for some steps in Node and prints a hash of all its states: what Python must get, to the bit.
 *   tsx test/python/nodeBits.ts 1000
 */
import { createHash } from "node:crypto";
import { compile, modelNames, models, Simulation, startState } from "dojo-sim";

const steps = Number(process.argv[2]);
const hashes = modelNames.map((name) => {
  const mechanism = compile(models[name]());
  const simulation = new Simulation(mechanism);
  const input = new Float64Array(mechanism.inputSize);
  let state = startState(mechanism);
  const hash = createHash("sha256").update(state);
  let solved = 0;
  for (let k = 0; k < steps; k++) {
    for (let i = 0; i < input.length; i++) input[i] = ((7 * k + 3 * i) % 11) * 0.125 - 0.625;
    const result = simulation.step(state, input);
    if (result.status !== "solved") break;
    state = Float64Array.from(result.next);
    hash.update(state);
    solved++;
  }
  return [name, [hash.digest("hex"), solved]];
});
process.stdout.write(JSON.stringify(Object.fromEntries(hashes)));
