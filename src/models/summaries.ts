/** What there is, for lists in tools: a line on each model, and its size with default options. */
export interface ModelSummary {
  readonly name: string;
  readonly summary: string;
  readonly bodies: number;
  /** Degrees of freedom: joint coordinates less what loops and gears take. */
  readonly degreesOfFreedom: number;
}

const rows = [
  ["pendulum", "a rod on a hinge", 1, 1],
  ["nPendulum", "a chain of rods on parallel hinges", 5, 5],
  ["cartpole", "a cart on a rail with a pole hinged to it", 2, 2],
  ["slider", "a weight on a vertical rail, hung from a spring", 1, 1],
  ["block", "a cube that touches the floor with its eight corners", 1, 6],
  ["planarBlock", "a block that moves in a vertical plane", 1, 3],
  ["sphere", "a ball on the floor", 1, 6],
  ["dzhanibekov", "a wing nut in free fall that turns over again and again", 1, 6],
  ["tippeTop", "a top that turns over and spins on its stem", 1, 6],
  ["snake", "a chain of capsules on the floor", 5, 14],
  ["rope", "short links on ball joints, hung from one end", 10, 30],
  ["fourBar", "a hanging four-bar linkage: one closed loop", 3, 1],
  ["delta", "a delta robot: five closed loops keep its platform level", 10, 3],
  ["raibertHopper", "Raibert's hopper: a body on a leg that slides", 2, 7],
  ["hopper", "Gym's hopper: one leg, in a plane", 4, 6],
  ["walker", "Gym's walker: two legs, in a plane", 7, 9],
  ["halfCheetah", "Gym's half-cheetah: a runner in a plane", 7, 9],
  ["ant", "Gym's ant: a ball on four legs", 9, 14],
  ["a1", "Unitree A1, a quadruped with twelve motors", 13, 18],
  ["atlas", "Boston Dynamics Atlas v5, a humanoid with thirty motors", 31, 36],
  ["humanoid", "MuJoCo's humanoid with 21 motors", 13, 27],
  ["panda", "Franka Emika Panda, an arm with seven hinges and a gripper", 9, 8],
  ["skydioX2", "Skydio X2, a quadrotor with four thrusters", 1, 6],
  ["xarm6WithBox", "UFactory xArm 6 beside a box on the floor", 7, 12],
] as const;

export type ModelName = (typeof rows)[number][0];

export const modelSummaries: readonly (ModelSummary & { readonly name: ModelName })[] = rows.map(
  ([name, summary, bodies, degreesOfFreedom]) => ({ name, summary, bodies, degreesOfFreedom }),
);
export const modelNames: readonly ModelName[] = rows.map(([name]) => name);
