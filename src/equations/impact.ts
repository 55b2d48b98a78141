/**
 * An impact: velocities change at once, configurations stay. The same nodes as in a step, at the level of velocities, about a
 * configuration z and the velocities v⁻ before the impact:
 *   body       m (v₊ − v⁻) = impulses,   J (ω₊ − ω⁻) = angular impulses
 *   joint      K (v₊ − v⁻) = 0                                        impulses along K, the gradient of its constraints at z; its rotors
 *                                                                     turn with it
 *   contact    s = h (D (v₊ − r v⁻) − w) ⊥ γ,   friction against the slip T v₊
 * with D and T the gradients of gap and slip at z. Impulses act along the very gradients by which velocities are measured, so that an
 * impact does no work but that of its contacts. A contact's threshold w is what its normal velocity must reach, measured from v⁻ where
 * r = 1. On top of what is solved for, an impulse may be given (γ₀, β₀), of which b₀ counts for the bound of friction: with these the
 * same equations are those of compression (nothing given) and of restitution (docs/decisions/0016-bounce.md). Friction that resists
 * turning has no part in an impact, which is over before anything has turned.
 */

import { add, dot, matVec, mul, neg, type Scalar, sub, sum, vscale, vsub } from "../symbolic/index.ts";
import type { BodySymbols, RotationSource } from "./bodySymbols.ts";
import { coneRoles } from "./coneRoles.ts";
import { type ContactSpecies, contactEquations, contactNames } from "./contact.ts";
import { frictionOf } from "./contactFriction.ts";
import type { BodyData } from "./integrator.ts";
import { jointEquations } from "./joint.ts";
import { type JointSpecies, jointParameterNames } from "./jointSpecies.ts";
import { type ConeSymbols, type Elimination, type NodeEquations, type Ports, portDirections } from "./node.ts";
import { symmetric, type Velocity } from "./pose.ts";

/** What a contact of an impact has besides the parameters of the contact itself. */
export const impactParameterNames = [
  "impact.relative",
  "impact.threshold",
  "impact.normal",
  "impact.friction.0",
  "impact.friction.1",
  "impact.bound",
] as const;

export function impactContactNames(species: Parameters<typeof contactNames>[0]): readonly string[] {
  return [...contactNames(species), ...impactParameterNames];
}

/** Six rows: linear in the world frame, angular in the body frame at z. */
export function impactBalance(data: BodyData, velocity: Velocity, next: Velocity): Scalar[] {
  return [
    ...vscale(vsub(next.linear, velocity.linear), data.mass),
    ...matVec(symmetric(data.inertia), vsub(next.angular, velocity.angular)),
  ];
}

/**
 * Equations of a joint that carries no forces but those of its constraints and of rotors: λ = −a (θ̇₊ − θ̇⁻) along every coordinate that may have one.
 */
export function impactJointEquations(species: JointSpecies, source: RotationSource = "shared"): NodeEquations {
  const features = species.features.map((own) => ({ ...own, passive: false }));
  const joint = jointEquations(
    { ...species, features },
    source,
    species.features.some(({ passive }) => passive),
  );
  const ports = joint.ports as Ports;
  const { constraints } = ports;
  const directions = portDirections(joint);
  const rate = rateAlong(joint);
  const values = ports.values.map((_, port) => rate(port, after));
  const names = jointParameterNames(species.features.length);
  const rotors = species.features.flatMap(({ passive }, i) => {
    if (!passive) return [];
    const armature = joint.parameterGroups[0][names.indexOf(`armature.${i}`)];
    return [{ port: constraints + i, armature, impulse: joint.graph.symbol(`rotor.${i}`) }];
  });
  const bodyRows = joint.bodyRows.map((rows, k) =>
    joint.bodies[k].moves
      ? rotors.reduce<Scalar[]>((all, { port, impulse }) => vsub(all, vscale(directions[k][port], impulse)), [...rows])
      : rows,
  );
  return {
    ...joint,
    multipliers: [...joint.multipliers, ...rotors.map(({ impulse }) => impulse)],
    regularization: [...joint.regularization, ...rotors.map(() => 0)],
    bodyRows,
    wrench: bodyRows[1].map(neg),
    rows: [
      ...joint.multipliers.map((_, i) => rate(i, (body) => vsub(after(body), before(body)))),
      ...rotors.map(({ port, armature, impulse }) =>
        add(impulse, mul(armature, sub(values[port], rate(port, before)))),
      ),
    ],
    ports: {
      ...ports,
      values,
      scales: values.map(() => 1),
      amounts: ports.amounts.map((amount, port) => rotors.find((rotor) => rotor.port === port)?.impulse ?? amount),
      along: [...values.slice(0, constraints), ...rotors.map(({ port }) => values[port])],
    },
  };
}

export function impactContactEquations(species: ContactSpecies, source: RotationSource = "shared"): NodeEquations {
  const contact = contactEquations(species, source);
  const { graph, bodies } = contact;
  const ports = contact.ports as Ports;
  const h = contact.globals.timestep;
  const directions = portDirections(contact);
  const rate = rateAlong(contact);
  const more = impactParameterNames.map((name) => graph.symbol(name));
  const [relative, threshold, ...given] = more;
  const bound = given[3];

  const approach = sub(rate(0, after), add(mul(relative, rate(0, before)), threshold));
  const gamma = graph.symbol("normal");
  const slack = graph.symbol("gap");
  const coefficient = contact.parameterGroups[0][contactNames(species).indexOf("frictionCoefficient")];
  const slip = species.model === "impact" ? [] : [rate(1, after), rate(2, after)];
  const friction = frictionOf(species.model, graph, slip, mul(coefficient, add(gamma, bound)));
  const cones: ConeSymbols[] = [{ role: coneRoles.contactNormal, b: [gamma], c: [slack] }, ...friction.cones];
  const eliminations: Elimination[] = [
    { kind: "equality", value: sub(slack, mul(h, approach)), solves: slack },
    { kind: "complementarity", cone: 0, entry: 0, solves: gamma },
    ...friction.eliminations,
  ];
  const amounts = [gamma, ...friction.impulse];
  const total = amounts.map((amount, i) => add(amount, given[i]));
  return {
    ...contact,
    parameterGroups: [[...contact.parameterGroups[0], ...more]],
    cones,
    eliminations,
    bodyRows: bodies.map((body, k) =>
      body.moves
        ? total.reduce<Scalar[]>((rows, amount, i) => vsub(rows, vscale(directions[k][i], amount)), [0, 0, 0, 0, 0, 0])
        : [],
    ),
    ports: {
      ...ports,
      values: amounts.map((_, port) => rate(port, after)),
      scales: amounts.map(() => 1),
      amounts,
      given,
    },
  };
}

/** Rates of a node's ports at z, for given velocities of its bodies. */
function rateAlong(node: NodeEquations): (port: number, velocityOf: (body: BodySymbols) => Scalar[]) => Scalar {
  const directions = portDirections(node);
  return (port, velocityOf) =>
    sum(node.bodies.map((body, k) => (body.moves ? dot(directions[k][port], velocityOf(body)) : 0)));
}

/** v₊ and v⁻ of a body, six numbers each. */
function after({ nextVelocity }: BodySymbols): Scalar[] {
  return [...nextVelocity.linear, ...nextVelocity.angular];
}

function before({ velocity }: BodySymbols): Scalar[] {
  return [...velocity.linear, ...velocity.angular];
}
