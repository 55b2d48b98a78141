/**
 * "ags": along the gradient of an episode. "ars": augmented random search. "random": as ags, along differences of returns. "shac": along
 * gradients over short horizons, closed by a critic.
 */
export const trainingMethods = ["ags", "ars", "random", "shac"] as const;
export type TrainingMethod = (typeof trainingMethods)[number];
