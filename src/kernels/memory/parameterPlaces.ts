/** Where parameters lie by path, "bodies.rod.mass" or "timestep", and the values that they begin with. */
import {
  bodyParameterNames,
  contactNames,
  dragParameterNames,
  gearParameterNames,
  globalNames,
  impactContactNames,
  jointParameterNames,
  thrusterParameterNames,
} from "../../equations/index.ts";
import { type Mechanism, surfaceParameters, surfacePath } from "../../mechanism/index.ts";
import { contactSpecies } from "../species/species.ts";
import { type DataPlan, planData } from "./plan.ts";
import { isTurns } from "./turns.ts";

/** Called for each group of parameters that lie one after the other. */
type Visit = (path: string, names: () => readonly string[], start: number, values: readonly number[]) => void;

export function writeParameters(plan: DataPlan, f64: Float64Array): void {
  visitParameters(plan, (_, _names, start, values) => f64.set(values, start));
}

/** Turns, which steps count, are none. */
export function parameterPlaces(plan: DataPlan): Map<string, number> {
  return byPath(plan, (_, place) => place);
}

/** Values that the parameters of a mechanism's steps begin with, by path. */
export function initialParameters(mechanism: Mechanism): Map<string, number> {
  return byPath(planData(mechanism, "step", []), (value) => value);
}

function byPath(plan: DataPlan, entry: (value: number, place: number) => number): Map<string, number> {
  const entries = new Map<string, number>();
  visitParameters(plan, (path, names, start, values) => {
    names().forEach((name, i) => {
      if (!isTurns(name)) entries.set(path === "" ? name : `${path}.${name}`, entry(values[i], start + i));
    });
  });
  return entries;
}

function visitParameters({ mechanism, physics, places, nodes, surfaces }: DataPlan, visit: Visit): void {
  visit("", () => globalNames, places.globals, [
    ...[mechanism.timestep, ...mechanism.gravity],
    ...[mechanism.springConservation, mechanism.damperCentering],
  ]);
  for (const body of mechanism.bodies) {
    const [[xx, xy, xz], [, yy, yz], [, , zz]] = body.inertia;
    const start = places.bodyParameters + bodyParameterNames.length * body.index;
    visit(`bodies.${body.name}`, () => bodyParameterNames, start, [
      ...[body.mass, xx, yy, zz, xy, xz, yz, body.gravityScale],
    ]);
  }
  mechanism.touch?.shapes.forEach((shape, i, { length }) => {
    surfaceParameters.forEach((name, k) => {
      const value = shape.surface[name];
      if (value !== null) visit(surfacePath(mechanism, shape), () => [name], surfaces + k * length + i, [value]);
    });
  });
  const termCounts = new Map<number, number>();
  for (const { spec, parameters: start } of nodes) {
    const { kind, index, parameterValues: values } = spec;
    switch (kind) {
      case "joint": {
        const joint = mechanism.joints[index];
        visit(`joints.${joint.name}`, () => jointParameterNames(joint.coordinates.length), start, values);
        break;
      }
      case "contact": {
        const contact = mechanism.contacts[index];
        const names = physics === "impact" ? impactContactNames : contactNames;
        visit(`contacts.${contact.name}`, () => names(contactSpecies(contact)), start, values);
        break;
      }
      case "thruster":
        visit(`thrusters.${mechanism.thrusters[index].name}`, () => thrusterParameterNames, start, values);
        break;
      case "drag":
        visit(`drag.${mechanism.bodies[index].name}`, () => dragParameterNames, start, values);
        break;
      case "gear": {
        const gear = mechanism.gears[index];
        visit(`gears.${gear.name}`, () => gearParameterNames[gear.kind], start, values);
        break;
      }
      default: {
        const term = termCounts.get(index) ?? 0;
        termCounts.set(index, term + 1);
        visit(`gears.${mechanism.gears[index].name}`, () => [`ratio.${term}`], start, values);
      }
    }
  }
}
