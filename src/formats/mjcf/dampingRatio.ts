/**
 * The damping that a servo of stiffness k has with a damping ratio ζ, 2 ζ √(k m). MuJoCo has taken two masses m for a transmission whose
 * length is L = Σ wᵢ qᵢ:
 *   coupled   1 / (w M⁻¹ wᵀ)      3.15 and later: a force along L works on it while all other coordinates give way
 *   alone     Σ Mᵢᵢ / wᵢ²         up to 3.14: every joint by itself, while all others are held
 */
import type { ImportContext } from "./importContext.ts";
import type { MjJoint } from "./model.ts";
import type { DampingRatioMass } from "./movedInertia.ts";
import type { Actuator } from "./readActuator.ts";

export function readDampratio(given: DampingRatioMass = "coupled"): DampingRatioMass {
  if (given === "coupled" || given === "alone") return given;
  throw new RangeError(`options.dampratio is ${JSON.stringify(given)}; have: "coupled", "alone"`);
}

/** A difference below this fraction is not worth a warning. */
const NOTABLE = 0.01;

/** The actuator with its damping in place of the ratio. `weights` are those of L, by joint. */
export function withDamping(
  context: ImportContext,
  actuator: Actuator,
  weights: ReadonlyMap<MjJoint, number>,
): Actuator {
  const { bias, dampingRatio, biasType, element } = actuator;
  if (dampingRatio === undefined || biasType !== "affine" || ![...weights.values()].some((weight) => weight !== 0))
    return actuator;
  const damping = (mass: number): number => 2 * dampingRatio * Math.sqrt(Math.max(0, -bias[1]) * mass);
  const { inertias, dampratio, ledger } = context;
  const compliance = inertias.compliance(weights);
  const alone = damping(
    [...weights].reduce((sum, [joint, w]) => sum + (w === 0 ? 0 : inertias.alone(joint) / w ** 2), 0),
  );
  const coupled = compliance === undefined ? undefined : damping(1 / compliance);
  if (coupled === undefined) {
    ledger.add(
      "assumed",
      element,
      "dampratio: some joints of the file move the same, so their inertias are taken one by one",
    );
  } else if (Math.abs(coupled - alone) > NOTABLE * Math.max(coupled, alone)) {
    const [taken, other] = dampratio === "coupled" ? [coupled, alone] : [alone, coupled];
    const [now, since] = dampratio === "coupled" ? ["3.15 and later", "up to 3.14"] : ["up to 3.14", "3.15 and later"];
    const otherName = dampratio === "coupled" ? "alone" : "coupled";
    const message =
      `dampratio gives kv "${shown(taken)}", as in MuJoCo ${now}; ${since} it is "${shown(other)}": ` +
      `dampratio: '${otherName}' (--dampratio ${otherName}) takes that; kv in the file settles it`;
    ledger.add("assumed", element, message);
  }
  const kv = dampratio === "alone" ? alone : (coupled ?? alone);
  return { ...actuator, bias: [bias[0], bias[1], -kv], dampingRatio: undefined };
}

function shown(value: number): string {
  return String(Number(value.toPrecision(4)));
}
