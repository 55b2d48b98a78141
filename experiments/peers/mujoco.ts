/**
 * MuJoCo beside the engine: the same mechanism through our exporter, stepped by MuJoCo's npm build in this process.
 *
 * What the build asks for: views of its memory are taken anew at each use, since they detach when the memory grows. Positions of
 * bodies and geoms lag a step behind qpos until `mj_kinematics`. A state that diverged is reset in silence; only a warning counts it.
 */
import load from "@mujoco/mujoco";
import {
  controlsOf,
  type MechanismDescription,
  type MujocoMap,
  minimalFromMujoco,
  mujocoState,
  toMjcf,
} from "dojo-sim";

export type Mujoco = Awaited<ReturnType<typeof load>>;
export type MujocoModel = InstanceType<Mujoco["MjModel"]>;
export type MujocoData = InstanceType<Mujoco["MjData"]>;

export interface MujocoSettings {
  /** Default the description's. */
  readonly timestep?: number;
  /** Default MuJoCo's own, Euler. */
  readonly integrator?: "Euler" | "RK4" | "implicit" | "implicitfast" | "discrete";
  /** Default MuJoCo's own, pyramidal. */
  readonly cone?: "pyramidal" | "elliptic";
  /**
   * Contacts and limits as hard as MuJoCo's guide allows: a time constant of two steps (shorter ones it raises to that), impedances
   * of 0.9999 (the largest it takes), and friction 100 times as hard as the normal direction with elliptic cones.
   */
  readonly stiff?: boolean;
}

/** The settings that stand beside ours in every comparison. */
export const comparedSettings = {
  default: {},
  stiff: { stiff: true },
  discrete: { integrator: "discrete" },
} as const satisfies Record<string, MujocoSettings>;

export type ComparedSetting = keyof typeof comparedSettings;

let loaded: Promise<Mujoco> | undefined;

/** One copy a process. */
export function loadMujoco(): Promise<Mujoco> {
  loaded ??= load();
  return loaded;
}

const hardest = { impedance: [0.9999, 0.9999, 1e-3, 0.5, 2], frictionRatio: 100, stepsPerTimeConstant: 2 };

/** One mechanism in MuJoCo. Call `delete` when done: its memory is not collected. */
export class MujocoPeer {
  readonly mujoco: Mujoco;
  readonly model: MujocoModel;
  readonly data: MujocoData;
  readonly map: MujocoMap;
  readonly timestep: number;
  /** Contacts in the order of `distances`, by our names. */
  readonly contactNames: readonly string[];
  private readonly planes: readonly ContactPlane[];

  constructor(mujoco: Mujoco, description: MechanismDescription, settings: MujocoSettings = {}) {
    const { timestep = description.timestep, integrator } = settings;
    const { xml, map } = toMjcf(description, { timestep, integrator });
    const model = mujoco.MjModel.from_xml_string(xml);
    if (!model) throw new Error("MuJoCo does not take the exported mechanism");
    this.mujoco = mujoco;
    this.model = model;
    this.map = map;
    this.timestep = model.opt.timestep;
    applySettings(mujoco, model, settings);
    this.data = new mujoco.MjData(model);
    this.planes = Array.from({ length: model.npair }, (_, i) => ({
      plane: model.pair_geom1[i],
      sphere: model.pair_geom2[i],
      radius: model.geom_size[3 * model.pair_geom2[i]],
    }));
    this.contactNames = this.planes.map(({ sphere }) => model.geom(sphere).name);
  }

  /** Positions, then velocities, of all joint coordinates, as `minimalState` gives them. Time and warnings start anew. */
  setState(minimal: ArrayLike<number>): void {
    this.mujoco.mj_resetData(this.model, this.data);
    const { qpos, qvel } = mujocoState(this.map, minimal);
    this.data.qpos.set(qpos);
    this.data.qvel.set(qvel);
    this.mujoco.mj_forward(this.model, this.data);
  }

  setInput(input: ArrayLike<number>): void {
    this.data.ctrl.set(controlsOf(this.map, input));
  }

  step(): void {
    this.mujoco.mj_step(this.model, this.data);
  }

  /** Positions, then velocities, of all joint coordinates. */
  get state(): Float64Array {
    return minimalFromMujoco(this.map, this.data);
  }

  /** Whether MuJoCo met a state that is not finite or huge since the last `setState`, and reset it. */
  get diverged(): boolean {
    const { mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC } = this.mujoco.mjtWarning;
    const { warning } = this.data;
    return [mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC].some(({ value }) => (warning.get(value)?.number ?? 0) > 0);
  }

  /** Distances of all contacts from their planes now, metres; negative inside. Also those that MuJoCo does not list. */
  distances(): Float64Array {
    this.mujoco.mj_kinematics(this.model, this.data);
    const { geom_xpos: x, geom_xmat: turns } = this.data;
    return Float64Array.from(this.planes, ({ plane, sphere, radius }) => {
      let distance = -radius;
      // the third column of the plane's axes is its normal
      for (let i = 0; i < 3; i++) distance += turns[9 * plane + 3 * i + 2] * (x[3 * sphere + i] - x[3 * plane + i]);
      return distance;
    });
  }

  /** Place of a body's centre of mass in the world. */
  center(body: string): [number, number, number] {
    this.mujoco.mj_kinematics(this.model, this.data);
    const at = 3 * this.model.body(body).id;
    const { xipos } = this.data;
    return [xipos[at], xipos[at + 1], xipos[at + 2]];
  }

  delete(): void {
    this.data.delete();
    this.model.delete();
  }
}

/** Geoms of a contact pair. */
interface ContactPlane {
  readonly plane: number;
  readonly sphere: number;
  readonly radius: number;
}

function applySettings(mujoco: Mujoco, model: MujocoModel, { cone, stiff = false }: MujocoSettings): void {
  const { mjCONE_ELLIPTIC, mjCONE_PYRAMIDAL } = mujoco.mjtCone;
  const chosen = cone ?? (stiff ? "elliptic" : undefined);
  if (chosen !== undefined) model.opt.cone = (chosen === "elliptic" ? mjCONE_ELLIPTIC : mjCONE_PYRAMIDAL).value;
  if (!stiff) return;
  if (chosen === "elliptic") model.opt.impratio = hardest.frictionRatio;
  const reference = [hardest.stepsPerTimeConstant * model.opt.timestep, 1];
  for (const values of [model.pair_solref, model.geom_solref, model.jnt_solref, model.eq_solref]) {
    repeat(values, reference);
  }
  for (const values of [model.pair_solimp, model.geom_solimp, model.jnt_solimp, model.eq_solimp]) {
    repeat(values, hardest.impedance);
  }
}

function repeat(values: Float64Array, pattern: readonly number[]): void {
  for (let i = 0; i < values.length; i++) values[i] = pattern[i % pattern.length];
}
