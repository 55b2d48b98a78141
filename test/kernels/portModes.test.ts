/** Gradients of ports of two bodies are made by rows alone (`ofPorts` of equations/node.ts): that graph is the smaller one for every joint. */
import { expect, test } from "vitest";
import type { Ports } from "../../src/equations/index.ts";
import { jointOf } from "../../src/kernels/species/library.ts";
import { jointSpecies } from "../../src/kernels/species/species.ts";
import { div, type Expr, jacobian, operationCount, type Scalar } from "../../src/symbolic/index.ts";
import { chain, jointCases } from "../physics/jointCases.ts";

test.each(jointCases)("$name: by rows takes no more operations than by columns", ({ form }) => {
  const { joints } = chain({ form, links: 2, timestep: 0.01 });
  const { node } = jointOf(jointSpecies(joints[1]), "step");
  expect(node.bodies.map(({ moves }) => moves)).toEqual([true, true]);
  const { values, scales } = node.ports as Ports;
  const rates = values.map((value, i) => div(value, scales[i]));
  const symbols = node.bodies
    .flatMap(({ nextSymbols, tilt, nextVelocity }): Scalar[] => [
      ...[...nextSymbols.position, ...tilt],
      ...[...nextVelocity.linear, ...nextVelocity.angular],
    ])
    .filter((entry): entry is Expr => typeof entry !== "number");
  const [byRows, byColumns] = (["reverse", "forward"] as const).map((mode) =>
    operationCount([...rates, ...jacobian(rates, symbols, mode).flat()]),
  );
  expect(byRows).toBeLessThanOrEqual(byColumns);
});
