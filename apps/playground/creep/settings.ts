/** What the reader of the creep test has chosen, and its form in the page's address: #angle=10&friction=1&… */
import type { MujocoSettings } from "../../../experiments/peers/mujoco.ts";
import { numbersOf, parametersOf } from "../lens/address.ts";
import { limitedAll, type Range } from "../lens/range.ts";

export type Cone = NonNullable<MujocoSettings["cone"]>;
export type Integrator = NonNullable<MujocoSettings["integrator"]>;

export interface CreepSettings {
  /** Angle of the slope, degrees. */
  readonly angle: number;
  readonly friction: number;
  /** Seconds, of both engines. */
  readonly timestep: number;
  readonly cone: Cone;
  /** Stiffness of friction relative to that of the normal direction, MuJoCo's `impratio`. */
  readonly impratio: number;
  readonly integrator: Integrator;
  /** Iterations of MuJoCo's pass against slip after its solver. */
  readonly noslip: number;
  /** The κ of our engine, SI; undefined is its default. */
  readonly kappa: number | undefined;
}

export const cones: readonly Cone[] = ["pyramidal", "elliptic"];
export const integrators: readonly Integrator[] = ["Euler", "implicitfast", "implicit", "RK4", "discrete"];
export const kappas: readonly (number | undefined)[] = [undefined, 1e-8, 1e-6, 1e-4];

export const ranges = {
  angle: { low: 0, high: 40 },
  friction: { low: 0.1, high: 1.5 },
  timestep: { low: 0.001, high: 0.05 },
  impratio: { low: 1, high: 1000 },
  noslip: { low: 0, high: 20, whole: true },
} as const satisfies Record<string, Range>;

/** The settings of MuJoCo are its own defaults. */
export const defaults: CreepSettings = {
  angle: 10,
  friction: 1,
  timestep: 0.01,
  cone: "pyramidal",
  impratio: 1,
  integrator: "Euler",
  noslip: 0,
  kappa: undefined,
};

/** MuJoCo as it comes, and with everything on that its guide names against slip. */
export const presets = {
  default: { cone: "pyramidal", impratio: 1, integrator: "Euler", noslip: 0 },
  careful: { cone: "elliptic", impratio: 100, integrator: "implicitfast", noslip: 10 },
} as const satisfies Record<string, Partial<CreepSettings>>;

/** With every number inside its range. */
export function limitedSettings(settings: CreepSettings): CreepSettings {
  return { ...settings, ...limitedAll(ranges, settings, defaults) };
}

export function settingsOf(hash: string): CreepSettings {
  const given = parametersOf(hash);
  const choice = <T extends string>(name: string, of: readonly T[], otherwise: T): T =>
    of.find((each) => each === given.get(name)) ?? otherwise;
  const kappa = Number(given.get("kappa"));
  return limitedSettings({
    ...numbersOf(given, ranges),
    cone: choice("cone", cones, defaults.cone),
    integrator: choice("integrator", integrators, defaults.integrator),
    kappa: kappas.find((each) => each === kappa),
  });
}

/** Only what differs from the defaults. */
export function hashOf(settings: CreepSettings): string {
  const names = Object.keys(defaults) as (keyof CreepSettings)[];
  const changed = names.filter((name) => settings[name] !== defaults[name]);
  return `#${changed.map((name) => `${name}=${settings[name]}`).join("&")}`;
}
